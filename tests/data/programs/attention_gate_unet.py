# U-Net with attention gates (Oktay et al.) on images whose sizes are odd
import random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader, random_split

H, W = 83, 101
N_CLASSES = 3


class Blobs(Dataset):
    def __init__(self, n=24, h=H, w=W):
        self.n, self.h, self.w = n, h, w

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng(i)
        yy, xx = np.mgrid[0:self.h, 0:self.w]
        img = np.zeros((self.h, self.w), dtype=np.float32)
        label = np.zeros((self.h, self.w), dtype=np.int64)
        for k in range(3):
            cy, cx, r = rng.integers(10, 70), rng.integers(10, 90), rng.integers(4, 12)
            inside = (yy - cy) ** 2 + (xx - cx) ** 2 < r ** 2
            img[inside] += 0.5 + 0.2 * k
            label[inside] = 1 + k % 2
        img = np.stack([img, yy / self.h, xx / self.w], axis=0).astype(np.float32)  #! axis=0 => axis=-1
        return torch.from_numpy(img), torch.from_numpy(label)


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))  #! nn.Conv2d(cout, cout => nn.Conv2d(cin, cout


class AttentionGate(nn.Module):
    def __init__(self, F_g, F_l, F_int):
        super(AttentionGate, self).__init__()
        self.W_g = nn.Sequential(nn.Conv2d(F_g, F_int, kernel_size=1), nn.BatchNorm2d(F_int))
        self.W_x = nn.Sequential(nn.Conv2d(F_l, F_int, kernel_size=1), nn.BatchNorm2d(F_int))  #! F_l, F_int => F_int, F_l
        self.psi = nn.Sequential(nn.Conv2d(F_int, 1, kernel_size=1), nn.BatchNorm2d(1), nn.Sigmoid())  #! nn.BatchNorm2d(1) => nn.BatchNorm2d(F_int)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, g, x):
        g1 = self.W_g(g)
        x1 = self.W_x(x)
        psi = self.relu(g1 + x1)
        psi = self.psi(psi)
        return x * psi


class AttUNet(nn.Module):
    def __init__(self, img_ch=3, output_ch=N_CLASSES, base=8):
        super().__init__()
        n = [base * 2 ** i for i in range(4)]
        self.pool = nn.MaxPool2d(2, 2)
        self.enc = nn.ModuleList([double_conv(c, d) for c, d in zip([img_ch] + n[:-1], n)])  #! [img_ch] + n[:-1] => [img_ch] + n[1:]
        self.up, self.att, self.dec = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for small, big in zip(n[-2::-1], n[:0:-1]):
            self.up.append(nn.ConvTranspose2d(big, small, 2, stride=2))
            self.att.append(AttentionGate(small, small, small // 2))
            self.dec.append(double_conv(2 * small, small))  #! 2 * small => small
        self.head = nn.Conv2d(n[0], output_ch, 1)

    def forward(self, x):
        skips = []
        for i, e in enumerate(self.enc):
            if i > 0:
                x = self.pool(x)
            x = e(x)
            skips.append(x)
        skips.pop()
        for up, att, dec in zip(self.up, self.att, self.dec):
            skip = skips.pop()
            x = up(x)
            dy, dx = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
            x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])  #! dx - dx // 2 => dx // 2
            skip = att(x, skip)
            x = dec(torch.cat((skip, x), dim=1))
        return self.head(x)


def dice_loss(logits, target, eps=1.0):
    probs = logits.softmax(dim=1)
    onehot = F.one_hot(target, N_CLASSES).permute(0, 3, 1, 2).float()  #! .permute(0, 3, 1, 2) => .permute(0, 3, 2, 1)
    reveal_type(onehot)
    inter = (probs * onehot).sum(dim=(2, 3))
    union = probs.sum(dim=(2, 3)) + onehot.sum(dim=(2, 3))
    return 1 - ((2 * inter + eps) / (union + eps)).mean()


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    full = Blobs()
    n_val = int(len(full) * 0.25)
    train_set, val_set = random_split(full, [len(full) - n_val, n_val])
    train_loader = DataLoader(train_set, batch_size=5, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=2)
    net = AttUNet()
    opt = torch.optim.RMSprop(net.parameters(), lr=1e-4, weight_decay=1e-8, momentum=0.9)
    for epoch in range(1):
        net.train()
        for images, masks in train_loader:
            out = net(images)
            loss = F.cross_entropy(out, masks) + dice_loss(out, masks)  #! F.cross_entropy(out, masks) => F.cross_entropy(out, masks[:, None])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
        reveal_type(out)
        net.eval()
        hits = torch.zeros(N_CLASSES)
        with torch.no_grad():
            for images, masks in val_loader:
                pred = net(images).argmax(1)
                for c in range(N_CLASSES):
                    hits[c] += ((pred == c) & (masks == c)).sum()  #! masks == c => masks[0, 0] == c
        reveal_type(pred)
