"""Self-supervised learning on a torchvision backbone: two views, forward hooks for features, momentum encoder, queue, linear probe."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torch.utils.data import DataLoader, Dataset, RandomSampler, BatchSampler
from torchvision.transforms import v2


class TwoViews:
    def __init__(self, transform):
        self.transform = transform

    def __call__(self, x):
        return self.transform(x), self.transform(x)


class Pictures(Dataset):
    def __init__(self, n, transform):
        self.images = torch.randint(0, 256, (n, 3, 40, 40), dtype=torch.uint8)  #! 3, 40, 40 => 40, 40, 3
        self.labels = torch.arange(n) % 5
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.transform(self.images[i]), self.labels[i]


augment = v2.Compose([
    v2.RandomResizedCrop(32, antialias=True),
    v2.RandomHorizontalFlip(),
    v2.ToDtype(torch.float32, scale=True),
    v2.Normalize([0.5, 0.5, 0.5], [0.25, 0.25, 0.25]),
])


def projector(sizes, last_bn=False):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b, bias=False))
        if i < len(sizes) - 2:
            layers += [nn.BatchNorm1d(b), nn.ReLU(inplace=True)]  #! nn.BatchNorm1d(b) => nn.BatchNorm1d(a)
    if last_bn:
        layers.append(nn.BatchNorm1d(sizes[-1], affine=False))
    return nn.Sequential(*layers)


class Features:
    def __init__(self, model, names):
        self.store = {}
        self.handles = [model.get_submodule(n).register_forward_hook(self.keep(n)) for n in names]

    def keep(self, name):
        def hook(module, args, output):
            self.store[name] = output.flatten(2).mean(-1)
        return hook

    def remove(self):
        for handle in self.handles:
            handle.remove()


class MoCo(nn.Module):
    def __init__(self, dim=32, size=64, momentum=0.99, temperature=0.2):
        super().__init__()
        self.momentum, self.temperature = momentum, temperature
        self.q, self.k = self.build(dim), self.build(dim)
        self.k.load_state_dict(self.q.state_dict())
        for p in self.k.parameters():
            p.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))  #! torch.randn(dim, size) => torch.randn(size, dim)
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    @staticmethod
    def build(dim):
        net = torchvision.models.resnet18(weights=None)
        net.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False)  #! nn.Conv2d(3, 64, => nn.Conv2d(3, 32,
        net.maxpool = nn.Identity()
        width = net.fc.in_features
        net.fc = projector([width, width, dim])  #! [width, width, dim] => [width // 2, width, dim]
        return net

    @torch.no_grad()
    def update(self):
        for a, b in zip(self.q.parameters(), self.k.parameters()):
            b.data = b.data * self.momentum + a.data * (1 - self.momentum)

    @torch.no_grad()
    def enqueue(self, keys):
        p, n = int(self.pointer), keys.shape[0]
        assert self.queue.shape[1] % n == 0
        self.queue[:, p:p + n] = keys.T  #! keys.T => keys
        self.pointer[0] = (p + n) % self.queue.shape[1]

    def forward(self, a, b):
        q = F.normalize(self.q(a), dim=1)
        with torch.no_grad():
            self.update()
            k = F.normalize(self.k(b), dim=1)
        pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)  #! .unsqueeze(-1) => .unsqueeze(0)
        neg = torch.einsum("nc,ck->nk", q, self.queue.clone().detach())  #! "nc,ck->nk" => "nc,kc->nk"
        logits = torch.cat([pos, neg], dim=1) / self.temperature
        self.enqueue(k)
        return logits, torch.zeros(len(logits), dtype=torch.long)


def main():
    data = Pictures(48, TwoViews(augment))
    sampler = BatchSampler(RandomSampler(data), batch_size=16, drop_last=True)
    model = MoCo()
    probe = nn.ModuleDict({"layer2": nn.Linear(128, 5), "layer4": nn.Linear(512, 5)})  #! nn.Linear(128, 5) => nn.Linear(256, 5)
    taps = Features(model.q, ["layer2", "layer4"])
    params = [{"params": model.q.parameters()}, {"params": probe.parameters(), "lr": 0.1}]
    opt = torch.optim.SGD(params, lr=0.03, momentum=0.9, weight_decay=1e-4)
    for (one, two), label in DataLoader(data, batch_sampler=sampler):
        logits, target = model(one, two)
        loss = F.cross_entropy(logits, target)
        for name, head in probe.items():
            loss = loss + F.cross_entropy(head(taps.store[name].detach()), label)  #! label => label[:-1]
        opt.zero_grad()
        loss.backward()
        opt.step()
    taps.remove()
    reveal_type(logits)
    reveal_type(taps.store["layer4"])
    reveal_type(model.queue)
    body = nn.Sequential(*list(model.q.children())[:-1], nn.Flatten()).eval()
    with torch.no_grad():
        bank = torch.cat([body(x) for x in augment(data.images).split(10)])
    reveal_type(bank)
    sims = F.normalize(bank) @ F.normalize(bank).T  #! F.normalize(bank).T => F.normalize(bank)
    near = sims.topk(4).indices
    votes = F.one_hot(data.labels[near], 5).sum(1).argmax(1)  #! .sum(1).argmax(1) => .sum(1).argmax(0)
    print((votes == data.labels).float().mean())
    reveal_type(near)


if __name__ == "__main__":
    main()
