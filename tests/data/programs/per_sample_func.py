"""torch.func: per-sample gradients, a hypernetwork whose weights go through functional_call, ensembles with vmap, Hessian-vector products."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, vmap, grad, stack_module_state, jvp, jacrev, grad_and_value
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class SmallCNN(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.conv2 = nn.Conv2d(8, 16, 3, 1)
        self.fc = nn.Linear(16 * 5 * 5, classes)  #! 16 * 5 * 5 => 16 * 12 * 12

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(torch.flatten(x, 1))


def dp_step(model, images, targets, clip=1.0, sigma=0.5):
    params = {k: v.detach() for k, v in model.named_parameters()}
    buffers = {k: v.detach() for k, v in model.named_buffers()}

    def loss_of(params, buffers, sample, target):
        batch, targets = sample.unsqueeze(0), target.unsqueeze(0)  #! target.unsqueeze(0) => target
        return F.cross_entropy(functional_call(model, (params, buffers), (batch,)), targets)

    per_sample = vmap(grad(loss_of), in_dims=(None, None, 0, 0))(params, buffers, images, targets)  #! in_dims=(None, None, 0, 0) => in_dims=(None, None, 0, None)
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()], dim=1).norm(dim=1)
    reveal_type(norms)
    factor = (clip / norms).clamp(max=1.0)
    with torch.no_grad():
        for name, p in model.named_parameters():
            g = torch.einsum("b...,b->...", per_sample[name], factor)  #! b...,b->... => b...,c->b...
            p.sub_(0.1 * (g + sigma * clip * torch.randn_like(p)) / len(images))
    return norms


class HyperNet(nn.Module):
    """Makes the weights of a target network from a task embedding."""

    def __init__(self, target: nn.Module, embed=8, hidden=32):
        super().__init__()
        self.target = [target]
        self.shapes = {n: p.shape for n, p in target.named_parameters()}
        total = sum(s.numel() for s in self.shapes.values())
        self.net = nn.Sequential(nn.Linear(embed, hidden), nn.ReLU(), nn.Linear(hidden, total))  #! nn.Linear(hidden, total) => nn.Linear(hidden, total + 1)

    def forward(self, z, x):
        flat = self.net(z)
        parts = flat.split([s.numel() for s in self.shapes.values()])
        params = {n: p.view(s) for (n, s), p in zip(self.shapes.items(), parts)}
        return functional_call(self.target[0], params, (x,))


def ensemble(models, x):
    params, buffers = stack_module_state(models)
    base = models[0]

    def call(p, b, x):
        return functional_call(base, (p, b), (x,))

    same = vmap(call, in_dims=(0, 0, None), randomness="different")(params, buffers, x)
    reveal_type(same)
    split = vmap(call)(params, buffers, x.view(len(models), -1, *x.shape[1:]))  #! len(models), -1 => len(models) + 1, -1
    reveal_type(split)
    return same.softmax(-1).mean(0)


def hvp(f, primals, tangents):
    return jvp(grad(f), primals, tangents)[1]


def elastic(model, reference, fisher, strength=10.0):
    now = parameters_to_vector(model.parameters())
    return strength * (fisher * (now - reference) ** 2).sum()


torch.manual_seed(0)
net = SmallCNN(4)
images, targets = torch.randn(12, 1, 14, 14), torch.randint(0, 4, (12,))
dp_step(net, images, targets)
mlp = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
hyper = HyperNet(mlp)
out = hyper(torch.randn(8), torch.randn(5, 3))  #! torch.randn(8) => torch.randn(1, 8)
reveal_type(out)
probabilities = ensemble([SmallCNN(4) for _ in range(3)], images)
reveal_type(probabilities)
v = hvp(lambda w: (w ** 3).sum() * w[0], (torch.randn(6),), (torch.ones(6),))  #! (torch.ones(6),) => (torch.ones(5),)
reveal_type(v)
jac = vmap(jacrev(mlp))(torch.randn(9, 3))
reveal_type(jac)
reference = parameters_to_vector(mlp.parameters()).detach()
fisher = torch.ones_like(reference)  #! torch.ones_like(reference) => torch.ones(len(list(mlp.parameters())))
loss = elastic(mlp, reference, fisher) + mlp(torch.randn(4, 3)).pow(2).mean()
loss.backward()
vector_to_parameters(reference * 0.9, mlp.parameters())
g, value = grad_and_value(lambda w, b: F.mse_loss(torch.randn(4, 3) @ w + b, torch.zeros(4, 2)), argnums=(0, 1))(torch.randn(3, 2), torch.zeros(2))  #! torch.randn(3, 2), torch.zeros(2)) => torch.randn(2, 3), torch.zeros(2))
reveal_type(g[0])
