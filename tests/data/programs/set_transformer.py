"""Set Transformer (ISAB, PMA) and Deep Sets on amortised clustering: mixtures of Gaussians with missing points."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import math


class MAB(nn.Module):
    def __init__(self, dim_Q, dim_K, dim_V, num_heads, ln=False):
        super(MAB, self).__init__()
        self.dim_V = dim_V
        self.num_heads = num_heads
        self.fc_q = nn.Linear(dim_Q, dim_V)
        self.fc_k = nn.Linear(dim_K, dim_V)  #! dim_K, dim_V => dim_Q, dim_V + 1
        self.fc_v = nn.Linear(dim_K, dim_V)
        if ln:
            self.ln0 = nn.LayerNorm(dim_V)
            self.ln1 = nn.LayerNorm(dim_V)
        self.fc_o = nn.Linear(dim_V, dim_V)

    def forward(self, Q, K, mask=None):
        Q = self.fc_q(Q)
        K, V = self.fc_k(K), self.fc_v(K)
        dim_split = self.dim_V // self.num_heads
        Q_ = torch.cat(Q.split(dim_split, 2), 0)
        K_ = torch.cat(K.split(dim_split, 2), 0)  #! dim_split, 2), 0) => dim_split, 2), 2)
        V_ = torch.cat(V.split(dim_split, 2), 0)
        E = Q_.bmm(K_.transpose(1, 2)) / math.sqrt(self.dim_V)
        if mask is not None:
            E = E.masked_fill(mask.unsqueeze(1).repeat(self.num_heads, Q_.size(1), 1), -1e9)  #! mask.unsqueeze(1).repeat(self.num_heads, Q_.size(1), 1) => mask.repeat(self.num_heads, Q_.size(1))
        A = torch.softmax(E, 2)
        O = torch.cat((Q_ + A.bmm(V_)).split(Q.size(0), 0), 2)
        O = O if getattr(self, 'ln0', None) is None else self.ln0(O)
        O = O + F.relu(self.fc_o(O))
        O = O if getattr(self, 'ln1', None) is None else self.ln1(O)
        return O


class SAB(nn.Module):
    def __init__(self, dim_in, dim_out, num_heads, ln=False):
        super().__init__()
        self.mab = MAB(dim_in, dim_in, dim_out, num_heads, ln=ln)

    def forward(self, X):
        return self.mab(X, X)


class ISAB(nn.Module):
    def __init__(self, dim_in, dim_out, num_heads, num_inds, ln=False):
        super().__init__()
        self.I = nn.Parameter(torch.Tensor(1, num_inds, dim_out))
        nn.init.xavier_uniform_(self.I)
        self.mab0 = MAB(dim_out, dim_in, dim_out, num_heads, ln=ln)  #! MAB(dim_out, dim_in => MAB(dim_in, dim_out
        self.mab1 = MAB(dim_in, dim_out, dim_out, num_heads, ln=ln)

    def forward(self, X, mask=None):
        H = self.mab0(self.I.repeat(X.size(0), 1, 1), X, mask)  #! self.I.repeat(X.size(0), 1, 1) => self.I
        return self.mab1(X, H)


class PMA(nn.Module):
    def __init__(self, dim, num_heads, num_seeds, ln=False):
        super().__init__()
        self.S = nn.Parameter(torch.Tensor(1, num_seeds, dim))
        nn.init.xavier_uniform_(self.S)
        self.mab = MAB(dim, dim, dim, num_heads, ln=ln)

    def forward(self, X, mask=None):
        return self.mab(self.S.repeat(X.size(0), 1, 1), X, mask)


class SetTransformer(nn.Module):
    def __init__(self, dim_input, num_outputs, dim_output, num_inds=8, dim_hidden=32, num_heads=4, ln=True):
        super().__init__()
        self.enc = nn.ModuleList([ISAB(dim_input, dim_hidden, num_heads, num_inds, ln=ln), ISAB(dim_hidden, dim_hidden, num_heads, num_inds, ln=ln)])
        self.pma = PMA(dim_hidden, num_heads, num_outputs, ln=ln)
        self.dec = nn.Sequential(SAB(dim_hidden, dim_hidden, num_heads, ln=ln), SAB(dim_hidden, dim_hidden, num_heads, ln=ln), nn.Linear(dim_hidden, dim_output))

    def forward(self, X, mask=None):
        for layer in self.enc:
            X = layer(X, mask)
        return self.dec(self.pma(X, mask))


class DeepSet(nn.Module):
    def __init__(self, dim_input, num_outputs, dim_output, dim_hidden=32):
        super().__init__()
        self.num_outputs = num_outputs
        self.dim_output = dim_output
        self.enc = nn.Sequential(nn.Linear(dim_input, dim_hidden), nn.ReLU(), nn.Linear(dim_hidden, dim_hidden))
        self.dec = nn.Sequential(nn.Linear(3 * dim_hidden, dim_hidden), nn.ReLU(), nn.Linear(dim_hidden, num_outputs * dim_output))  #! 3 * dim_hidden => 2 * dim_hidden

    def forward(self, X, mask=None):
        X = self.enc(X)
        keep = torch.ones_like(X[..., :1]) if mask is None else (~mask).unsqueeze(-1).to(X.dtype)  #! .unsqueeze(-1).to => .to
        n = keep.sum(-2)
        total = (X * keep).sum(-2)
        top = X.masked_fill(keep == 0, float("-inf")).amax(-2)
        pooled = torch.cat([total, total / n, top], dim=-1)
        return self.dec(pooled).reshape(-1, self.num_outputs, self.dim_output)


class MultivariateNormal(object):
    def __init__(self, dim):
        self.dim = dim

    def parse(self, raw):
        pi = torch.softmax(raw[..., 0], -1)
        mu = raw[..., 1:1 + self.dim]
        sigma = F.softplus(raw[..., 1 + self.dim:])
        return pi, mu, sigma

    def log_prob(self, X, pi, mu, sigma):
        X = X.unsqueeze(2)
        mu, sigma = mu.unsqueeze(1), sigma.unsqueeze(1)  #! sigma.unsqueeze(1) => sigma
        diff = X - mu
        ll = -0.5 * math.log(2 * math.pi) - sigma.log() - 0.5 * (diff.pow(2) / sigma.pow(2))
        return ll.sum(-1) + pi.clamp(min=1e-10).log().unsqueeze(1)  #! .unsqueeze(1) => .unsqueeze(2)


def sample_mog(B, N, K, dim):
    mu = -4 + 8 * torch.rand(B, K, dim)
    sigma = torch.full((B, K, dim), 0.3)
    pi = torch.distributions.Dirichlet(torch.ones(K)).sample((B,))
    labels = torch.distributions.Categorical(probs=pi).sample((N,)).transpose(0, 1).contiguous()  #! .transpose(0, 1).contiguous() => .contiguous()
    idx = labels.unsqueeze(-1).expand(-1, -1, dim)
    X = mu.gather(1, idx) + sigma.gather(1, idx) * torch.randn(B, N, dim)
    return X, labels


B, N, K, D = 5, 40, 4, 2
mvn = MultivariateNormal(D)
for name, factory in (("set", SetTransformer), ("deep", DeepSet)):
    net = factory(D, K, 1 + 2 * D)  #! 1 + 2 * D => 1 + D
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for t in range(2):
        X, labels = sample_mog(B, N, K, D)
        missing = torch.rand(B, N) < 0.2
        out = net(X, missing)
        reveal_type(out)
        pi, mu, sigma = mvn.parse(out)
        ll = mvn.log_prob(X, pi, mu, sigma)
        reveal_type(ll)
        ll = torch.logsumexp(ll, -1)
        loss = -(ll * ~missing).sum() / (~missing).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
assigned = mvn.log_prob(X, pi, mu, sigma).argmax(-1)
reveal_type(assigned)
agreement = (F.one_hot(assigned, K).transpose(1, 2).float() @ F.one_hot(labels, K).float())  #! .transpose(1, 2).float() @ => .float() @
reveal_type(agreement)
