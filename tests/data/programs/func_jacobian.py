"""Per-sample gradients, Hessians and a PINN with torch.func."""
from functools import partial
import torch
from torch import nn
from torch.func import functional_call, grad, hessian, jacrev, jvp, stack_module_state, vmap


class MLP(nn.Module):
    def __init__(self, sizes, act=nn.Tanh):
        super().__init__()
        layers = []
        for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            layers.append(nn.Linear(a, b))
            if i < len(sizes) - 2:
                layers.append(act())
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


net = MLP([2, 32, 32, 1])
params = {k: v.detach() for k, v in net.named_parameters()}


def u(params, xt):
    return functional_call(net, params, (xt,)).squeeze(-1)  #! .squeeze(-1) => 


def residual(params, xt):
    g = grad(u, argnums=1)(params, xt)
    h = hessian(u, argnums=1)(params, xt)
    return g[1] - 0.1 * h[0, 0] + u(params, xt) * g[0]  #! h[0, 0] => h[0, 0, 0]


def initial(x):
    return -torch.sin(torch.pi * x)


def loss_fn(params, inside, start):
    r = vmap(residual, (None, 0))(params, inside)  #! (None, 0) => (0, 0)
    pred = vmap(partial(u, params))(start)
    return (r ** 2).mean() + ((pred - initial(start[:, 0])) ** 2).mean(), r  #! start[:, 0] => start


for step in range(3):
    inside = torch.rand(40, 2) * torch.tensor([2.0, 1.0]) - torch.tensor([1.0, 0.0])  #! torch.tensor([2.0, 1.0]) => torch.tensor([2.0, 1.0, 1.0])
    start = torch.stack([torch.linspace(-1, 1, 25), torch.zeros(25)], dim=1)  #! dim=1 => dim=0
    grads, r = grad(loss_fn, has_aux=True)(params, inside, start)
    params = {k: p - 0.01 * grads[k] for k, p in params.items()}
reveal_type(r)
reveal_type(grads["net.2.weight"])


def sample_loss(params, x, y):
    out = functional_call(net, params, (x.unsqueeze(0),))
    return nn.functional.mse_loss(out, y.unsqueeze(0))


xs, ys = torch.randn(11, 2), torch.randn(11, 1)  #! torch.randn(11, 2) => torch.randn(11, 3)
per_sample = vmap(grad(sample_loss), in_dims=(None, 0, 0))(params, xs, ys)
reveal_type(per_sample["net.0.weight"])
norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()], 1).norm(dim=1)
reveal_type(norms)
clipped = {k: (g * (1.0 / norms.clamp(min=1)).view(-1, *[1] * (g.dim() - 1))).mean(0) for k, g in per_sample.items()}  #! .view(-1, *[1] * (g.dim() - 1)) => 
reveal_type(clipped["net.0.bias"])

nets = [MLP([2, 16, 5], nn.ReLU) for _ in range(4)]
stacked, buffers = stack_module_state(nets)
reveal_type(stacked["net.0.weight"])
base = MLP([2, 16, 5], nn.ReLU).to("meta")  #! [2, 16, 5] => [2, 20, 5]
predict = lambda p, b, x: functional_call(base, (p, b), (x,))
logits = vmap(predict, in_dims=(0, 0, None))(stacked, buffers, xs)
reveal_type(logits)
each = vmap(predict, in_dims=(0, 0, 0))(stacked, buffers, torch.randn(4, 6, 2))  #! torch.randn(4, 6, 2) => torch.randn(6, 4, 2)
reveal_type(each)
jac = vmap(jacrev(nets[0]))(xs)
reveal_type(jac)
out, tangent = jvp(nets[0], (xs,), (torch.ones_like(xs),))
reveal_type(tangent)
fisher = torch.einsum("bij,bkj->bik", jac, jac)  #! bkj->bik => bjk->bik
reveal_type(fisher)
pairwise = vmap(vmap(torch.dot, (None, 0)), (0, None))(xs, xs[:5])
reveal_type(pairwise)
