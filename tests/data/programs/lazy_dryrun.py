"""Networks of lazy layers that learn their sizes in a dry run, with hooks, copies and optimisers made afterwards."""
import copy
from typing import Sequence, Union

import torch
from torch import nn
from torch.nn import functional as F


def init_weights(module):
    if type(module) in (nn.Linear, nn.Conv2d):
        nn.init.xavier_uniform_(module.weight)


class HyperParameters:
    def save_hyperparameters(self, values, ignore=()):
        self.hparams = {k: v for k, v in values.items() if k not in set(ignore) | {"self", "__class__"} and not k.startswith("_")}
        for k, v in self.hparams.items():
            setattr(self, k, v)


class Module(nn.Module, HyperParameters):
    def __init__(self, lr=0.1):
        super().__init__()
        self.save_hyperparameters(locals())

    def apply_init(self, inputs, init=None):
        self.forward(*inputs)
        if init is not None:
            self.net.apply(init)

    def layer_summary(self, X_shape):
        X = torch.randn(*X_shape)
        result = []
        for layer in self.net:
            X = layer(X)
            result.append((layer.__class__.__name__, tuple(X.shape)))
        return result

    def forward(self, X):
        return self.net(X)


class Residual(nn.Module):
    def __init__(self, num_channels, use_1x1conv=False, strides=1):
        super().__init__()
        self.conv1 = nn.LazyConv2d(num_channels, kernel_size=3, padding=1, stride=strides)
        self.conv2 = nn.LazyConv2d(num_channels, kernel_size=3, padding=1)
        self.conv3 = nn.LazyConv2d(num_channels, kernel_size=1, stride=strides) if use_1x1conv else None
        self.bn1, self.bn2 = nn.LazyBatchNorm2d(), nn.LazyBatchNorm2d()

    def forward(self, X):
        Y = F.relu(self.bn1(self.conv1(X)))
        Y = self.bn2(self.conv2(Y))
        if self.conv3:
            X = self.conv3(X)
        Y += X
        return F.relu(Y)


class ResNet(Module):
    def __init__(self, arch, lr=0.1, num_classes=10):
        super().__init__(lr)
        self.save_hyperparameters(locals())
        self.net = nn.Sequential(self.b1())
        for i, b in enumerate(arch):
            self.net.add_module(f"b{i + 2}", self.block(*b, first_block=(i == 0)))
        self.net.add_module("last", nn.Sequential(nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.LazyLinear(num_classes)))

    def b1(self):
        return nn.Sequential(nn.LazyConv2d(16, kernel_size=7, stride=2, padding=3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.MaxPool2d(kernel_size=3, stride=2, padding=1))

    def block(self, num_residuals, num_channels, first_block=False):
        blk = []
        for i in range(num_residuals):
            if i == 0 and not first_block:
                blk.append(Residual(num_channels, use_1x1conv=True, strides=2))  #! use_1x1conv=True, strides=2 => strides=2
            else:
                blk.append(Residual(num_channels))
        return nn.Sequential(*blk)


class DenseBlock(nn.Module):
    def __init__(self, num_convs, num_channels):
        super().__init__()
        self.net = nn.Sequential(*[nn.Sequential(nn.LazyBatchNorm2d(), nn.ReLU(), nn.LazyConv2d(num_channels, kernel_size=3, padding=1)) for _ in range(num_convs)])  #! kernel_size=3, padding=1 => kernel_size=3

    def forward(self, X):
        for blk in self.net:
            Y = blk(X)
            X = torch.cat((X, Y), dim=1)
        return X


class DenseNet(Module):
    def __init__(self, num_channels=16, growth_rate=8, arch=(2, 2), lr=0.1, num_classes=10):
        super().__init__(lr)
        self.save_hyperparameters(locals())
        self.net = nn.Sequential(nn.Sequential(nn.LazyConv2d(num_channels, 3, padding=1), nn.LazyBatchNorm2d(), nn.ReLU()))
        for i, num_convs in enumerate(self.arch):
            self.net.add_module(f"dense_blk{i + 1}", DenseBlock(num_convs, growth_rate))
            num_channels += num_convs * growth_rate
            if i != len(arch) - 1:
                num_channels //= 2
                self.net.add_module(f"tran_blk{i + 1}", self.transition_block(num_channels))
        self.net.add_module("last", nn.Sequential(nn.LazyBatchNorm2d(), nn.ReLU(), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.LazyLinear(num_classes)))

    @staticmethod
    def transition_block(num_channels):
        return nn.Sequential(nn.LazyBatchNorm2d(), nn.ReLU(), nn.LazyConv2d(num_channels, kernel_size=1), nn.AvgPool2d(kernel_size=2, stride=2))


class MultiHeadAttention(Module):
    def __init__(self, num_hiddens, num_heads, bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.LazyLinear(num_hiddens, bias=bias) for _ in range(4))

    def transpose_qkv(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def transpose_output(self, X):
        X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2]).permute(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    def forward(self, queries, keys, values, valid_lens):
        q, k, v = (self.transpose_qkv(w(x)) for w, x in ((self.W_q, queries), (self.W_k, keys), (self.W_v, values)))
        scores = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5  #! k.transpose(1, 2) => k
        if valid_lens is not None:
            valid_lens = torch.repeat_interleave(valid_lens, repeats=self.num_heads, dim=0)
            steps = torch.arange(scores.shape[-1], device=scores.device)[None, :]
            mask = steps < valid_lens[:, None]
            scores = scores.masked_fill(~mask[:, None, :], -1e6)
        return self.W_o(self.transpose_output(torch.bmm(F.softmax(scores, dim=-1), v)))


if __name__ == "__main__":
    torch.manual_seed(0)
    net = ResNet(((1, 16), (1, 32)), num_classes=5)
    net.apply_init([torch.rand(1, 1, 48, 48)], init_weights)
    reveal_type(net.net[0][0].weight)
    reveal_type(net(torch.rand(3, 1, 48, 48)))  #! torch.rand(3, 1, 48, 48) => torch.rand(3, 3, 48, 48)
    optimizer = torch.optim.SGD(net.parameters(), lr=net.lr)
    F.cross_entropy(net(torch.rand(3, 1, 64, 64)), torch.tensor([0, 1, 2])).backward()
    optimizer.step()
    dense = DenseNet()
    X = torch.rand(2, 3, 24, 24)
    seen = {}
    for name, layer in dense.net.named_children():
        layer.register_forward_hook(lambda m, i, o, name=name: seen.__setitem__(name, o))
    reveal_type(dense(X))
    reveal_type(seen["tran_blk1"])
    reveal_type(seen["dense_blk2"])
    twin = copy.deepcopy(dense)
    twin.net[-1][-1] = nn.LazyLinear(3)
    reveal_type(twin(X))
    attention = MultiHeadAttention(20, 5)
    out = attention(torch.ones((2, 4, 12)), torch.ones((2, 6, 8)), torch.ones((2, 6, 8)), torch.tensor([3, 2]))
    reveal_type(out)
    reveal_type(attention.W_k.weight)
    mlp = nn.Sequential(nn.LazyLinear(16), nn.ReLU(), nn.LazyLinear(4))
    mlp(X.flatten(1))
    reveal_type(mlp[0].in_features)
    ema = {k: v.clone() for k, v in mlp.state_dict().items()}
    other = nn.Sequential(nn.LazyLinear(16), nn.ReLU(), nn.LazyLinear(4))
    other.load_state_dict(ema)
    reveal_type(other(X.flatten(1)))  #! X.flatten(1) => X.flatten(2)
