"""A segmentation project with PyTorch Lightning: data module over arrays on disk, a U-Net from a list of widths, and metrics."""
import tempfile
from argparse import ArgumentParser
from pathlib import Path

import lightning as L
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, Subset
from torchmetrics.classification import MulticlassAccuracy, MulticlassJaccardIndex


class TileDataset(Dataset):
    def __init__(self, folder, crop=32, augment=False):
        self.files = sorted(Path(folder).glob("*_image.npy"))
        self.crop, self.augment = crop, augment

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        image = np.load(self.files[index]).astype(np.float32)
        label = np.load(str(self.files[index]).replace("_image", "_label"))
        height, width = label.shape
        top = np.random.randint(0, height - self.crop + 1)
        left = np.random.randint(0, width - self.crop + 1)
        window = slice(top, top + self.crop), slice(left, left + self.crop)
        image, label = image[window], label[window]
        if self.augment and np.random.rand() < 0.5:
            image, label = image[:, ::-1].copy(), label[:, ::-1].copy()
        image = (image - image.mean((0, 1))) / (image.std((0, 1)) + 1e-6)
        return torch.from_numpy(image).permute(2, 0, 1), torch.from_numpy(label).long()


class TileData(L.LightningDataModule):
    def __init__(self, folder, batch_size=3, crop=32):
        super().__init__()
        self.save_hyperparameters()

    def prepare_data(self):
        rng = np.random.default_rng(0)
        for i in range(8):
            np.save(Path(self.hparams.folder, f"{i}_image.npy"), rng.integers(0, 255, (40, 44, 4), dtype=np.uint8))
            np.save(Path(self.hparams.folder, f"{i}_label.npy"), rng.integers(0, 5, (40, 44), dtype=np.uint8))

    def setup(self, stage=None):
        full = TileDataset(self.hparams.folder, self.hparams.crop, augment=True)
        self.train_set = Subset(full, range(0, 6))
        self.val_set = Subset(TileDataset(self.hparams.folder, self.hparams.crop), range(6, 8))

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=1)


class DoubleConv(nn.Sequential):
    def __init__(self, cin, cout, dropout=0.0):
        super().__init__(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False),
            nn.GroupNorm(min(8, cout), cout),  #! min(8, cout), cout => min(8, cout), cin
            nn.SiLU(inplace=True),
            nn.Conv2d(cout, cout, 3, padding=1, bias=False),
            nn.GroupNorm(min(8, cout), cout),
            nn.SiLU(inplace=True),
            nn.Dropout2d(dropout),
        )


class Up(nn.Module):
    def __init__(self, cin, skip, cout, bilinear=True):
        super().__init__()
        if bilinear:
            self.up = nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.Conv2d(cin, skip, 1))
        else:
            self.up = nn.ConvTranspose2d(cin, skip, 2, stride=2)  #! (cin, skip, 2, => (skip, skip, 2,
        self.conv = DoubleConv(2 * skip, cout)

    def forward(self, x, skip):
        x = self.up(x)
        dy, dx = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
        x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.conv(torch.cat([skip, x], dim=1))  #! torch.cat([skip, x], dim=1) => skip + x


class UNet(nn.Module):
    def __init__(self, in_channels, num_classes, widths=(16, 32, 64), bilinear=True):
        super().__init__()
        self.stem = DoubleConv(in_channels, widths[0])
        self.downs = nn.ModuleList()
        for cin, cout in zip(widths, widths[1:]):
            self.downs.append(nn.Sequential(nn.MaxPool2d(2), DoubleConv(cin, cout, 0.1)))
        self.ups = nn.ModuleList(Up(c, s, s, bilinear) for c, s in zip(widths[:0:-1], widths[-2::-1]))  #! widths[-2::-1] => widths[::-1]
        self.head = nn.Conv2d(widths[0], num_classes, 1)

    def forward(self, x):
        skips = [self.stem(x)]
        for down in self.downs:
            skips.append(down(skips[-1]))
        x = skips.pop()
        for up in self.ups:
            x = up(x, skips.pop())
        return self.head(x)


def dice_loss(logits, target, smooth=1.0):
    probs = logits.softmax(1)
    one_hot = F.one_hot(target, logits.size(1)).permute(0, 3, 1, 2).float()  #! .permute(0, 3, 1, 2).float() => .float()
    dims = (0, 2, 3)
    inter = (probs * one_hot).sum(dims)
    return 1 - ((2 * inter + smooth) / (probs.sum(dims) + one_hot.sum(dims) + smooth)).mean()


class SegmentationModule(L.LightningModule):
    def __init__(self, num_classes=5, in_channels=4, lr=1e-3, bilinear=False):
        super().__init__()
        self.save_hyperparameters()
        self.net = UNet(in_channels, num_classes, bilinear=bilinear)  #! UNet(in_channels, num_classes, => UNet(3, num_classes,
        self.train_acc = MulticlassAccuracy(num_classes)
        self.iou = MulticlassJaccardIndex(num_classes)
        self.register_buffer("class_weights", torch.ones(num_classes))  #! torch.ones(num_classes) => torch.ones(num_classes - 1)
        self.outputs = []

    def forward(self, x):
        return self.net(x)

    def step(self, batch):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y, weight=self.class_weights) + dice_loss(logits, y)
        return loss, logits, y

    def training_step(self, batch, batch_idx):
        loss, logits, y = self.step(batch)
        reveal_type(logits)
        self.train_acc(logits.argmax(1), y)
        self.log("train_loss", loss, prog_bar=True)
        self.log("train_acc", self.train_acc, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        loss, logits, y = self.step(batch)
        self.iou.update(logits.argmax(1), y)
        self.outputs.append({"loss": loss, "entropy": -(logits.softmax(1) * logits.log_softmax(1)).sum(1)})
        self.log_dict({"val_loss": loss, "val_iou": self.iou})

    def on_validation_epoch_end(self):
        entropy = torch.cat([o["entropy"] for o in self.outputs]).flatten(1)
        losses = torch.stack([o["loss"] for o in self.outputs])
        reveal_type(entropy)
        self.log("val_entropy", (entropy.mean(1) * losses).mean())  #! entropy.mean(1) => entropy.mean(0)
        self.outputs.clear()

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"}}


def main():
    parser = ArgumentParser()
    parser.add_argument("--num_classes", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--bilinear", action="store_true")
    args = parser.parse_args()
    L.seed_everything(0)
    with tempfile.TemporaryDirectory() as folder:
        data = TileData(folder)
        model = SegmentationModule(num_classes=args.num_classes, bilinear=args.bilinear)
        trainer = L.Trainer(max_epochs=args.epochs, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, num_sanity_val_steps=0, enable_model_summary=False)
        trainer.fit(model, datamodule=data)
    model.eval()
    with torch.no_grad():
        odd = model(torch.randn(1, 4, 37, 50))  #! 1, 4, 37, 50 => 1, 3, 37, 50
    reveal_type(odd)


if __name__ == "__main__":
    main()
