"""A Lightning project: a variational autoencoder module, a data module with splits, callbacks, a trainer, prediction."""
import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Digits(L.LightningDataModule):
    def __init__(self, n=90, batch_size=32):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        data = TensorDataset(torch.rand(self.hparams.n, 1, 28, 28), torch.arange(self.hparams.n) % 10)
        self.train, self.val = random_split(data, [70, self.hparams.n - 70])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.hparams.batch_size)


class VAE(L.LightningModule):
    def __init__(self, latent=8, widths=(16, 32), lr=1e-3, beta=1.0):
        super().__init__()
        self.save_hyperparameters()
        enc, c = [], 1
        for w in widths:
            enc += [nn.Conv2d(c, w, 3, 2, 1), nn.ReLU()]
            c = w
        self.encoder = nn.Sequential(*enc, nn.Flatten())
        self.mu, self.logvar = nn.Linear(widths[-1] * 49, latent), nn.Linear(widths[-1] * 49, latent)  #! nn.Linear(widths[-1] * 49, latent), nn.Linear => nn.Linear(widths[-1] * 64, latent), nn.Linear
        self.up = nn.Linear(latent, widths[-1] * 49)
        dec = []
        for a, b in zip(widths[::-1], [*widths[:-1][::-1], 1]):
            dec += [nn.ConvTranspose2d(a, b, 4, 2, 1), nn.ReLU()]
        self.decoder = nn.Sequential(nn.Unflatten(1, (widths[-1], 7, 7)), *dec[:-1])
        self.classifier = nn.Linear(latent, 10)

    def encode(self, x):
        h = self.encoder(x)
        return self.mu(h), self.logvar(h)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.decoder(self.up(z)), mu, logvar

    def _step(self, batch, name):
        x, y = batch
        recon, mu, logvar = self(x)
        rec = F.binary_cross_entropy_with_logits(recon, x, reduction="sum") / x.size(0)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
        cls = F.cross_entropy(self.classifier(mu), y)
        loss = rec + self.hparams.beta * kl + cls
        self.log_dict({f"{name}/loss": loss, f"{name}/kl": kl}, prog_bar=True)
        return loss

    def training_step(self, batch, batch_idx):
        return self._step(batch, "train")

    def validation_step(self, batch, batch_idx):
        self._step(batch, "val")

    def predict_step(self, batch, batch_idx):
        x = batch[0] if isinstance(batch, (list, tuple)) else batch
        return self.encode(x)[0]

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=10)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "epoch"}}


def main():
    L.seed_everything(7)
    data, model = Digits(), VAE(latent=6)
    trainer = L.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, callbacks=[EarlyStopping("val/loss")])
    trainer.fit(model, datamodule=data)
    recon, mu, logvar = model(torch.rand(4, 1, 28, 28))  #! 4, 1, 28, 28 => 4, 3, 28, 28
    reveal_type(recon)
    reveal_type(mu)
    reveal_type(model.up.weight)
    codes = trainer.predict(model, DataLoader(torch.rand(10, 1, 28, 28), batch_size=5))
    reveal_type(torch.stack([torch.zeros(5, 6), mu.new_ones(5, 6)]))
    grid = model.decoder(model.up(torch.randn(16, 6)))  #! torch.randn(16, 6) => torch.randn(16, 8)
    reveal_type(grid)


if __name__ == "__main__":
    main()
