"""A deep equilibrium model: a fixed point by Anderson acceleration, implicit differentiation by a backward hook."""
import torch
import torch.autograd as autograd
import torch.nn as nn
import torch.nn.functional as F


class ResNetLayer(nn.Module):
    def __init__(self, n_channels, n_inner_channels, kernel_size=3, num_groups=8):
        super().__init__()
        self.conv1 = nn.Conv2d(n_channels, n_inner_channels, kernel_size, padding=kernel_size // 2, bias=False)
        self.conv2 = nn.Conv2d(n_inner_channels, n_channels, kernel_size, padding=kernel_size // 2, bias=False)  #! n_inner_channels, n_channels, => n_channels, n_inner_channels,
        self.norm1 = nn.GroupNorm(num_groups, n_inner_channels)
        self.norm2 = nn.GroupNorm(num_groups, n_channels)
        self.norm3 = nn.GroupNorm(num_groups, n_channels)  #! nn.GroupNorm(num_groups, n_channels) => nn.GroupNorm(n_channels, num_groups)
        self.conv1.weight.data.normal_(0, 0.01)
        self.conv2.weight.data.normal_(0, 0.01)

    def forward(self, z, x):
        y = self.norm1(F.relu(self.conv1(z)))
        return self.norm3(F.relu(z + self.norm2(x + self.conv2(y))))


def anderson(f, x0, m=5, lam=1e-4, max_iter=10, tol=1e-2, beta=1.0):
    """Anderson acceleration for fixed point iteration."""
    bsz, d, H, W = x0.shape
    X = torch.zeros(bsz, m, d * H * W, dtype=x0.dtype, device=x0.device)
    Fs = torch.zeros(bsz, m, d * H * W, dtype=x0.dtype, device=x0.device)  #! torch.zeros(bsz, m, d * H * W, => torch.zeros(m, bsz, d * H * W,
    X[:, 0], Fs[:, 0] = x0.view(bsz, -1), f(x0).view(bsz, -1)  #! x0.view(bsz, -1) => x0.view(-1)
    X[:, 1], Fs[:, 1] = Fs[:, 0], f(Fs[:, 0].view_as(x0)).view(bsz, -1)
    H = torch.zeros(bsz, m + 1, m + 1, dtype=x0.dtype, device=x0.device)  #! m + 1, m + 1, => m, m,
    H[:, 0, 1:] = H[:, 1:, 0] = 1
    y = torch.zeros(bsz, m + 1, 1, dtype=x0.dtype, device=x0.device)
    y[:, 0] = 1
    res = []
    for k in range(2, max_iter):
        n = min(k, m)
        G = Fs[:, :n] - X[:, :n]
        H[:, 1 : n + 1, 1 : n + 1] = torch.bmm(G, G.transpose(1, 2)) + lam * torch.eye(n, dtype=x0.dtype, device=x0.device)[None]  #! torch.eye(n, => torch.eye(m,
        alpha = torch.linalg.solve(H[:, : n + 1, : n + 1], y[:, : n + 1])[:, 1 : n + 1, 0]  #! y[:, : n + 1] => y[:, :n]
        X[:, k % m] = beta * (alpha[:, None] @ Fs[:, :n])[:, 0] + (1 - beta) * (alpha[:, None] @ X[:, :n])[:, 0]  #! beta * (alpha[:, None] @ Fs[:, :n]) => beta * (alpha @ Fs[:, :n])
        Fs[:, k % m] = f(X[:, k % m].view_as(x0)).view(bsz, -1)  #! f(X[:, k % m].view_as(x0)) => f(X[:, k % m])
        res.append((Fs[:, k % m] - X[:, k % m]).norm().item() / (1e-5 + Fs[:, k % m].norm().item()))
        if res[-1] < tol:
            break
    return X[:, k % m].view_as(x0), res


class DEQFixedPoint(nn.Module):
    def __init__(self, f, solver, **kwargs):
        super().__init__()
        self.f = f
        self.solver = solver
        self.kwargs = kwargs

    def forward(self, x):
        with torch.no_grad():
            z, self.forward_res = self.solver(lambda z: self.f(z, x), torch.zeros_like(x), **self.kwargs)
        z = self.f(z, x)
        z0 = z.clone().detach().requires_grad_()
        f0 = self.f(z0, x)

        def backward_hook(grad):
            g, self.backward_res = self.solver(lambda y: autograd.grad(f0, z0, y, retain_graph=True)[0] + grad, grad, **self.kwargs)
            return g

        if z.requires_grad:
            z.register_hook(backward_hook)
        return z


def epoch(loader, model, opt=None, lr_scheduler=None):
    total_loss, total_err = 0.0, 0.0
    model.eval() if opt is None else model.train()
    for X, y in loader:
        yp = model(X)
        loss = nn.CrossEntropyLoss()(yp, y)
        if opt:
            opt.zero_grad()
            loss.backward()
            opt.step()
            lr_scheduler.step()
        total_err += (yp.max(dim=1)[1] != y).sum().item()  #! yp.max(dim=1)[1] => yp
        total_loss += loss.item() * X.shape[0]
    reveal_type(yp)
    return total_err / 8, total_loss / 8


torch.manual_seed(0)
chan = 16
f = ResNetLayer(chan, 24, kernel_size=3)
model = nn.Sequential(
    nn.Conv2d(3, chan, kernel_size=3, bias=True, padding=1),
    nn.BatchNorm2d(chan),
    DEQFixedPoint(f, anderson, tol=1e-2, max_iter=8, m=5),
    nn.BatchNorm2d(chan),
    nn.AvgPool2d(4, 4),
    nn.Flatten(),
    nn.Linear(chan * 2 * 2, 10))  #! chan * 2 * 2 => chan * 4 * 4
z, history = anderson(lambda z: f(z, torch.ones(1, chan, 8, 8)), torch.zeros(1, chan, 8, 8))
reveal_type(z)
images, labels = torch.randn(8, 3, 8, 8), torch.randint(0, 10, (8,))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=4)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 2 * len(loader), eta_min=1e-6)
for i in range(1):
    print(epoch(loader, model, opt, scheduler))
    with torch.no_grad():
        print(epoch(loader, model))
reveal_type(model(images))
