"""A hypernetwork that makes the weights of a target network, per-sample gradients and ensembles by torch.func."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, stack_module_state, vmap, jacrev
import copy


class HyperLinear(nn.Module):
    def __init__(self, z_dim, in_features, out_features):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight_gen = nn.Linear(z_dim, in_features * out_features)
        self.bias_gen = nn.Linear(z_dim, out_features)

    def forward(self, x, z):
        w = self.weight_gen(z).view(-1, self.out_features, self.in_features)
        b = self.bias_gen(z)
        return torch.baddbmm(b.unsqueeze(1), x, w.transpose(1, 2))  #! w.transpose(1, 2) => w


class HyperNet(nn.Module):
    def __init__(self, z_dim=8, sizes=(2, 16, 16, 1)):
        super().__init__()
        self.layers = nn.ModuleList([HyperLinear(z_dim, i, o) for i, o in zip(sizes, sizes[1:])])  #! sizes, sizes[1:] => sizes[1:], sizes

    def forward(self, x, z):
        *hidden, last = self.layers
        for layer in hidden:
            x = torch.sin(layer(x, z))
        return last(x, z)


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = x.flatten(1)
        return self.fc2(F.relu(self.fc1(x)))


hyper = HyperNet()
coords = torch.rand(5, 100, 2)
codes = torch.randn(5, 8)  #! 5, 8 => 4, 8
values = hyper(coords, codes)
reveal_type(values)

data = torch.randn(64, 1, 28, 28)
targets = torch.randint(10, (64,))
net = SmallNet()
params = {k: v.detach() for k, v in net.named_parameters()}
buffers = {k: v.detach() for k, v in net.named_buffers()}


def compute_loss(params, buffers, sample, target):
    batch = sample.unsqueeze(0)
    y = target.unsqueeze(0)  #! target.unsqueeze(0) => target
    predictions = functional_call(net, (params, buffers), (batch,))
    return F.cross_entropy(predictions, y)


per_sample = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))(params, buffers, data, targets)  #! (None, None, 0, 0) => (None, None, 0, None)
reveal_type(per_sample["fc1.weight"])

nets = [SmallNet() for _ in range(3)]
stacked, stacked_buffers = stack_module_state(nets)
base = copy.deepcopy(nets[0]).to("meta")


def fmodel(params, buffers, x):
    return functional_call(base, (params, buffers), (x,))


minibatches = data[:48].view(3, 16, 1, 28, 28)  #! data[:48] => data[:50]
ensemble = vmap(fmodel)(stacked, stacked_buffers, minibatches)
reveal_type(ensemble)
same = vmap(fmodel, in_dims=(0, 0, None))(stacked, stacked_buffers, data[:16])
reveal_type(same)
jac = vmap(jacrev(lambda v: torch.tanh(net.fc2(v))))(torch.randn(7, 32))  #! torch.randn(7, 32) => torch.randn(7, 10)
reveal_type(jac)
