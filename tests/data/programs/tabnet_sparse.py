"""TabNet: sparsemax attention over features, ghost batch normalization, step-wise decisions, and masks for interpretation."""
import numpy as np
import torch
from torch.nn import BatchNorm1d, Linear, Module, ModuleList, ReLU, Parameter, Embedding
from torch.autograd import Function


class SparsemaxFunction(Function):
    @staticmethod
    def forward(ctx, input, dim=-1):
        ctx.dim = dim
        max_val, _ = input.max(dim=dim, keepdim=True)
        input = input - max_val
        tau, supp_size = SparsemaxFunction._threshold_and_support(input, dim=dim)
        output = torch.clamp(input - tau, min=0)
        ctx.save_for_backward(supp_size, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        supp_size, output = ctx.saved_tensors
        dim = ctx.dim
        grad_input = grad_output.clone()
        grad_input[output == 0] = 0
        v_hat = grad_input.sum(dim=dim) / supp_size.to(output.dtype).squeeze(dim)
        v_hat = v_hat.unsqueeze(dim)
        grad_input = torch.where(output != 0, grad_input - v_hat, grad_input)
        return grad_input, None

    @staticmethod
    def _threshold_and_support(input, dim=-1):
        input_srt, _ = torch.sort(input, descending=True, dim=dim)
        input_cumsum = input_srt.cumsum(dim) - 1
        rhos = torch.arange(1, input.size(dim) + 1, dtype=input.dtype)
        view = [1] * input.dim()
        view[0] = -1
        rhos = rhos.view(view).transpose(0, dim)  #! .transpose(0, dim) => .contiguous()
        support = rhos * input_srt > input_cumsum
        support_size = support.sum(dim=dim).unsqueeze(dim)
        tau = input_cumsum.gather(dim, support_size - 1)
        tau /= support_size.to(input.dtype)
        return tau, support_size


sparsemax = SparsemaxFunction.apply


def initialize_non_glu(module, input_dim, output_dim):
    gain_value = np.sqrt((input_dim + output_dim) / np.sqrt(4 * input_dim))
    torch.nn.init.xavier_normal_(module.weight, gain=gain_value)


class GBN(Module):
    def __init__(self, input_dim, virtual_batch_size=8, momentum=0.01):
        super(GBN, self).__init__()
        self.virtual_batch_size = virtual_batch_size
        self.bn = BatchNorm1d(input_dim, momentum=momentum)

    def forward(self, x):
        chunks = x.chunk(int(np.ceil(x.shape[0] / self.virtual_batch_size)), 0)
        return torch.cat([self.bn(x_) for x_ in chunks], dim=0)  #! dim=0 => dim=1


class GLULayer(Module):
    def __init__(self, input_dim, output_dim, fc=None):
        super().__init__()
        self.output_dim = output_dim
        self.fc = fc if fc else Linear(input_dim, 2 * output_dim, bias=False)
        self.bn = GBN(2 * output_dim)  #! GBN(2 * output_dim) => GBN(output_dim)

    def forward(self, x):
        x = self.bn(self.fc(x))
        return torch.mul(x[:, : self.output_dim], torch.sigmoid(x[:, self.output_dim :]))


class GLUBlock(Module):
    def __init__(self, input_dim, output_dim, n_glu=2, first=False, shared_layers=None):
        super().__init__()
        self.first, self.shared_layers, self.n_glu = first, shared_layers, n_glu
        self.glu_layers = ModuleList()
        params = {"input_dim": input_dim, "output_dim": output_dim}
        fc = shared_layers[0] if shared_layers else None
        self.glu_layers.append(GLULayer(**params, fc=fc))
        for glu_id in range(1, self.n_glu):
            fc = shared_layers[glu_id] if shared_layers else None
            self.glu_layers.append(GLULayer(output_dim, output_dim, fc=fc))

    def forward(self, x):
        scale = torch.sqrt(torch.FloatTensor([0.5]))
        if self.first:
            x = self.glu_layers[0](x)
            layers_left = range(1, self.n_glu)
        else:
            layers_left = range(self.n_glu)
        for glu_id in layers_left:
            x = torch.add(x, self.glu_layers[glu_id](x))
            x = x * scale
        return x


class FeatTransformer(Module):
    def __init__(self, input_dim, output_dim, shared_layers, n_independent):
        super().__init__()
        is_first = shared_layers is None
        self.shared = GLUBlock(input_dim, output_dim, first=True, shared_layers=shared_layers, n_glu=len(shared_layers)) if shared_layers else torch.nn.Identity()
        spec_input_dim = input_dim if is_first else output_dim
        self.specifics = GLUBlock(spec_input_dim, output_dim, first=is_first, n_glu=n_independent)

    def forward(self, x):
        return self.specifics(self.shared(x))


class AttentiveTransformer(Module):
    def __init__(self, input_dim, output_dim):
        super().__init__()
        self.fc = Linear(input_dim, output_dim, bias=False)
        initialize_non_glu(self.fc, input_dim, output_dim)
        self.bn = GBN(output_dim)

    def forward(self, priors, processed_feat):
        x = self.bn(self.fc(processed_feat))
        x = torch.mul(x, priors)
        return sparsemax(x, -1)


class TabNetEncoder(Module):
    def __init__(self, input_dim, output_dim, n_d=8, n_a=6, n_steps=3, gamma=1.3, n_independent=2, n_shared=2, epsilon=1e-15):
        super().__init__()
        self.n_d, self.n_a, self.n_steps, self.gamma, self.epsilon = n_d, n_a, n_steps, gamma, epsilon
        self.input_dim = input_dim
        self.initial_bn = BatchNorm1d(self.input_dim, momentum=0.01)
        shared = ModuleList()
        for i in range(n_shared):
            shared.append(Linear(input_dim if i == 0 else n_d + n_a, 2 * (n_d + n_a), bias=False))  #! input_dim if i == 0 else n_d + n_a => input_dim if i == 0 else n_d
        self.initial_splitter = FeatTransformer(input_dim, n_d + n_a, shared, n_independent)
        self.feat_transformers, self.att_transformers = ModuleList(), ModuleList()
        for step in range(n_steps):
            self.feat_transformers.append(FeatTransformer(input_dim, n_d + n_a, shared, n_independent=n_independent))
            self.att_transformers.append(AttentiveTransformer(n_a, input_dim))  #! AttentiveTransformer(n_a, input_dim) => AttentiveTransformer(n_d, input_dim)

    def forward(self, x, prior=None):
        x = self.initial_bn(x)
        prior = torch.ones(x.shape) if prior is None else prior
        M_loss = 0
        att = self.initial_splitter(x)[:, self.n_d :]
        steps_output = []
        for step in range(self.n_steps):
            M = self.att_transformers[step](prior, att)
            M_loss += torch.mean(torch.sum(torch.mul(M, torch.log(M + self.epsilon)), dim=1))
            prior = torch.mul(self.gamma - M, prior)
            out = self.feat_transformers[step](torch.mul(M, x))
            steps_output.append(ReLU()(out[:, : self.n_d]))  #! out[:, : self.n_d] => out[: self.n_d]
            att = out[:, self.n_d :]  #! out[:, self.n_d :] => out[:, : self.n_d]
        return steps_output, M_loss / self.n_steps

    def forward_masks(self, x):
        x = self.initial_bn(x)
        prior, masks = torch.ones(x.shape), {}
        M_explain = torch.zeros(x.shape)
        att = self.initial_splitter(x)[:, self.n_d :]
        for step in range(self.n_steps):
            M = self.att_transformers[step](prior, att)
            masks[step] = M
            prior = torch.mul(self.gamma - M, prior)
            out = self.feat_transformers[step](torch.mul(M, x))
            step_importance = torch.sum(ReLU()(out[:, : self.n_d]), dim=1)
            M_explain += torch.mul(M, step_importance.unsqueeze(dim=1))  #! step_importance.unsqueeze(dim=1) => step_importance
            att = out[:, self.n_d :]
        return M_explain, masks


class EmbeddingGenerator(Module):
    def __init__(self, input_dim, cat_dims, cat_idxs, cat_emb_dim):
        super().__init__()
        self.cat_idxs = cat_idxs
        self.embeddings = ModuleList([Embedding(d, cat_emb_dim) for d in cat_dims])
        self.post_embed_dim = input_dim + sum([cat_emb_dim] * len(cat_dims)) - len(cat_dims)  #! - len(cat_dims) => + len(cat_dims)
        self.continuous_idx = [i not in cat_idxs for i in range(input_dim)]

    def forward(self, x):
        cols, cat_feat_counter = [], 0
        for feat_init_idx, is_continuous in enumerate(self.continuous_idx):
            if is_continuous:
                cols.append(x[:, feat_init_idx].float().view(-1, 1))
            else:
                cols.append(self.embeddings[cat_feat_counter](x[:, feat_init_idx].long()))
                cat_feat_counter += 1
        return torch.cat(cols, dim=1)


class TabNet(Module):
    def __init__(self, input_dim, output_dim, cat_dims, cat_idxs):
        super().__init__()
        self.embedder = EmbeddingGenerator(input_dim, cat_dims, cat_idxs, 3)
        self.encoder = TabNetEncoder(self.embedder.post_embed_dim, output_dim)
        self.final_mapping = Linear(self.encoder.n_d, output_dim, bias=False)

    def forward(self, x):
        x = self.embedder(x)
        reveal_type(x)
        steps_output, M_loss = self.encoder(x)
        res = torch.sum(torch.stack(steps_output, dim=0), dim=0)
        return self.final_mapping(res), M_loss


X = np.random.randn(64, 7).astype(np.float32)
X[:, 2] = np.random.randint(0, 4, 64)
X[:, 5] = np.random.randint(0, 6, 64)
y = np.random.randint(0, 3, size=64)
net = TabNet(7, 3, cat_dims=[4, 6], cat_idxs=[2, 5])
opt = torch.optim.Adam(net.parameters(), lr=2e-2)
for i in range(0, 64, 16):
    xb, yb = torch.from_numpy(X[i : i + 16]), torch.from_numpy(y[i : i + 16])
    logits, m_loss = net(xb)
    loss = torch.nn.functional.cross_entropy(logits, yb) - 1e-3 * m_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(logits)
net.eval()
explain, masks = net.encoder.forward_masks(net.embedder(torch.from_numpy(X)))
reveal_type(explain)
reveal_type(masks[2])
