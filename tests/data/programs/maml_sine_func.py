"""Meta learning of sine waves with functional_call, grad and vmap; then a hypernetwork that writes the weights, and Hessians of the loss."""
import math
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, hessian, jacrev, stack_module_state, vmap


class Regressor(nn.Sequential):
    def __init__(self, *sizes):
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.Tanh()]
        super().__init__(*layers[:-1])


def draw(tasks, shots):
    amplitude, phase = torch.rand(tasks, 1, 1) * 4.9 + 0.1, torch.rand(tasks, 1, 1) * math.pi
    x = torch.rand(tasks, 2 * shots, 1) * 10 - 5
    y = amplitude * torch.sin(x + phase)
    return x[:, :shots], y[:, :shots], x[:, shots:], y[:, shots:]


net = Regressor(1, 24, 24, 1)  #! Regressor(1, 24, 24, 1) => Regressor(2, 24, 24, 1)
params = {k: v.detach().clone().requires_grad_() for k, v in net.named_parameters()}
optimizer = torch.optim.Adam(params.values(), lr=1e-3)


def loss_of(params, x, y):
    prediction = functional_call(net, params, (x,))
    return F.mse_loss(prediction, y)


def inner(params, x1, y1, x2, y2, alpha=0.1, steps=2):
    fast = params
    for _ in range(steps):
        grads = grad(loss_of)(fast, x1, y1)
        fast = {k: fast[k] - alpha * grads[k] for k in fast}  #! alpha * grads[k] => alpha * grads[k].t()
    return loss_of(fast, x2, y2), functional_call(net, fast, (x2,))


for iteration in range(2):
    x1, y1, x2, y2 = draw(tasks=6, shots=10)
    losses, predictions = vmap(partial(inner, params))(x1, y1, x2, y2)  #! (x1, y1, x2, y2) => (x1, y1, x2[:5], y2[:5])
    reveal_type(losses)
    reveal_type(predictions)
    optimizer.zero_grad()
    losses.mean().backward()
    optimizer.step()

# Per-sample gradients and their norms, for clipping.
plain = {k: v.detach() for k, v in params.items()}
per_sample = vmap(grad(loss_of), in_dims=(None, 0, 0))(plain, x1[0].unsqueeze(1), y1[0].unsqueeze(1))  #! in_dims=(None, 0, 0) => in_dims=(0, 0, 0)
norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()], dim=1).norm(dim=1)  #! g.flatten(1).norm(dim=1) => g.flatten().norm(dim=1)
reveal_type(norms)
clipped = {k: (g * (1.0 / norms).clamp(max=1.0).view(-1, *[1] * (g.dim() - 1))).mean(0) for k, g in per_sample.items()}  #! .view(-1, *[1] * (g.dim() - 1)) => .view(-1, 1)
reveal_type(clipped["2.weight"])


class HyperNet(nn.Module):
    def __init__(self, target: nn.Module, context: int, hidden: int = 32):
        super().__init__()
        self.shapes = {k: v.shape for k, v in target.named_parameters()}
        self.total = sum(s.numel() for s in self.shapes.values())
        self.body = nn.Sequential(nn.Linear(context, hidden), nn.ReLU(), nn.Linear(hidden, self.total))

    def forward(self, c):
        flat = self.body(c)
        out, start = {}, 0
        for k, shape in self.shapes.items():
            out[k] = flat[start : start + shape.numel()].view(shape)  #! shape.numel()].view(shape) => shape[0]].view(shape)
            start += shape.numel()
        return out


small = Regressor(1, 8, 1)
hyper = HyperNet(small, context=20)
opt = torch.optim.SGD(hyper.parameters(), lr=1e-2)


def one(x1, y1, x2):
    weights = hyper(torch.cat([x1, y1], dim=0).squeeze(-1))  #! dim=0).squeeze(-1) => dim=1).squeeze(-1)
    return functional_call(small, weights, (x2,))


for iteration in range(2):
    x1, y1, x2, y2 = draw(tasks=4, shots=10)
    out = vmap(one)(x1, y1, x2)
    reveal_type(out)
    loss = F.mse_loss(out, y2)
    opt.zero_grad()
    loss.backward()
    opt.step()

# An ensemble by stacked states, and curvature.
members = [Regressor(1, 8, 1) for _ in range(3)]
stacked, buffers = stack_module_state(members)
reveal_type(stacked["0.weight"])
each = vmap(lambda p, b, x: functional_call(members[0], (p, b), (x,)), in_dims=(0, 0, None))(stacked, buffers, x1[0])
reveal_type(each)
w = torch.randn(8)
jacobian = jacrev(lambda w: torch.tanh(w[:, None] * torch.arange(1.0, 4.0)).sum(0))(w)  #! w[:, None] * torch.arange(1.0, 4.0) => w * torch.arange(1.0, 4.0)
reveal_type(jacobian)
curvature = hessian(lambda w: (w ** 2).sum() * w[0])(w)
reveal_type(curvature)
step = torch.linalg.solve(curvature + 10 * torch.eye(8), w)  #! torch.eye(8), w => torch.eye(8), w[None]
reveal_type(step)
