"""A transformer over returns, states and actions, with trajectories that are cut, padded and normalised."""
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def discount_cumsum(x, gamma):
    out = np.zeros_like(x)
    out[-1] = x[-1]
    for t in reversed(range(x.shape[0] - 1)):
        out[t] = x[t] + gamma * out[t + 1]
    return out


class CausalAttention(nn.Module):
    def __init__(self, dim, heads, max_len):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.register_buffer("mask", torch.tril(torch.ones(max_len, max_len)).bool()[None, None])

    def forward(self, x, padding):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)  #! .permute(2, 0, 3, 1, 4) => .permute(0, 2, 3, 1, 4)
        allowed = self.mask[..., :t, :t] & padding[:, None, None, :].bool()
        att = (q @ k.transpose(-2, -1)) / (d // self.heads) ** 0.5
        att = att.masked_fill(~allowed, torch.finfo(att.dtype).min).softmax(-1)
        return self.proj((att @ v).transpose(1, 2).contiguous().view(b, t, d))


class DecisionTransformer(nn.Module):
    def __init__(self, state_dim, act_dim, hidden=32, K=8, max_ep_len=50, n_layer=2, n_head=2):
        super().__init__()
        self.state_dim, self.act_dim, self.hidden_size, self.max_length = state_dim, act_dim, hidden, K
        self.embed_timestep = nn.Embedding(max_ep_len, hidden)
        self.embed_return, self.embed_state, self.embed_action = nn.Linear(1, hidden), nn.Linear(state_dim, hidden), nn.Linear(act_dim, hidden)
        self.embed_ln = nn.LayerNorm(hidden)
        self.blocks = nn.ModuleList([nn.ModuleDict({"ln1": nn.LayerNorm(hidden), "attn": CausalAttention(hidden, n_head, 3 * K), "ln2": nn.LayerNorm(hidden),  #! 3 * K), "ln2" => K), "ln2"
                                                     "mlp": nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))}) for _ in range(n_layer)])
        self.predict_state = nn.Linear(hidden, state_dim)
        self.predict_action = nn.Sequential(*([nn.Linear(hidden, act_dim)] + ([nn.Tanh()] if act_dim else [])))
        self.predict_return = nn.Linear(hidden, 1)

    def forward(self, states, actions, returns_to_go, timesteps, attention_mask=None):
        batch_size, seq_length = states.shape[0], states.shape[1]
        if attention_mask is None:
            attention_mask = torch.ones((batch_size, seq_length), dtype=torch.long)
        time_embeddings = self.embed_timestep(timesteps)
        s, a, r = (f(x) + time_embeddings for f, x in ((self.embed_state, states), (self.embed_action, actions), (self.embed_return, returns_to_go)))
        stacked = torch.stack((r, s, a), dim=1).permute(0, 2, 1, 3).reshape(batch_size, 3 * seq_length, self.hidden_size)
        x = self.embed_ln(stacked)
        mask = torch.stack((attention_mask, attention_mask, attention_mask), dim=1).permute(0, 2, 1).reshape(batch_size, 3 * seq_length)  #! .permute(0, 2, 1).reshape(batch_size, 3 * seq_length) => .permute(0, 2, 1)
        for block in self.blocks:
            x = x + block["attn"](block["ln1"](x), mask)
            x = x + block["mlp"](block["ln2"](x))
        x = x.reshape(batch_size, seq_length, 3, self.hidden_size).permute(0, 2, 1, 3)
        return self.predict_state(x[:, 2]), self.predict_action(x[:, 1]), self.predict_return(x[:, 2])

    @torch.no_grad()
    def get_action(self, states, actions, returns_to_go, timesteps):
        states, actions = states.reshape(1, -1, self.state_dim), actions.reshape(1, -1, self.act_dim)
        returns_to_go, timesteps = returns_to_go.reshape(1, -1, 1), timesteps.reshape(1, -1)
        K = self.max_length
        states, actions, returns_to_go, timesteps = states[:, -K:], actions[:, -K:], returns_to_go[:, -K:], timesteps[:, -K:]
        mask = torch.cat([torch.zeros(K - states.shape[1]), torch.ones(states.shape[1])]).to(dtype=torch.long).reshape(1, -1)
        pad = lambda x, d: torch.cat([torch.zeros((x.shape[0], K - x.shape[1], d)), x], dim=1).to(dtype=torch.float32)
        timesteps = torch.cat([torch.zeros((1, K - timesteps.shape[1])), timesteps], dim=1).to(dtype=torch.long)
        _, action, _ = self.forward(pad(states, self.state_dim), pad(actions, self.act_dim), pad(returns_to_go, 1), timesteps, mask)
        return action[0, -1]


class Trajectories:
    def __init__(self, n, state_dim, act_dim, seed=0):
        rng = np.random.RandomState(seed)
        self.paths = []
        for _ in range(n):
            T = rng.randint(5, 20)
            self.paths.append({"observations": rng.randn(T, state_dim), "actions": rng.uniform(-1, 1, (T, act_dim)), "rewards": rng.randn(T)})
        states = np.concatenate([p["observations"] for p in self.paths], axis=0)
        self.mean, self.std = states.mean(0), states.std(axis=0) + 1e-6
        lengths = np.array([len(p["rewards"]) for p in self.paths])
        self.p_sample = lengths / lengths.sum()
        self.state_dim, self.act_dim = state_dim, act_dim

    def get_batch(self, batch_size, max_len):
        inds = np.random.choice(np.arange(len(self.paths)), size=batch_size, replace=True, p=self.p_sample)
        s, a, r, rtg, timesteps, mask = [], [], [], [], [], []
        for i in range(batch_size):
            traj = self.paths[inds[i]]
            si = random.randint(0, traj["rewards"].shape[0] - 1)
            s.append(traj["observations"][si : si + max_len].reshape(1, -1, self.state_dim))
            a.append(traj["actions"][si : si + max_len].reshape(1, -1, self.act_dim))
            tlen = s[-1].shape[1]
            timesteps.append(np.arange(si, si + tlen).reshape(1, -1))
            rtg.append(discount_cumsum(traj["rewards"][si:], gamma=1.0)[:tlen].reshape(1, -1, 1))
            s[-1] = np.concatenate([np.zeros((1, max_len - tlen, self.state_dim)), s[-1]], axis=1)  #! max_len - tlen, self.state_dim => max_len - tlen, self.act_dim
            s[-1] = (s[-1] - self.mean) / self.std
            a[-1] = np.concatenate([np.ones((1, max_len - tlen, self.act_dim)) * -10.0, a[-1]], axis=1)
            rtg[-1] = np.concatenate([np.zeros((1, max_len - tlen, 1)), rtg[-1]], axis=1) / 100.0
            timesteps[-1] = np.concatenate([np.zeros((1, max_len - tlen)), timesteps[-1]], axis=1)
            mask.append(np.concatenate([np.zeros((1, max_len - tlen)), np.ones((1, tlen))], axis=1))
        tensor = lambda xs, dtype=torch.float32: torch.from_numpy(np.concatenate(xs, axis=0)).to(dtype=dtype)
        return tensor(s), tensor(a), tensor(rtg), tensor(timesteps, torch.long), tensor(mask)


if __name__ == "__main__":
    data, K = Trajectories(12, 6, 2), 8
    model = DecisionTransformer(6, 2, K=K)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda steps: min((steps + 1) / 10, 1))
    for _ in range(2):
        states, actions, rtg, timesteps, mask = data.get_batch(5, K)
        reveal_type(states)
        target = torch.clone(actions)
        state_preds, action_preds, return_preds = model(states, actions, rtg, timesteps, attention_mask=mask)
        action_preds = action_preds.reshape(-1, 2)[mask.reshape(-1) > 0]
        target = target.reshape(-1, 2)[mask.reshape(-1) > 0]
        loss = F.mse_loss(action_preds, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    reveal_type(return_preds)
    history, acts, rets = torch.zeros(1, 6), torch.zeros(0, 2), torch.tensor([[3.0]])
    for t in range(3):
        acts = torch.cat([acts, torch.zeros((1, 2))], dim=0)
        action = model.get_action(history, acts, rets, torch.arange(t + 1))
        acts[-1] = action  #! = action => = action[:1].repeat(3)
        history = torch.cat([history, torch.randn(1, 6)], dim=0)
        rets = torch.cat([rets, rets[-1:] - 0.1])
    reveal_type(action)
    reveal_type(history)
