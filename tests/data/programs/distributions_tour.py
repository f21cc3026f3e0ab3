"""Random variables as objects: batch and event shapes, mixtures, transforms, divergences, and a policy for every kind of action."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import distributions as D
from torch.distributions import Bernoulli, Beta, Categorical, Independent, MultivariateNormal, Normal, OneHotCategorical, kl_divergence
from torch.distributions.transforms import AffineTransform, SigmoidTransform, TanhTransform
from torch.distributions.utils import probs_to_logits


class GaussianMixtureHead(nn.Module):
    def __init__(self, inp, components, dim):
        super().__init__()
        self.components, self.dim = components, dim
        self.net = nn.Linear(inp, components * (1 + 2 * dim))  #! (1 + 2 * dim) => (2 * dim)

    def forward(self, x):
        logits, params = self.net(x).split([self.components, 2 * self.components * self.dim], dim=-1)
        loc, scale = params.view(*x.shape[:-1], self.components, 2 * self.dim).chunk(2, dim=-1)
        mix = Categorical(logits=logits)
        comp = Independent(Normal(loc, F.softplus(scale) + 1e-3), 1)
        return D.MixtureSameFamily(mix, comp)


class TanhGaussian(nn.Module):
    def __init__(self, obs, act, hidden=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU())
        self.mu, self.log_std = nn.Linear(hidden, act), nn.Parameter(torch.zeros(act))  #! nn.Parameter(torch.zeros(act)) => nn.Parameter(torch.zeros(obs))

    def forward(self, obs):
        mu = self.mu(self.trunk(obs))
        base = Normal(mu, self.log_std.clamp(-5, 2).exp().expand_as(mu))
        return Independent(D.TransformedDistribution(base, [TanhTransform(cache_size=1), AffineTransform(0.0, 2.0)]), 1)


class VAE(nn.Module):
    def __init__(self, data=20, latent=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(data, 16), nn.ReLU(), nn.Linear(16, 2 * latent))
        self.dec = nn.Sequential(nn.Linear(latent, 16), nn.ReLU(), nn.Linear(16, data))
        self.register_buffer("zero", torch.zeros(latent))
        self.register_buffer("one", torch.ones(latent))

    @property
    def prior(self):
        return Independent(Normal(self.zero, self.one), 1)

    def elbo(self, x, samples=6):
        mu, rho = self.enc(x).chunk(2, -1)
        q = Independent(Normal(mu, F.softplus(rho)), 1)
        z = q.rsample((samples,))
        reveal_type(z)
        likelihood = Independent(Bernoulli(logits=self.dec(z)), 1)
        log_p = likelihood.log_prob(x)  #! log_prob(x) => log_prob(x[:, :10])
        return torch.logsumexp(log_p + self.prior.log_prob(z) - q.log_prob(z), 0) - torch.tensor(float(samples)).log(), kl_divergence(q, self.prior.expand(q.batch_shape))


def main():
    torch.manual_seed(0)
    head = GaussianMixtureHead(8, 5, 3)
    dist = head(torch.randn(7, 8))
    sample = dist.sample()
    reveal_type(sample)
    reveal_type(dist.log_prob(sample))
    reveal_type(dist.mean)
    policy = TanhGaussian(6, 2)
    pi = policy(torch.randn(9, 6))
    action = pi.rsample()
    reveal_type(action)
    reveal_type(pi.log_prob(action))  #! pi.log_prob(action) => pi.log_prob(action.unsqueeze(1).expand(-1, 4, -1))
    elbo, kl = VAE().elbo(torch.rand(11, 20).round())
    reveal_type(elbo)
    reveal_type(kl)
    (-elbo.mean() + kl.mean()).backward()
    cat = Categorical(probs=torch.ones(4, 6) / 6)
    reveal_type(cat.probs)
    reveal_type(cat.logits)
    reveal_type(cat.sample((3,)))
    reveal_type(cat.entropy())
    reveal_type(cat.enumerate_support())
    reveal_type(cat.batch_shape)
    value = cat.log_prob(torch.tensor([0, 5, 2, 1]))  #! torch.tensor([0, 5, 2, 1]) => torch.tensor([0, 5, 2])
    reveal_type(value)
    one_hot = OneHotCategorical(logits=torch.randn(5, 3))
    reveal_type(one_hot.sample())
    mvn = MultivariateNormal(torch.zeros(3, 2), scale_tril=torch.eye(2).expand(3, 2, 2))
    reveal_type(mvn.rsample((10,)))
    reveal_type(mvn.covariance_matrix)
    reveal_type(mvn.event_shape)
    full = D.LowRankMultivariateNormal(torch.zeros(4), torch.randn(4, 2), torch.ones(4))
    reveal_type(full.log_prob(torch.randn(8, 4)))
    beta = Beta(torch.full((5, 1), 2.0), torch.ones(5, 3))
    reveal_type(beta.sample())
    reveal_type(beta.variance)
    dirichlet = D.Dirichlet(torch.ones(2, 4))
    reveal_type(dirichlet.sample([6]))
    reveal_type(dirichlet.entropy())
    multi = D.Multinomial(10, probs=torch.ones(3, 4))
    reveal_type(multi.sample())
    log_normal = D.LogNormal(torch.zeros(3), 0.5)
    reveal_type(log_normal.rsample())
    gamma, poisson = D.Gamma(2.0, torch.ones(4)), D.Poisson(torch.ones(2, 3))
    reveal_type(gamma.log_prob(torch.ones(5, 4)))
    reveal_type(poisson.sample())
    uniform = D.Uniform(torch.zeros(2), torch.ones(2)).expand([6, 2])
    reveal_type(uniform.sample())
    divergence = kl_divergence(Normal(torch.zeros(3, 1), 1.0), Normal(torch.zeros(4), 2.0))
    reveal_type(divergence)
    relaxed = D.RelaxedOneHotCategorical(torch.tensor(0.5), logits=torch.randn(2, 5))
    reveal_type(relaxed.rsample())
    reveal_type(probs_to_logits(cat.probs))


if __name__ == "__main__":
    main()
