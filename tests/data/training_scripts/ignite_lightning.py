import torch
import torch.nn as nn
import pytorch_lightning as pl
from torch.utils.data import DataLoader, TensorDataset


class Lit(pl.LightningModule):
    def __init__(self, schedule=True):
        super().__init__()
        self.f = nn.Linear(8, 1)
        self.schedule = schedule

    def training_step(self, batch, i):
        x, y = batch
        loss = nn.functional.mse_loss(self.f(x), y)
        if i % 10 == 0:
            self.log("loss", loss)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        for _ in range(2):
            self.f(x)

    def on_train_epoch_end(self):
        for p in self.parameters():
            p.sum()

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters())
        if self.schedule:
            return [opt], [torch.optim.lr_scheduler.StepLR(opt, 1)]
        return opt


data = DataLoader(TensorDataset(torch.rand(32, 8), torch.rand(32, 1)), 4)
pl.Trainer(max_epochs=2).fit(Lit(schedule=torch.cuda.is_available()), data, data)
