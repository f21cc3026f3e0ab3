# StyleGAN2-like generator: mapping network, modulated grouped convolutions, noise, skip RGB, minibatch stddev discriminator, R1
import math
import torch
from torch import nn, autograd, optim
from torch.nn import functional as F


class PixelNorm(nn.Module):
    def forward(self, input):
        return input * torch.rsqrt(torch.mean(input ** 2, dim=1, keepdim=True) + 1e-8)  #! keepdim=True => keepdim=False


class EqualLinear(nn.Module):
    def __init__(self, in_dim, out_dim, bias=True, bias_init=0, lr_mul=1, activation=None):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_dim, in_dim).div_(lr_mul))
        self.bias = nn.Parameter(torch.zeros(out_dim).fill_(bias_init)) if bias else None
        self.activation = activation
        self.scale = (1 / math.sqrt(in_dim)) * lr_mul
        self.lr_mul = lr_mul

    def forward(self, input):
        out = F.linear(input, self.weight * self.scale, bias=self.bias * self.lr_mul)  #! self.weight * self.scale => self.weight.t() * self.scale
        if self.activation:
            out = F.leaky_relu(out, 0.2) * math.sqrt(2)
        return out


class ModulatedConv2d(nn.Module):
    def __init__(self, in_channel, out_channel, kernel_size, style_dim, demodulate=True, upsample=False):
        super().__init__()
        self.kernel_size, self.in_channel, self.out_channel = kernel_size, in_channel, out_channel
        self.upsample, self.demodulate = upsample, demodulate
        self.scale = 1 / math.sqrt(in_channel * kernel_size ** 2)
        self.weight = nn.Parameter(torch.randn(1, out_channel, in_channel, kernel_size, kernel_size))  #! 1, out_channel, in_channel => 1, in_channel, out_channel
        self.modulation = EqualLinear(style_dim, in_channel, bias_init=1)

    def forward(self, input, style):
        batch, in_channel, height, width = input.shape
        style = self.modulation(style).view(batch, 1, in_channel, 1, 1)
        weight = self.scale * self.weight * style
        if self.demodulate:
            demod = torch.rsqrt(weight.pow(2).sum([2, 3, 4]) + 1e-8)
            weight = weight * demod.view(batch, self.out_channel, 1, 1, 1)  #! demod.view(batch, self.out_channel => demod.view(batch, in_channel + 1
        weight = weight.view(batch * self.out_channel, in_channel, self.kernel_size, self.kernel_size)
        if self.upsample:
            input = F.interpolate(input, scale_factor=2, mode="bilinear", align_corners=False)
            height, width = height * 2, width * 2
        input = input.reshape(1, batch * in_channel, height, width)
        out = F.conv2d(input, weight, padding=self.kernel_size // 2, groups=batch)  #! groups=batch => groups=1
        return out.view(batch, self.out_channel, height, width)


class StyledConv(nn.Module):
    def __init__(self, cin, cout, style_dim, upsample=False):
        super().__init__()
        self.conv = ModulatedConv2d(cin, cout, 3, style_dim, upsample=upsample)
        self.noise_weight = nn.Parameter(torch.zeros(1))
        self.bias = nn.Parameter(torch.zeros(1, cout, 1, 1))

    def forward(self, x, style, noise=None):
        out = self.conv(x, style)
        if noise is None:
            b, _, h, w = out.shape
            noise = out.new_empty(b, 1, h, w).normal_()  #! b, 1, h, w => b, h, w
        return F.leaky_relu(out + self.noise_weight * noise + self.bias, 0.2)


class ToRGB(nn.Module):
    def __init__(self, cin, style_dim):
        super().__init__()
        self.conv = ModulatedConv2d(cin, 3, 1, style_dim, demodulate=False)
        self.bias = nn.Parameter(torch.zeros(1, 3, 1, 1))

    def forward(self, x, style, skip=None):
        out = self.conv(x, style) + self.bias
        if skip is not None:
            out = out + F.interpolate(skip, scale_factor=2)
        return out


class Generator(nn.Module):
    def __init__(self, size, style_dim=32, n_mlp=4):
        super().__init__()
        self.style = nn.Sequential(PixelNorm(), *[EqualLinear(style_dim, style_dim, lr_mul=0.01, activation="fused_lrelu") for _ in range(n_mlp)])
        self.channels = {4: 32, 8: 24, 16: 16, 32: 8}
        self.log_size = int(math.log(size, 2))
        self.num_layers = (self.log_size - 2) * 2 + 1
        self.n_latent = self.log_size * 2 - 2
        self.input = nn.Parameter(torch.randn(1, self.channels[4], 4, 4))
        self.conv1 = StyledConv(self.channels[4], self.channels[4], style_dim)
        self.to_rgb1 = ToRGB(self.channels[4], style_dim)
        self.convs, self.to_rgbs = nn.ModuleList(), nn.ModuleList()
        in_channel = self.channels[4]
        for i in range(3, self.log_size + 1):
            out_channel = self.channels[2 ** i]
            self.convs.append(StyledConv(in_channel, out_channel, style_dim, upsample=True))
            self.convs.append(StyledConv(out_channel, out_channel, style_dim))  #! out_channel, out_channel => in_channel, out_channel
            self.to_rgbs.append(ToRGB(out_channel, style_dim))
            in_channel = out_channel

    def forward(self, styles, mix_at=None):
        styles = [self.style(s) for s in styles]
        if len(styles) < 2:
            latent = styles[0].unsqueeze(1).repeat(1, self.n_latent, 1)
        else:
            mix_at = mix_at or self.n_latent // 2
            a = styles[0].unsqueeze(1).repeat(1, mix_at, 1)
            b = styles[1].unsqueeze(1).repeat(1, self.n_latent - mix_at, 1)
            latent = torch.cat([a, b], 1)  #! torch.cat([a, b], 1) => torch.cat([a, b], 0)
        out = self.input.repeat(latent.shape[0], 1, 1, 1)
        out = self.conv1(out, latent[:, 0])
        skip = self.to_rgb1(out, latent[:, 1])
        i = 1
        for conv1, conv2, to_rgb in zip(self.convs[::2], self.convs[1::2], self.to_rgbs):
            out = conv1(out, latent[:, i])
            out = conv2(out, latent[:, i + 1])
            skip = to_rgb(out, latent[:, i + 2], skip)
            i += 2
        return skip, latent


class Discriminator(nn.Module):
    def __init__(self, size, widths=(8, 16, 24, 32)):
        super().__init__()
        convs = [nn.Conv2d(3, widths[0], 1)]
        for a, b in zip(widths, widths[1:]):
            convs += [nn.Conv2d(a, b, 3, padding=1), nn.LeakyReLU(0.2), nn.AvgPool2d(2)]
        self.convs = nn.Sequential(*convs)
        self.stddev_group = 4
        self.final_conv = nn.Conv2d(widths[-1] + 1, widths[-1], 3, padding=1)  #! widths[-1] + 1 => widths[-1]
        self.final_linear = nn.Sequential(EqualLinear(widths[-1] * 4 * 4, widths[-1], activation="x"), EqualLinear(widths[-1], 1))

    def forward(self, input):
        out = self.convs(input)
        batch, channel, height, width = out.shape
        group = min(batch, self.stddev_group)
        stddev = out.view(group, -1, 1, channel, height, width)
        stddev = torch.sqrt(stddev.var(0, unbiased=False) + 1e-8).mean([2, 3, 4], keepdims=True).squeeze(2)
        stddev = stddev.repeat(group, 1, height, width)  #! group, 1, height, width => 1, 1, height, width
        out = self.final_conv(torch.cat([out, stddev], 1))
        return self.final_linear(out.view(batch, -1))


def r1(real_pred, real_img):
    (grad_real,) = autograd.grad(outputs=real_pred.sum(), inputs=real_img, create_graph=True)
    return grad_real.pow(2).reshape(grad_real.shape[0], -1).sum(1).mean()


g, d = Generator(32), Discriminator(32)
g_opt, d_opt = optim.Adam(g.parameters(), lr=2e-3, betas=(0.0, 0.99)), optim.Adam(d.parameters(), lr=2e-3, betas=(0.0, 0.99))
for i in range(2):
    real = torch.randn(8, 3, 32, 32, requires_grad=True)
    fake, _ = g([torch.randn(8, 32), torch.randn(8, 32)] if i % 2 else [torch.randn(8, 32)])
    reveal_type(fake)
    fake_pred, real_pred = d(fake.detach()), d(real)
    d_loss = F.softplus(-real_pred).mean() + F.softplus(fake_pred).mean() + 10 * r1(real_pred, real)
    d_opt.zero_grad(); d_loss.backward(); d_opt.step()
    g_loss = F.softplus(-d(fake)).mean()
    g_opt.zero_grad(); g_loss.backward(); g_opt.step()
reveal_type(fake_pred)
