"""FixMatch with interleaved batches, a mean teacher, and a wide residual network; a trainer class with hooks by name."""
import copy
from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    def __init__(self, in_planes, out_planes, stride, drop_rate=0.0, activate_before_residual=False):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(in_planes, momentum=0.001)
        self.relu1 = nn.LeakyReLU(negative_slope=0.1, inplace=True)
        self.conv1 = nn.Conv2d(in_planes, out_planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_planes, momentum=0.001)
        self.relu2 = nn.LeakyReLU(negative_slope=0.1, inplace=True)
        self.conv2 = nn.Conv2d(out_planes, out_planes, kernel_size=3, stride=1, padding=1, bias=False)
        self.drop_rate = drop_rate
        self.equalInOut = in_planes == out_planes
        self.convShortcut = (not self.equalInOut) and nn.Conv2d(in_planes, out_planes, kernel_size=1, stride=stride, padding=0, bias=False) or None  #! stride=stride, padding=0 => stride=1, padding=0
        self.activate_before_residual = activate_before_residual

    def forward(self, x):
        if not self.equalInOut and self.activate_before_residual:
            x = self.relu1(self.bn1(x))
        else:
            out = self.relu1(self.bn1(x))
        out = self.relu2(self.bn2(self.conv1(out if self.equalInOut else x)))
        if self.drop_rate > 0:
            out = F.dropout(out, p=self.drop_rate, training=self.training)
        out = self.conv2(out)
        return torch.add(x if self.equalInOut else self.convShortcut(x), out)


class NetworkBlock(nn.Module):
    def __init__(self, nb_layers, in_planes, out_planes, block, stride, drop_rate=0.0, activate_before_residual=False):
        super().__init__()
        self.layer = self._make_layer(block, in_planes, out_planes, nb_layers, stride, drop_rate, activate_before_residual)

    def _make_layer(self, block, in_planes, out_planes, nb_layers, stride, drop_rate, activate_before_residual):
        layers = []
        for i in range(int(nb_layers)):
            layers.append(block(i == 0 and in_planes or out_planes, out_planes, i == 0 and stride or 1, drop_rate, activate_before_residual))  #! i == 0 and in_planes or out_planes => in_planes
        return nn.Sequential(*layers)

    def forward(self, x):
        return self.layer(x)


class WideResNet(nn.Module):
    def __init__(self, num_classes, depth=10, widen_factor=2, drop_rate=0.0):
        super().__init__()
        channels = [16, 16 * widen_factor, 32 * widen_factor, 64 * widen_factor]
        assert (depth - 4) % 6 == 0
        n = (depth - 4) / 6
        self.conv1 = nn.Conv2d(3, channels[0], kernel_size=3, stride=1, padding=1, bias=False)
        self.block1 = NetworkBlock(n, channels[0], channels[1], BasicBlock, 1, drop_rate, activate_before_residual=True)
        self.block2 = NetworkBlock(n, channels[1], channels[2], BasicBlock, 2, drop_rate)  #! channels[1], channels[2] => channels[0], channels[2]
        self.block3 = NetworkBlock(n, channels[2], channels[3], BasicBlock, 2, drop_rate)
        self.bn1 = nn.BatchNorm2d(channels[3], momentum=0.001)
        self.relu = nn.LeakyReLU(negative_slope=0.1, inplace=True)
        self.fc = nn.Linear(channels[3], num_classes)
        self.channels = channels[3]

    def forward(self, x):
        out = self.conv1(x)
        out = self.block1(out)
        out = self.block2(out)
        out = self.block3(out)
        out = self.relu(self.bn1(out))
        out = F.adaptive_avg_pool2d(out, 1)  #! F.adaptive_avg_pool2d(out, 1) => F.adaptive_avg_pool2d(out, 2)
        out = out.view(-1, self.channels)
        return self.fc(out)


class ModelEMA(object):
    def __init__(self, model, decay):
        self.ema = copy.deepcopy(model)
        self.ema.eval()
        self.decay = decay
        self.param_keys = [k for k, _ in self.ema.named_parameters()]
        self.buffer_keys = [k for k, _ in self.ema.named_buffers()]
        for p in self.ema.parameters():
            p.requires_grad_(False)

    def update(self, model):
        needs_module = hasattr(model, "module") and not hasattr(self.ema, "module")
        with torch.no_grad():
            msd = model.state_dict()
            esd = self.ema.state_dict()
            for k in self.param_keys:
                j = "module." + k if needs_module else k
                model_v = msd[j].detach()
                ema_v = esd[k]
                esd[k].copy_(ema_v * self.decay + (1.0 - self.decay) * model_v)
            for k in self.buffer_keys:
                esd[k].copy_(msd[k])


def interleave(x, size):
    s = list(x.shape)
    return x.reshape([-1, size] + s[1:]).transpose(0, 1).reshape([-1] + s[1:])  #! reshape([-1, size] + s[1:]) => reshape([-1, size] + s)


def de_interleave(x, size):
    s = list(x.shape)
    return x.reshape([size, -1] + s[1:]).transpose(0, 1).reshape([-1] + s[1:])


def weak(x):
    return torch.flip(x, dims=[3]) if torch.rand(()) < 0.5 else x


def strong(x):
    noisy = x + 0.1 * torch.randn_like(x)
    cut = torch.ones_like(x[:, :1])
    cut[..., 4:12, 4:12] = 0
    return noisy * cut


class Trainer:
    def __init__(self, num_classes=10, batch_size=4, mu=3, threshold=0.95, lambda_u=1.0):
        self.batch_size, self.mu, self.threshold, self.lambda_u = batch_size, mu, threshold, lambda_u
        self.model = WideResNet(num_classes)
        no_decay = ["bias", "bn"]
        grouped = [
            {"params": [p for n, p in self.model.named_parameters() if not any(nd in n for nd in no_decay)], "weight_decay": 5e-4},
            {"params": [p for n, p in self.model.named_parameters() if any(nd in n for nd in no_decay)], "weight_decay": 0.0}]
        self.optimizer = torch.optim.SGD(grouped, lr=0.03, momentum=0.9, nesterov=True)
        self.ema = ModelEMA(self.model, 0.999)
        self.meters = defaultdict(list)

    def step(self, inputs_x, targets_x, inputs_u):
        batch_size = inputs_x.shape[0]
        inputs_u_w, inputs_u_s = weak(inputs_u), strong(inputs_u)
        inputs = interleave(torch.cat((inputs_x, inputs_u_w, inputs_u_s)), 2 * self.mu + 1)  #! 2 * self.mu + 1 => 2 * self.mu
        logits = self.model(inputs)
        logits = de_interleave(logits, 2 * self.mu + 1)
        logits_x = logits[:batch_size]
        logits_u_w, logits_u_s = logits[batch_size:].chunk(2)  #! logits[batch_size:].chunk(2) => logits.chunk(3)
        reveal_type(logits_u_w)
        Lx = F.cross_entropy(logits_x, targets_x, reduction="mean")
        pseudo_label = torch.softmax(logits_u_w.detach(), dim=-1)
        max_probs, targets_u = torch.max(pseudo_label, dim=-1)  #! dim=-1) => dim=0)
        mask = max_probs.ge(self.threshold).float()
        Lu = (F.cross_entropy(logits_u_s, targets_u, reduction="none") * mask).mean()
        loss = Lx + self.lambda_u * Lu
        loss.backward()
        self.optimizer.step()
        self.ema.update(self.model)
        self.model.zero_grad()
        self.meters["loss"].append(loss.item())
        self.meters["mask"].append(mask.mean().item())

    @torch.no_grad()
    def test(self, inputs, targets, topk=(1, 5)):
        output = self.ema.ema(inputs)
        maxk = max(topk)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        reveal_type(pred)
        correct = pred.eq(targets.reshape(1, -1).expand_as(pred))  #! targets.reshape(1, -1) => targets.reshape(-1, 1)
        return [correct[:k].reshape(-1).float().sum(0).mul_(100.0 / targets.size(0)) for k in topk]


trainer = Trainer()
for _ in range(2):
    x, y = torch.randn(4, 3, 16, 16), torch.randint(0, 10, (4,))
    u = torch.randn(4 * trainer.mu, 3, 16, 16)
    trainer.step(x, y, u)
prec1, prec5 = trainer.test(torch.randn(6, 3, 16, 16), torch.randint(0, 10, (6,)))
reveal_type(prec5)
