"""Image-to-image translation with two generators, patch discriminators, an image pool and identity loss."""
import functools
import itertools
import random

import torch
import torch.nn as nn
from torch.optim import lr_scheduler


class ImagePool:
    def __init__(self, pool_size):
        self.pool_size = pool_size
        self.images = []

    def query(self, images):
        out = []
        for image in images:
            image = torch.unsqueeze(image.data, 0)  #! torch.unsqueeze(image.data, 0) => image.data
            if len(self.images) < self.pool_size:
                self.images.append(image)
                out.append(image)
            elif random.uniform(0, 1) > 0.5:
                idx = random.randint(0, self.pool_size - 1)
                tmp = self.images[idx].clone()
                self.images[idx] = image
                out.append(tmp)
            else:
                out.append(image)
        return torch.cat(out, 0)


def get_norm_layer(norm_type="instance"):
    if norm_type == "batch":
        return functools.partial(nn.BatchNorm2d, affine=True, track_running_stats=True)
    elif norm_type == "instance":
        return functools.partial(nn.InstanceNorm2d, affine=False, track_running_stats=False)
    raise NotImplementedError("normalization layer [%s] is not found" % norm_type)


class ResnetBlock(nn.Module):
    def __init__(self, dim, padding_type, norm_layer, use_dropout, use_bias):
        super(ResnetBlock, self).__init__()
        conv_block = []
        p = 0
        if padding_type == "reflect":
            conv_block += [nn.ReflectionPad2d(1)]
        elif padding_type == "zero":
            p = 1
        conv_block += [nn.Conv2d(dim, dim, kernel_size=3, padding=p, bias=use_bias), norm_layer(dim), nn.ReLU(True)]
        if use_dropout:
            conv_block += [nn.Dropout(0.5)]
        if padding_type == "reflect":
            conv_block += [nn.ReflectionPad2d(1)]  #! [nn.ReflectionPad2d(1)] => [nn.ReflectionPad2d(2)]
        conv_block += [nn.Conv2d(dim, dim, kernel_size=3, padding=p, bias=use_bias), norm_layer(dim)]
        self.conv_block = nn.Sequential(*conv_block)

    def forward(self, x):
        return x + self.conv_block(x)


class ResnetGenerator(nn.Module):
    def __init__(self, input_nc, output_nc, ngf=16, norm_layer=nn.BatchNorm2d, use_dropout=False, n_blocks=3, padding_type="reflect"):
        super(ResnetGenerator, self).__init__()
        use_bias = norm_layer.func == nn.InstanceNorm2d if type(norm_layer) == functools.partial else norm_layer == nn.InstanceNorm2d
        model = [nn.ReflectionPad2d(3), nn.Conv2d(input_nc, ngf, kernel_size=7, padding=0, bias=use_bias), norm_layer(ngf), nn.ReLU(True)]
        n_downsampling = 2
        for i in range(n_downsampling):
            mult = 2 ** i
            model += [nn.Conv2d(ngf * mult, ngf * mult * 2, kernel_size=3, stride=2, padding=1, bias=use_bias), norm_layer(ngf * mult * 2), nn.ReLU(True)]  #! ngf * mult, ngf => ngf, ngf
        mult = 2 ** n_downsampling  #! 2 ** n_downsampling => 2 * n_downsampling + 1
        for i in range(n_blocks):
            model += [ResnetBlock(ngf * mult, padding_type=padding_type, norm_layer=norm_layer, use_dropout=use_dropout, use_bias=use_bias)]
        for i in range(n_downsampling):
            mult = 2 ** (n_downsampling - i)
            model += [
                nn.ConvTranspose2d(ngf * mult, int(ngf * mult / 2), kernel_size=3, stride=2, padding=1, output_padding=1, bias=use_bias),  #! output_padding=1, bias => bias
                norm_layer(int(ngf * mult / 2)),
                nn.ReLU(True),
            ]
        model += [nn.ReflectionPad2d(3)]
        model += [nn.Conv2d(ngf, output_nc, kernel_size=7, padding=0)]
        model += [nn.Tanh()]
        self.model = nn.Sequential(*model)

    def forward(self, input):
        return self.model(input)


class NLayerDiscriminator(nn.Module):
    def __init__(self, input_nc, ndf=16, n_layers=2, norm_layer=nn.BatchNorm2d):
        super(NLayerDiscriminator, self).__init__()
        kw, padw = 4, 1
        sequence = [nn.Conv2d(input_nc, ndf, kernel_size=kw, stride=2, padding=padw), nn.LeakyReLU(0.2, True)]
        nf_mult = 1
        for n in range(1, n_layers):
            nf_mult_prev = nf_mult
            nf_mult = min(2 ** n, 8)
            sequence += [nn.Conv2d(ndf * nf_mult_prev, ndf * nf_mult, kernel_size=kw, stride=2, padding=padw), norm_layer(ndf * nf_mult), nn.LeakyReLU(0.2, True)]  #! nf_mult_prev, ndf => nf_mult, ndf
        sequence += [nn.Conv2d(ndf * nf_mult, 1, kernel_size=kw, stride=1, padding=padw)]
        self.model = nn.Sequential(*sequence)

    def forward(self, input):
        return self.model(input)


class GANLoss(nn.Module):
    def __init__(self, gan_mode, target_real_label=1.0, target_fake_label=0.0):
        super(GANLoss, self).__init__()
        self.register_buffer("real_label", torch.tensor(target_real_label))
        self.register_buffer("fake_label", torch.tensor(target_fake_label))
        self.loss = {"lsgan": nn.MSELoss, "vanilla": nn.BCEWithLogitsLoss}[gan_mode]()

    def get_target_tensor(self, prediction, target_is_real):
        target_tensor = self.real_label if target_is_real else self.fake_label
        return target_tensor.expand_as(prediction)

    def __call__(self, prediction, target_is_real):
        return self.loss(prediction, self.get_target_tensor(prediction, target_is_real))


class CycleGAN:
    def __init__(self, nc_a=3, nc_b=3):
        norm = get_norm_layer()
        self.netG_A = ResnetGenerator(nc_a, nc_b, norm_layer=norm)
        self.netG_B = ResnetGenerator(nc_b, nc_a, norm_layer=norm)  #! nc_b, nc_a, => nc_b, nc_a + 1,
        self.netD_A = NLayerDiscriminator(nc_b, norm_layer=norm)
        self.netD_B = NLayerDiscriminator(nc_a, norm_layer=norm)
        self.pools = {"A": ImagePool(4), "B": ImagePool(4)}
        self.criterionGAN = GANLoss("lsgan")
        self.criterionCycle = torch.nn.L1Loss()
        self.optimizers = [
            torch.optim.Adam(itertools.chain(self.netG_A.parameters(), self.netG_B.parameters()), lr=2e-4),
            torch.optim.Adam(itertools.chain(self.netD_A.parameters(), self.netD_B.parameters()), lr=2e-4),
        ]
        self.schedulers = [lr_scheduler.LambdaLR(o, lr_lambda=lambda epoch: 1.0 - max(0, epoch - 10) / 11) for o in self.optimizers]

    def forward(self):
        self.fake_B = self.netG_A(self.real_A)
        self.rec_A = self.netG_B(self.fake_B)
        self.fake_A = self.netG_B(self.real_B)
        self.rec_B = self.netG_A(self.fake_A)

    def backward_D(self, netD, real, fake):
        loss = (self.criterionGAN(netD(real), True) + self.criterionGAN(netD(fake.detach()), False)) * 0.5
        loss.backward()
        return loss

    def optimize_parameters(self, batch):
        self.real_A, self.real_B = batch["A"], batch["B"]
        self.forward()
        self.optimizers[0].zero_grad()
        loss_G = self.criterionGAN(self.netD_A(self.fake_B), True) + self.criterionGAN(self.netD_B(self.fake_A), True)
        loss_G = loss_G + 10 * self.criterionCycle(self.rec_A, self.real_A) + 10 * self.criterionCycle(self.rec_B, self.real_B)
        loss_G.backward()
        self.optimizers[0].step()
        self.optimizers[1].zero_grad()
        for name in ["A", "B"]:
            other = "B" if name == "A" else "A"
            fake = self.pools[name].query(getattr(self, f"fake_{other}"))
            self.backward_D(getattr(self, f"netD_{name}"), getattr(self, f"real_{other}"), fake)
        self.optimizers[1].step()


model = CycleGAN()
for i in range(3):
    model.optimize_parameters({"A": torch.rand(1, 3, 32, 32), "B": torch.rand(1, 3, 32, 32)})  #! "B": torch.rand(1, 3, 32, 32) => "B": torch.rand(1, 1, 32, 32)
for scheduler in model.schedulers:
    scheduler.step()
reveal_type(model.rec_A)
reveal_type(model.netD_A(model.fake_B))
