"""A fully connected GAN on 28 by 28 images, trained with two optimizers."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--latent-dim", type=int, default=64)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--img-size", type=int, default=28)
parser.add_argument("--channels", type=int, default=1)
opt = parser.parse_args()

img_shape = (opt.channels, opt.img_size, opt.img_size)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()

        def block(in_feat, out_feat, normalize=True):
            layers = [nn.Linear(in_feat, out_feat)]
            if normalize:
                layers.append(nn.BatchNorm1d(out_feat, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.model = nn.Sequential(
            *block(opt.latent_dim, 128, normalize=False),
            *block(128, 256),  #! 128, 256 => 256, 256
            *block(256, 512),
            nn.Linear(512, int(np.prod(img_shape))),  #! np.prod(img_shape) => np.sum(img_shape)
            nn.Tanh(),
        )

    def forward(self, z):
        img = self.model(z)
        img = img.view(img.size(0), *img_shape)
        return img


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(int(np.prod(img_shape)), 512),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(512, 256),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(256, 1),
            nn.Sigmoid(),
        )

    def forward(self, img):
        img_flat = img.view(img.size(0), -1)  #! img.view(img.size(0), -1) => img
        validity = self.model(img_flat)
        return validity


adversarial_loss = nn.BCELoss()
generator = Generator()
discriminator = Discriminator()
images = torch.rand(256, *img_shape)
dataloader = DataLoader(TensorDataset(images, torch.zeros(256)), batch_size=opt.batch_size, shuffle=True)
optimizer_G = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))

for epoch in range(1):
    for i, (imgs, _) in enumerate(dataloader):
        valid = torch.ones(imgs.size(0), 1)  #! imgs.size(0), 1 => imgs.size(0)
        fake = torch.zeros(imgs.shape[0], 1)

        optimizer_G.zero_grad()
        z = torch.tensor(np.random.normal(0, 1, (imgs.shape[0], opt.latent_dim)), dtype=torch.float32)  #! opt.latent_dim)), dtype => 100)), dtype
        gen_imgs = generator(z)
        reveal_type(gen_imgs)
        g_loss = adversarial_loss(discriminator(gen_imgs), valid)
        g_loss.backward()
        optimizer_G.step()

        optimizer_D.zero_grad()
        real_loss = adversarial_loss(discriminator(imgs), valid)
        fake_loss = adversarial_loss(discriminator(gen_imgs.detach()), fake)
        d_loss = (real_loss + fake_loss) / 2
        d_loss.backward()
        optimizer_D.step()
        batches_done = epoch * len(dataloader) + i
