"""Autoencoder on shards of arrays that workers stream."""
import itertools
import os
import tempfile

import numpy as np
import torch
from absl import app, flags, logging
from torch import nn
from torch.utils.data import ChainDataset, DataLoader, IterableDataset, get_worker_info

FLAGS = flags.FLAGS
flags.DEFINE_integer("code", 8, "size of the code", lower_bound=1)
flags.DEFINE_integer("batch_size", 10, "records in a batch")
flags.DEFINE_list("hidden", ["48", "24"], "widths of the hidden layers")
flags.DEFINE_enum("activation", "relu", ["relu", "tanh"], "activation")
flags.DEFINE_bool("denoise", False, "add noise to the input")


class Shard(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with np.load(self.path) as archive:
            signals, labels = archive["signals"], archive["labels"]  #! archive["signals"], archive["labels"] => archive["labels"], archive["signals"]
        info = get_worker_info()
        step, start = (1, 0) if info is None else (info.num_workers, info.id)
        for signal, label in itertools.islice(zip(signals, labels), start, None, step):
            yield torch.from_numpy(signal).float(), int(label)


def write_shards(folder, n=3):
    paths = []
    for i in range(n):
        path = os.path.join(folder, f"shard-{i:05d}.npz")
        np.savez(path, signals=np.random.rand(17, 2, 32), labels=np.arange(17) % 4)
        paths.append(path)
    return paths


class AutoEncoder(nn.Module):
    def __init__(self, inputs, hidden, code, activation):
        super().__init__()
        act = {"relu": nn.ReLU, "tanh": nn.Tanh}[activation]
        sizes = [inputs] + hidden + [code]
        self.encoder = self.stack(sizes, act)
        self.decoder = self.stack(sizes[::-1], act)  #! sizes[::-1] => sizes

    @staticmethod
    def stack(sizes, act):
        layers = []
        for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
            layers.append(nn.Linear(a, b))
            if i < len(sizes) - 2:
                layers.append(act())
        return nn.Sequential(*layers)

    def forward(self, x):
        code = self.encoder(x.flatten(1))
        return code, self.decoder(code).view_as(x)  #! .view_as(x) => .view(x.size(0), 2, 16)


def main(argv):
    del argv
    paths = write_shards(tempfile.mkdtemp())
    data = ChainDataset([Shard(p) for p in paths])
    loader = DataLoader(data, batch_size=FLAGS.batch_size)
    hidden = [int(h) for h in FLAGS.hidden]
    model = AutoEncoder(2 * 32, hidden, FLAGS.code, FLAGS.activation)  #! 2 * 32 => 3 * 32
    probe = nn.Linear(FLAGS.code, 4)  #! FLAGS.code, 4 => 4, FLAGS.code
    opt = torch.optim.Adam(itertools.chain(model.parameters(), probe.parameters()))
    codes, truth = [], []
    for step, (signal, label) in enumerate(loader):
        inputs = signal + 0.1 * torch.randn_like(signal) if FLAGS.denoise else signal
        code, restored = model(inputs)
        reveal_type(code)
        loss = nn.functional.mse_loss(restored, signal) + nn.functional.cross_entropy(probe(code.detach()), label)
        opt.zero_grad()
        loss.backward()
        opt.step()
        codes.append(code.detach())
        truth.append(label)
        logging.log_every_n(logging.INFO, "step %d loss %f", 2, step, loss.item())
    codes, truth = torch.cat(codes), torch.cat(truth)
    centres = torch.stack([codes[truth == k].mean(dim=0) for k in range(4)])
    reveal_type(centres)
    distance = torch.cdist(codes, centres)  #! centres) => centres.T)
    print("purity", (distance.argmin(1) == truth).float().mean().item())


if __name__ == "__main__":
    app.run(main)
