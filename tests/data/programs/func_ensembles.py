"""Functions of functions: gradients per sample, ensembles by vmap, Jacobians, Hessians, tangents, and inner loops."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, stack_module_state, vjp, vmap


class Net(nn.Module):
    def __init__(self, width=16, classes=4):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3, stride=2)
        self.fc1, self.fc2 = nn.Linear(6 * 5 * 5, width), nn.Linear(width, classes)  #! 6 * 5 * 5 => 6 * 6 * 6

    def forward(self, x):
        x = F.relu(self.conv(x)).flatten(1)
        return self.fc2(torch.tanh(self.fc1(x)))


def loss_fn(logits, target):
    return F.nll_loss(F.log_softmax(logits, dim=-1), target)


def per_sample_gradients(net, x, y):
    params = {k: v.detach() for k, v in net.named_parameters()}
    buffers = {k: v.detach() for k, v in net.named_buffers()}

    def compute(params, buffers, sample, target):
        batch = sample.unsqueeze(0)  #! sample.unsqueeze(0) => sample.unsqueeze(-1)
        out = functional_call(net, (params, buffers), (batch,))
        return loss_fn(out, target.unsqueeze(0))

    return vmap(grad(compute), in_dims=(None, None, 0, 0))(params, buffers, x, y)


def ensemble(models, batches):
    params, buffers = stack_module_state(models)
    base = copy.deepcopy(models[0]).to("meta")

    def call(params, buffers, x):
        return functional_call(base, (params, buffers), (x,))

    same = vmap(call, in_dims=(0, 0, None))(params, buffers, batches[0])
    own = vmap(call)(params, buffers, batches)
    return params, same, own


def maml_step(params, support, query, model, lr=0.1):
    def inner(p, x, y):
        return loss_fn(functional_call(model, p, x), y)

    grads = grad(inner)(params, *support)
    adapted = {k: params[k] - lr * g for k, g in grads.items()}
    return inner(adapted, *query)


def sharpness(w, X, y):
    f = lambda w: F.mse_loss(X @ w, y)
    return hessian(f)(w), grad(f)(w)


def pinn_residual(net, points):
    def u(p):
        return net(p).squeeze(-1)

    du = vmap(jacrev(u))(points)
    d2u = vmap(hessian(u))(points)
    return du[:, 0] - d2u[:, 1, 1]  #! d2u[:, 1, 1] => d2u[:, 1]


def main():
    torch.manual_seed(0)
    x, y = torch.randn(8, 1, 12, 12), torch.randint(0, 4, (8,))
    net = Net()
    grads = per_sample_gradients(net, x, y)
    reveal_type(grads["conv.weight"])
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in grads.values()]).norm(dim=0)
    reveal_type(norms)
    clipped = {k: (g * (1.0 / norms.clamp(min=1.0)).view(-1, *[1] * (g.dim() - 1))).sum(0) for k, g in grads.items()}  #! .view(-1, *[1] * (g.dim() - 1)) => .view(-1, 1)
    reveal_type(clipped["fc1.weight"])
    models = [Net() for _ in range(5)]
    params, same, own = ensemble(models, torch.randn(5, 8, 1, 12, 12))  #! torch.randn(5, 8, => torch.randn(4, 8,
    reveal_type(params["fc2.weight"])
    reveal_type(same)
    reveal_type(own)
    weights = {k: v.detach() for k, v in net.named_parameters()}
    tasks = (torch.randn(3, 6, 1, 12, 12), torch.randint(0, 4, (3, 6))), (torch.randn(3, 9, 1, 12, 12), torch.randint(0, 4, (3, 9)))
    meta = lambda w: vmap(lambda s, q: maml_step(w, s, q, net))(*tasks).mean()
    outer, value = grad_and_value(meta)(weights)
    reveal_type(outer["fc1.bias"])
    reveal_type(value)
    H, g = sharpness(torch.randn(7), torch.randn(20, 7), torch.randn(20))
    reveal_type(torch.linalg.solve(H + torch.eye(7), g))
    field = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    reveal_type(pinn_residual(field, torch.rand(11, 2)))
    J = jacfwd(lambda z: torch.stack([z.prod(), z.sum()]))(torch.rand(3))
    reveal_type(J)
    out, pull = vjp(field, torch.rand(4, 2))
    reveal_type(pull(torch.ones_like(out))[0])
    _, tangent = jvp(field, (torch.rand(4, 2),), (torch.ones(4, 2),))
    reveal_type(tangent)
    distances = vmap(vmap(lambda a, b: (a - b).norm(), in_dims=(None, 0)), in_dims=(0, None))(torch.rand(6, 3), torch.rand(9, 3))
    reveal_type(distances)


if __name__ == "__main__":
    main()
