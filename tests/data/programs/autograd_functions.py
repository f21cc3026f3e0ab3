"""Functions with gradients of one's own: straight-through rounding, a fused linear layer, gradient reversal, memory-saving blocks."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class RoundSTE(Function):
    @staticmethod
    def forward(ctx, x, levels):
        ctx.save_for_backward(x)
        return torch.round(x.clamp(0, 1) * levels) / levels

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * ((x >= 0) & (x <= 1)).to(grad_output.dtype), None


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class FusedLinear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(output_features, input_features))  #! output_features, input_features => input_features, output_features
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter("bias", None)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, input):
        shape = input.shape
        out = LinearFunction.apply(input.reshape(-1, shape[-1]), self.weight, self.bias)
        return out.view(*shape[:-1], -1)


class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.neg() * ctx.alpha, None


class VectorQuantizeST(Function):
    @staticmethod
    def forward(ctx, inputs, codebook):
        with torch.no_grad():
            size = codebook.size(1)
            flat = inputs.view(-1, size)
            distances = torch.addmm((codebook**2).sum(1) + (flat**2).sum(1, keepdim=True), flat, codebook.t(), alpha=-2.0, beta=1.0)  #! codebook.t() => codebook
            indices = distances.argmin(dim=1).view(*inputs.size()[:-1])
        ctx.save_for_backward(indices.view(-1), codebook)
        ctx.mark_non_differentiable(indices)
        codes = torch.index_select(codebook, dim=0, index=indices.view(-1)).view_as(inputs)
        return codes, indices

    @staticmethod
    def backward(ctx, grad_output, grad_indices):
        indices, codebook = ctx.saved_tensors
        grad_codebook = torch.zeros_like(codebook).index_add_(0, indices, grad_output.contiguous().view(-1, codebook.size(1)))
        return grad_output.clone(), grad_codebook


class RevBlockFunction(Function):
    @staticmethod
    def forward(ctx, x, f, g, *params):
        x1, x2 = torch.chunk(x, 2, dim=1)
        with torch.no_grad():
            y1 = x1 + f(x2)
            y2 = x2 + g(y1)
        y = torch.cat([y1, y2], dim=1)
        ctx.f, ctx.g = f, g
        ctx.save_for_backward(y.detach(), *params)
        return y

    @staticmethod
    def backward(ctx, dy):
        y, *params = ctx.saved_tensors
        return (dy, None, None) + tuple(torch.zeros_like(p) for p in params)


class RevBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        half = channels // 2  #! channels // 2 => channels
        make = lambda: nn.Sequential(nn.GroupNorm(2, half), nn.ReLU(), nn.Conv2d(half, half, 3, padding=1))
        self.f, self.g = make(), make()

    def forward(self, x):
        return RevBlockFunction.apply(x, self.f, self.g, *self.parameters())


class DomainNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.Sequential(*(RevBlock(8) for _ in range(2)))
        self.codebook = nn.Parameter(torch.randn(20, 8))
        self.label = FusedLinear(8 * 4, 5)
        self.domain = FusedLinear(8 * 4, 2, bias=False)

    def forward(self, x, alpha=1.0):
        h = self.blocks(self.stem(RoundSTE.apply(x, 15)))
        h = F.adaptive_avg_pool2d(h, 2).permute(0, 2, 3, 1).contiguous()
        q, indices = VectorQuantizeST.apply(h, self.codebook)
        reveal_type(indices)
        flat = q.flatten(1)
        return self.label(flat), self.domain(GradientReversal.apply(flat, alpha)), F.mse_loss(q, h.detach())


if __name__ == "__main__":
    net = DomainNet()
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    source, target = torch.rand(6, 3, 10, 10), torch.rand(4, 3, 12, 12)
    label, d_source, c1 = net(source)
    _, d_target, c2 = net(target, alpha=0.5)
    domains = torch.cat([torch.zeros(6), torch.ones(4)]).long()  #! torch.ones(4)]) => torch.ones(6)])
    loss = F.cross_entropy(label, torch.randint(5, (6,))) + F.cross_entropy(torch.cat([d_source, d_target]), domains) + c1 + c2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    reveal_type(label)
    reveal_type(d_target)
    x = torch.randn(3, 4, 7, dtype=torch.double, requires_grad=True)
    layer = FusedLinear(7, 2).double()
    reveal_type(layer(x))
    (gx,) = torch.autograd.grad(layer(x).sum(), x)
    reveal_type(gx)
