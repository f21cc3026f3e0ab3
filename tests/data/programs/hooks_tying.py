"""Feature extraction by hooks, tied weights, lazy layers, and a custom autograd function."""
from collections import OrderedDict, defaultdict
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import parametrizations, parametrize


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i, beta):
        ctx.save_for_backward(i)
        ctx.beta = beta
        return i * torch.sigmoid(beta * i)

    @staticmethod
    def backward(ctx, grad_output):
        (i,) = ctx.saved_tensors
        s = torch.sigmoid(ctx.beta * i)
        return grad_output * (s * (1 + ctx.beta * i * (1 - s))), None


class MemoryEfficientSwish(nn.Module):
    def forward(self, x):
        return Swish.apply(x, 1.0)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


@contextmanager
def capture(model, *names):
    """Collects the outputs of the named submodules."""
    store = OrderedDict()
    handles = []

    def save(name):
        def hook(module, inputs, output):
            store[name] = output.detach()
        return hook

    modules = dict(model.named_modules())
    for name in names:
        handles.append(modules[name].register_forward_hook(save(name)))
    try:
        yield store
    finally:
        for h in handles:
            h.remove()


class TiedAutoencoder(nn.Module):
    def __init__(self, n_in=30, n_hidden=12):
        super().__init__()
        self.encoder = nn.Linear(n_in, n_hidden)
        self.act = MemoryEfficientSwish()
        self.mix = parametrize.register_parametrization(nn.Linear(n_hidden, n_hidden), "weight", Symmetric()) if False else nn.Linear(n_hidden, n_hidden)
        parametrizations.spectral_norm(self.mix)
        self.bias = nn.Parameter(torch.zeros(n_in))

    def forward(self, x):
        h = self.mix(self.act(self.encoder(x)))
        return F.linear(h, self.encoder.weight.t(), self.bias)  #! self.encoder.weight.t() => self.encoder.weight


class LazyCNN(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(OrderedDict([
            ("conv1", nn.LazyConv2d(8, 3)),
            ("relu1", nn.ReLU()),
            ("pool1", nn.MaxPool2d(2)),
            ("conv2", nn.LazyConv2d(16, 3)),
            ("norm2", nn.LazyBatchNorm2d()),
            ("flatten", nn.Flatten()),
        ]))
        self.classifier = nn.LazyLinear(classes)

    def forward(self, x):
        return self.classifier(self.features(x))


model = TiedAutoencoder()
batch = torch.randn(16, 30)  #! 16, 30 => 16, 32
out = model(batch)
reveal_type(out)

cnn = LazyCNN(7)
cnn(torch.rand(2, 3, 20, 20))
with capture(cnn, "features.pool1", "features.conv2") as feats:
    logits = cnn(torch.rand(4, 3, 20, 20))  #! 4, 3, 20, 20 => 4, 3, 24, 24
reveal_type(logits)
reveal_type(feats["features.pool1"])
reveal_type(cnn.classifier.weight)

shapes = defaultdict(list)
for name, p in model.named_parameters():
    shapes[p.dim()].append(name)

head = nn.Linear(12, 12)
head.weight = model.encoder.weight
z = head(torch.randn(3, 30))  #! 3, 30 => 3, 12
activations = feats["features.conv2"].mean(dim=(2, 3))
score = activations @ torch.randn(16, 5)  #! torch.randn(16, 5) => torch.randn(5, 16)
reveal_type(score)
