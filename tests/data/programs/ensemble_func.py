"""torch.func: an ensemble by vmap over stacked parameters, per-sample gradients, Jacobians, Hessian-vector products, MAML inner steps."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, stack_module_state, vjp, vmap


class Net(nn.Module):
    def __init__(self, n_in=10, hidden=16, n_out=3):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(n_in, hidden), nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, n_out)

    def forward(self, x):
        x = torch.tanh(self.fc1(x))
        return self.out(F.relu(self.fc2(x)))


models = [Net() for _ in range(4)]
params, buffers = stack_module_state(models)
reveal_type(params["fc1.weight"])
base = copy.deepcopy(models[0]).to("meta")


def fmodel(params, buffers, x):
    return functional_call(base, (params, buffers), (x,))


x = torch.randn(7, 10)
each = vmap(fmodel, in_dims=(0, 0, None))(params, buffers, x)
reveal_type(each)
split = torch.randn(4, 7, 10)
reveal_type(vmap(fmodel)(params, buffers, split))
mean, std = each.softmax(-1).mean(0), each.softmax(-1).std(0)
reveal_type(std)
disagreement = (each - mean).pow(2).sum(-1)  #! each - mean => each - mean[:, :2]

model = models[1]
weights = {k: v.detach() for k, v in model.named_parameters()}


def compute_loss(weights, sample, target):
    logits = functional_call(model, weights, (sample.unsqueeze(0),))  #! sample.unsqueeze(0) => sample.unsqueeze(1)
    return F.cross_entropy(logits, target.unsqueeze(0))


targets = torch.randint(0, 3, (7,))
per_sample = vmap(grad(compute_loss), in_dims=(None, 0, 0))(weights, x, targets)
reveal_type(per_sample["fc2.weight"])
reveal_type(per_sample["out.bias"])
norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()], dim=1).norm(dim=1)
clip = (1.0 / (norms + 1e-6)).clamp(max=1.0)
private = {k: torch.einsum("b,b...->...", clip, g) for k, g in per_sample.items()}
reveal_type(private["fc1.weight"])
grads, value = grad_and_value(compute_loss)(weights, x[0], targets[0])
reveal_type(value)


def predict(z):
    return functional_call(model, weights, (z,))


jac = vmap(jacrev(predict))(x)
reveal_type(jac)
also = jacfwd(predict)(x[0])
reveal_type(also)
scores = torch.einsum("boi,bi->bo", jac, x)  #! "boi,bi->bo" => "boi,bo->bi"
hess = hessian(lambda z: predict(z).pow(2).sum())(x[0])
reveal_type(hess)
out, tangent = jvp(predict, (x,), (torch.ones_like(x),))
reveal_type(tangent)
out, pull = vjp(predict, x)
(cotangent,) = pull(torch.ones(7, 3))  #! torch.ones(7, 3) => torch.ones(7, 4)
reveal_type(cotangent)


def inner(weights, xs, ys, lr=0.1, steps=2):
    def task_loss(w):
        return F.cross_entropy(functional_call(model, w, (xs,)), ys)

    for _ in range(steps):
        g = grad(task_loss)(weights)
        weights = {k: w - lr * g[k] for k, w in weights.items()}
    return weights


def task(xs, ys, xq, yq):
    adapted = inner(weights, xs, ys)
    return F.cross_entropy(functional_call(model, adapted, (xq,)), yq)


xs, xq = torch.randn(5, 6, 10), torch.randn(5, 8, 10)
ys, yq = torch.randint(0, 3, (5, 6)), torch.randint(0, 3, (5, 8))
losses = vmap(task)(xs, ys, xq, yq)
reveal_type(losses)
adapted = inner(weights, xs[0], ys[0])
reveal_type(adapted["out.weight"])
