"""Classification and parts of point clouds by graphs of nearest neighbours."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


def knn(x, k):
    inner = -2 * torch.matmul(x.transpose(2, 1), x)
    xx = torch.sum(x**2, dim=1, keepdim=True)
    pairwise_distance = -xx - inner - xx.transpose(2, 1)
    return pairwise_distance.topk(k=k, dim=-1)[1]


def get_graph_feature(x, k=20, idx=None):
    batch_size, num_points = x.size(0), x.size(2)
    x = x.view(batch_size, -1, num_points)
    if idx is None:
        idx = knn(x, k=k)
    idx_base = torch.arange(0, batch_size, device=x.device).view(-1, 1, 1) * num_points
    idx = (idx + idx_base).view(-1)
    _, num_dims, _ = x.size()
    x = x.transpose(2, 1).contiguous()  #! .transpose(2, 1).contiguous() => .contiguous()
    feature = x.view(batch_size * num_points, -1)[idx, :]
    feature = feature.view(batch_size, num_points, k, num_dims)
    x = x.view(batch_size, num_points, 1, num_dims).repeat(1, 1, k, 1)
    return torch.cat((feature - x, x), dim=3).permute(0, 3, 1, 2).contiguous()  #! permute(0, 3, 1, 2) => permute(0, 1, 2, 3)


def translate_pointcloud(pointcloud):
    xyz1 = np.random.uniform(low=2.0 / 3.0, high=3.0 / 2.0, size=[3])
    xyz2 = np.random.uniform(low=-0.2, high=0.2, size=[3])
    return np.add(np.multiply(pointcloud, xyz1), xyz2).astype("float32")


class Shapes(Dataset):
    def __init__(self, num_points, partition="train"):
        rng = np.random.RandomState(0 if partition == "train" else 1)
        self.data = rng.randn(27 if partition == "train" else 10, 256, 3).astype("float32")
        self.label = rng.randint(0, 5, size=(len(self.data), 1)).astype("int64")
        self.num_points, self.partition = num_points, partition

    def __getitem__(self, item):
        pointcloud = self.data[item][: self.num_points]
        label = self.label[item]
        if self.partition == "train":
            pointcloud = translate_pointcloud(pointcloud)
            np.random.shuffle(pointcloud)
        return pointcloud, label

    def __len__(self):
        return self.data.shape[0]


class Block(nn.Sequential):
    def __init__(self, inp, out, dim):
        conv, norm = {1: (nn.Conv1d, nn.BatchNorm1d), 2: (nn.Conv2d, nn.BatchNorm2d)}[dim]
        super().__init__(conv(inp, out, kernel_size=1, bias=False), norm(out), nn.LeakyReLU(negative_slope=0.2))


class DGCNN(nn.Module):
    def __init__(self, args, output_channels=5):
        super().__init__()
        self.args, self.k = args, args.k
        self.conv1 = Block(6, 16, 2)
        self.conv2 = Block(16 * 2, 16, 2)  #! 16 * 2, 16, 2 => 16, 16, 2
        self.conv3 = Block(16 * 2, 32, 2)
        self.conv4 = Block(64, args.emb_dims, 1)
        self.linear1 = nn.Linear(args.emb_dims * 2, 48, bias=False)
        self.bn6 = nn.BatchNorm1d(48)
        self.dp1 = nn.Dropout(p=args.dropout)
        self.linear2 = nn.Linear(48, output_channels)
        self.parts = nn.Sequential(Block(args.emb_dims + 64, 32, 1), nn.Conv1d(32, 4, 1))

    def forward(self, x):
        batch_size, num_points = x.size(0), x.size(-1)
        x1 = self.conv1(get_graph_feature(x, k=self.k)).max(dim=-1, keepdim=False)[0]
        x2 = self.conv2(get_graph_feature(x1, k=self.k)).max(dim=-1, keepdim=False)[0]
        x3 = self.conv3(get_graph_feature(x2, k=self.k)).max(dim=-1)[0]  #! .max(dim=-1)[0] => .max(dim=-1)
        local = torch.cat((x1, x2, x3), dim=1)
        x = self.conv4(local)
        g1 = F.adaptive_max_pool1d(x, 1).view(batch_size, -1)
        g2 = F.adaptive_avg_pool1d(x, 1).view(batch_size, -1)
        glob = torch.cat((g1, g2), 1)
        logits = self.linear2(self.dp1(F.leaky_relu(self.bn6(self.linear1(glob)), negative_slope=0.2)))
        parts = self.parts(torch.cat((g1.unsqueeze(-1).repeat(1, 1, num_points), local), dim=1))  #! .repeat(1, 1, num_points) => .repeat(1, 1, batch_size)
        return logits, parts


def cal_loss(pred, gold, smoothing=True, eps=0.2):
    gold = gold.contiguous().view(-1)
    if not smoothing:
        return F.cross_entropy(pred, gold, reduction="mean")
    n_class = pred.size(1)
    one_hot = torch.zeros_like(pred).scatter(1, gold.view(-1, 1), 1)
    one_hot = one_hot * (1 - eps) + (1 - one_hot) * eps / (n_class - 1)
    return -(one_hot * F.log_softmax(pred, dim=1)).sum(dim=1).mean()


def train(args):
    loader = DataLoader(Shapes(args.num_points), batch_size=args.batch_size, shuffle=True, drop_last=True)
    test_loader = DataLoader(Shapes(args.num_points, "test"), batch_size=args.test_batch_size, drop_last=False)
    model = DGCNN(args)
    opt = torch.optim.SGD(model.parameters(), lr=args.lr * 100, momentum=0.9) if args.use_sgd else torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs, eta_min=args.lr)
    for epoch in range(args.epochs):
        model.train()
        train_pred, train_true = [], []
        for data, label in loader:
            label = label.squeeze()
            data = data.permute(0, 2, 1)  #! permute(0, 2, 1) => permute(0, 1, 2)
            batch_size = data.size()[0]
            opt.zero_grad()
            logits, parts = model(data)
            loss = cal_loss(logits, label) + parts.logsumexp(1).mean()
            loss.backward()
            opt.step()
            preds = logits.max(dim=1)[1]
            train_true.append(label.cpu().numpy())
            train_pred.append(preds.detach().cpu().numpy())
        scheduler.step()
        train_true, train_pred = np.concatenate(train_true), np.concatenate(train_pred)
        accuracy = (train_true == train_pred).mean()
        reveal_type(parts)
    model.eval()
    preds = []
    with torch.no_grad():
        for data, label in test_loader:
            preds.append(model(data.permute(0, 2, 1))[0].max(dim=1)[1])
    reveal_type(torch.cat(preds))
    reveal_type(logits)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Point Cloud Recognition")
    parser.add_argument("--batch_size", type=int, default=6, metavar="batch_size")
    parser.add_argument("--test_batch_size", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--use_sgd", type=bool, default=True)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--num_points", type=int, default=64)
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--emb_dims", type=int, default=40)
    parser.add_argument("--k", type=int, default=8)
    train(parser.parse_args())
