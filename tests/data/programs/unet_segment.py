"""A U-Net with skip connections, trained on random masks, with a Dice score."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader, random_split


class DoubleConv(nn.Module):
    """(convolution => [BN] => ReLU) * 2"""

    def __init__(self, in_channels, out_channels, mid_channels=None):
        super().__init__()
        if not mid_channels:
            mid_channels = out_channels
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, mid_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(mid_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(mid_channels, out_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),  #! out_channels => in_channels
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(in_channels, out_channels))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, in_channels, out_channels, bilinear=True):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(in_channels, out_channels, in_channels // 2)
        else:
            self.up = nn.ConvTranspose2d(in_channels, in_channels // 2, kernel_size=2, stride=2)
            self.conv = DoubleConv(in_channels, out_channels)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        diff_y = x2.size()[2] - x1.size()[2]
        diff_x = x2.size()[3] - x1.size()[3]
        x1 = F.pad(x1, [diff_x // 2, diff_x - diff_x // 2, diff_y // 2, diff_y - diff_y // 2])  #! x1 = F.pad => F.pad
        x = torch.cat([x2, x1], dim=1)  #! dim=1 => dim=2
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, n_channels, n_classes, bilinear=False):
        super().__init__()
        self.inc = DoubleConv(n_channels, 8)
        self.down1 = Down(8, 16)
        self.down2 = Down(16, 32)
        factor = 2 if bilinear else 1
        self.down3 = Down(32, 64 // factor)
        self.up1 = Up(64, 32 // factor, bilinear)
        self.up2 = Up(32, 16 // factor, bilinear)  #! 32, 16 => 64, 16
        self.up3 = Up(16, 8, bilinear)
        self.outc = nn.Conv2d(8, n_classes, kernel_size=1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x4 = self.down3(x3)
        x = self.up1(x4, x3)
        x = self.up2(x, x2)
        x = self.up3(x, x1)  #! x, x1 => x, x2
        logits = self.outc(x)
        return logits


class Masks(Dataset):
    def __init__(self, n=30, size=(50, 70)):
        self.n, self.size = n, size

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        img = torch.rand(3, *self.size)
        mask = (img.mean(0) > 0.5).long()  #! img.mean(0) => img.mean(1)
        return {"image": img, "mask": mask}


def dice(pred, target, eps=1e-6):
    pred = F.one_hot(pred, 2).permute(0, 3, 1, 2).float()  #! 0, 3, 1, 2 => 0, 2, 1, 3
    target = F.one_hot(target, 2).permute(0, 3, 1, 2).float()
    inter = 2 * (pred * target).sum(dim=(-1, -2))
    sets = pred.sum(dim=(-1, -2)) + target.sum(dim=(-1, -2))
    return ((inter + eps) / (sets + eps)).mean()


@torch.inference_mode()
def evaluate(net, loader):
    net.eval()
    score = 0
    for batch in loader:
        pred = net(batch["image"]).argmax(dim=1)
        reveal_type(pred)
        score += dice(pred, batch["mask"])
    net.train()
    return score / max(len(loader), 1)


def train():
    dataset = Masks()
    n_val = int(len(dataset) * 0.2)
    n_train = len(dataset) - n_val
    train_set, val_set = random_split(dataset, [n_train, n_val], generator=torch.Generator().manual_seed(0))
    args = dict(batch_size=4, num_workers=0)
    train_loader = DataLoader(train_set, shuffle=True, **args)
    val_loader = DataLoader(val_set, shuffle=False, drop_last=True, **args)
    net = UNet(3, 2)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-4, momentum=0.9, foreach=True)
    criterion = nn.CrossEntropyLoss()
    for batch in train_loader:
        images, true_masks = batch["image"], batch["mask"]
        masks_pred = net(images)
        loss = criterion(masks_pred, true_masks)  #! true_masks) => true_masks.unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    reveal_type(masks_pred.shape[1:])
    print(evaluate(net, val_loader))


if __name__ == "__main__":
    train()
