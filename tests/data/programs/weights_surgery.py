"""Surgery on weights: growing heads, EMA over zipped parameters, LSTM forget biases by name, spectral penalties, tied projections, state dicts by prefix."""
import copy
import itertools
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class Memory(nn.Module):
    def __init__(self, inputs, hidden, layers=2):
        super().__init__()
        self.rnn = nn.LSTM(inputs, hidden, num_layers=layers, batch_first=True)
        self.mix = nn.MultiheadAttention(hidden, 4, batch_first=True)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x, state=None):
        h, state = self.rnn(x, state)
        a, _ = self.mix(h, h, h)
        return self.norm(h + a), state


class Agent(nn.Module):
    def __init__(self, obs=11, hidden=32, actions=5):
        super().__init__()
        self.encoder = nn.Sequential(OrderedDict(fc=nn.Linear(obs, hidden), act=nn.ELU()))
        self.memory = Memory(hidden, hidden)
        self.policy = nn.Linear(hidden, actions)
        self.value = nn.Linear(hidden, 1)
        self.decode = nn.Linear(hidden, obs, bias=False)
        self.init_weights()

    def init_weights(self):
        hidden = self.memory.rnn.hidden_size
        for name, p in self.memory.rnn.named_parameters():
            if "weight_hh" in name:
                for k in range(4):
                    nn.init.orthogonal_(p[k * hidden:(k + 1) * hidden])
            elif name.startswith("bias"):
                p.data[hidden:2 * hidden] = torch.ones(hidden)  #! torch.ones(hidden) => torch.ones(2 * hidden)
        for layer in range(self.memory.rnn.num_layers):
            w = getattr(self.memory.rnn, f"weight_hh_l{layer}")
            w.data += 0.01 * torch.eye(hidden).repeat(4, 1)  #! repeat(4, 1) => repeat(1, 4)

    def forward(self, obs, state=None):
        z, state = self.memory(self.encoder(obs), state)
        return self.policy(z), self.value(z).squeeze(-1), F.linear(z, self.encoder.fc.weight.t()), state  #! self.encoder.fc.weight.t() => self.encoder.fc.weight


def grow_actions(agent, extra):
    old = agent.policy
    new = nn.Linear(old.in_features, old.out_features + extra)
    with torch.no_grad():
        new.weight[:old.out_features] = old.weight
        new.bias[:old.out_features] = old.bias  #! new.bias[:old.out_features] => new.bias[:extra]
        new.weight[old.out_features:].zero_()
    agent.policy = new
    return agent


@torch.no_grad()
def polyak(target, source, tau=0.01):
    for t, s in zip(target.parameters(), source.parameters()):
        t.data.mul_(1 - tau).add_(tau * s.data)


def distance(a, b):
    total = 0.0
    for (n, p), (m, q) in zip(a.named_parameters(), b.named_parameters()):
        assert n == m
        total = total + (p - q).pow(2).mean()
    return total


def spectral(model):
    total = 0
    for name, p in model.named_parameters():
        if p.ndim == 2 and "policy" in name:
            u = torch.ones(p.shape[0])
            v = F.normalize(p.t() @ u, dim=0)  #! p.t() @ u => p @ u
            total = total + F.normalize(p @ v, dim=0) @ p @ v
    return total


def subset(state, prefix):
    return {k[len(prefix):]: v for k, v in state.items() if k.startswith(prefix)}


def main():
    torch.manual_seed(1)
    agent = Agent()
    target = copy.deepcopy(agent)
    obs = torch.randn(3, 7, 11)  #! 3, 7, 11 => 3, 7, 12
    logits, value, recon, (h, c) = agent(obs)
    reveal_type(logits)
    reveal_type(recon)
    reveal_type(h)
    loss = F.mse_loss(recon, obs) + value.mean() + 1e-3 * spectral(agent) + distance(agent, target)
    params = [p for n, p in agent.named_parameters() if not n.endswith("bias")]
    grads = torch.autograd.grad(loss, params, allow_unused=True)
    norm = torch.stack([g.norm() for g in grads if g is not None])
    reveal_type(norm.norm())
    polyak(target, agent)
    head = nn.Linear(32, 5)
    head.load_state_dict(subset(agent.state_dict(), "policy."))  #! "policy." => "value."
    memory = Memory(32, 32)  #! 32, 32 => 11, 32
    memory.load_state_dict(subset(agent.state_dict(), "memory."))
    bigger = grow_actions(agent, 3)
    reveal_type(bigger(obs, (h, c))[0])
    polyak(target, Agent(actions=5))  #! actions=5 => actions=6
    flat = torch.cat([p.detach().flatten() for p in head.parameters()])
    reveal_type(flat)
    vector = nn.utils.parameters_to_vector(itertools.chain(head.parameters(), target.value.parameters()))
    reveal_type(vector)
    nn.utils.vector_to_parameters(flat * 0.5, head.parameters())
    count = sum(p.numel() for p in head.parameters())
    print(flat @ torch.ones(count), vector.shape)  #! torch.ones(count) => torch.ones(count - 1)
    w_ih, w_hh, *_ = target.memory.rnn.all_weights[1]
    reveal_type(w_ih)
    cell = nn.LSTMCell(32, 32)
    with torch.no_grad():
        for p, q in zip(cell.parameters(), target.memory.rnn.all_weights[0]):
            p.copy_(q)
    print(cell(torch.randn(2, 32), (h[0, :2], c[0, :2]))[0].shape)  #! h[0, :2] => h[0, :1]


if __name__ == "__main__":
    main()
