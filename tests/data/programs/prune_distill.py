"""Compression course homework: a student with pruning, parametrisation and distillation, and a fake-quantised layer."""
from collections import OrderedDict
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.utils.parametrize as parametrize
from torch.nn.utils import prune


class Quantise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, scale):
        ctx.save_for_backward(w, scale)
        return torch.round(w / scale).clamp(-128, 127) * scale

    @staticmethod
    def backward(ctx, grad):
        w, scale = ctx.saved_tensors
        return grad * ((w / scale).abs() < 127), None


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)


class FakeQuant(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.register_buffer("scale", torch.full((channels, 1, 1, 1), 0.05))

    def forward(self, w):
        return Quantise.apply(w, self.scale)


def conv_block(cin, cout, pool=True):
    parts = OrderedDict(conv=nn.Conv2d(cin, cout, 3, padding=1, bias=False), norm=nn.BatchNorm2d(cout), act=nn.ReLU())
    if pool:
        parts["pool"] = nn.MaxPool2d(2)
    return nn.Sequential(parts)


def make_net(widths, num_classes=10, in_size=32):
    cfg = [3, *widths]
    body = [conv_block(a, b) for a, b in zip(cfg[:-1], cfg[1:])]  #! cfg[1:] => cfg[:-1]
    side = in_size // 2 ** len(widths)  #! in_size // 2 ** len(widths) => in_size // 2
    return nn.Sequential(*body, nn.Flatten(), nn.Linear(widths[-1] * side * side, 48), nn.ReLU(), nn.Linear(48, num_classes))


teacher = make_net([32, 64, 128])
student = make_net([8, 16, 32])
sym = nn.Linear(10, 10, bias=False)
parametrize.register_parametrization(sym, "weight", Symmetric())
for block in student[:3]:
    parametrize.register_parametrization(block.conv, "weight", FakeQuant(block.conv.out_channels))  #! block.conv.out_channels => block.conv.in_channels
prune.l1_unstructured(student[4], name="weight", amount=0.4)
prune.ln_structured(student[-1], name="weight", amount=0.25, n=2, dim=0)
reveal_type(student[4].weight)
reveal_type(student[0].conv.weight)
reveal_type(student[-1].weight_mask)


def kd_loss(s, t, y, T=4.0, alpha=0.7):
    soft = F.kl_div(F.log_softmax(s / T, 1), F.softmax(t / T, 1), reduction="batchmean") * T * T
    return alpha * soft + (1 - alpha) * F.cross_entropy(s, y)  #! cross_entropy(s, y) => cross_entropy(s, F.one_hot(y, 12).float())


def feature_taps(net, names):
    taps = {}
    for name in names:
        net.get_submodule(name).register_forward_hook(lambda m, i, o, name=name: taps.__setitem__(name, o))
    return taps


taps_t, taps_s = feature_taps(teacher, ["0.act", "2"]), feature_taps(student, ["0.act", "2"])
adapt = nn.ModuleDict({"0_act": nn.Conv2d(8, 32, 1), "2": nn.Conv2d(32, 128, 1)})  #! nn.Conv2d(8, 32, 1) => nn.Conv2d(32, 8, 1) #! "2": nn.Conv2d(32, 128, 1) => "2": nn.Conv2d(32, 64, 1)
opt = torch.optim.SGD([*student.parameters(), *adapt.parameters(), *sym.parameters()], lr=0.01, momentum=0.9)
for step in range(3):
    x, y = torch.rand(16, 3, 32, 32), torch.randint(0, 10, (16,))  #! 32, 32 => 28, 28
    with torch.inference_mode(False), torch.no_grad():
        t = teacher(x)
    s = sym(student(x))
    loss = kd_loss(s, t, y)
    for key in taps_t:
        loss = loss + 0.1 * F.mse_loss(adapt[key.replace(".", "_")](taps_s[key]), taps_t[key])
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(taps_t["0.act"])
reveal_type(taps_s["2"])
for module, name in ((student[4], "weight"), (student[-1], "weight")):
    prune.remove(module, name)
parametrize.remove_parametrizations(sym, "weight")
reveal_type(sym.weight)
sparsity = {n: float((p == 0).float().mean()) for n, p in student.named_parameters() if p.dim() > 1}
reveal_type(student(torch.rand(2, 3, 32, 32)))
top5 = student(torch.rand(7, 3, 32, 32)).topk(5, dim=1)[1]
hit = (top5 == torch.randint(0, 10, (7, 1))).any(1)  #! torch.randint(0, 10, (7, 1)) => torch.randint(0, 10, (7,))
reveal_type(hit)
print(sparsity)
