import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        shape = (config.n_head + 2 * config.n_query_groups) * config.head_size
        self.attn = nn.Linear(config.n_embd, shape)  #! nn.Linear(config.n_embd, shape) => nn.Linear(config.n_embd, 3 * config.n_embd)
        self.proj = nn.Linear(config.head_size * config.n_head, config.n_embd)
        self.config = config

    def forward(self, x, mask):
        B, T, C = x.size()
        qkv = self.attn(x)
        q_per_kv = self.config.n_head // self.config.n_query_groups
        total_qkv = q_per_kv + 2
        qkv = qkv.view(B, T, self.config.n_query_groups, total_qkv, self.config.head_size)  #! total_qkv, self.config.head_size => self.config.head_size, total_qkv - 2
        qkv = qkv.permute(0, 2, 3, 1, 4)
        q, k, v = qkv.split((q_per_kv, 1, 1), dim=2)  #! (q_per_kv, 1, 1) => (1, 1, 1)
        if self.config.n_query_groups != self.config.n_head:
            k = k.expand(B, self.config.n_query_groups, q_per_kv, T, self.config.head_size)
            v = v.expand(B, self.config.n_query_groups, q_per_kv, T, self.config.head_size)
        q = q.reshape(B, -1, T, self.config.head_size)
        k = k.reshape(B, -1, T, self.config.head_size)
        v = v.reshape(B, -1, T, self.config.head_size)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=1.0 / math.sqrt(self.config.head_size))
        y = y.transpose(1, 2).reshape(B, T, self.config.head_size * self.config.n_head)
        return self.proj(y)


class GptMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.fc = nn.Linear(config.n_embd, config.intermediate_size)
        self.proj = nn.Linear(config.intermediate_size, config.n_embd)

    def forward(self, x):
        return self.proj(F.gelu(self.fc(x)))


class LlamaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.fc_1 = nn.Linear(config.n_embd, config.intermediate_size)
        self.fc_2 = nn.Linear(config.n_embd, config.intermediate_size)
        self.proj = nn.Linear(config.intermediate_size, config.n_embd)

    def forward(self, x):
        return self.proj(F.silu(self.fc_1(x)) * self.fc_2(x))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm_1 = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.norm_2 = None if config.parallel_residual else nn.LayerNorm(config.n_embd)
        self.mlp = globals()[config.mlp](config)
        self.config = config

    def forward(self, x, mask):
        n_1 = self.norm_1(x)
        h = self.attn(n_1, mask)
        if self.config.parallel_residual:
            return x + h + self.mlp(n_1)
        x = x + h
        return x + self.mlp(self.norm_2(x))


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.lm_head = nn.Linear(config.n_embd, config.padded_vocab_size, bias=False)
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(config.padded_vocab_size, config.n_embd),
            wpe=nn.Embedding(config.block_size, config.n_embd),
            h=nn.ModuleList(Block(config) for _ in range(config.n_layer)),
            ln_f=nn.LayerNorm(config.n_embd)))
        self.register_buffer("mask", torch.ones(config.block_size, config.block_size, dtype=torch.bool).tril()[None, None], persistent=False)

    def resize_token_embeddings(self, size):
        old, head = self.transformer.wte, self.lm_head
        rows = min(size, self.config.vocab_size)
        new, out = nn.Embedding(size, old.embedding_dim), nn.Linear(head.in_features, size, bias=False)  #! nn.Linear(head.in_features, size, => nn.Linear(size, head.in_features,
        with torch.no_grad():
            new.weight[:rows] = old.weight[:rows]
            out.weight[:rows] = head.weight[:rows]
            new.weight[rows:] = old.weight[:rows].mean(0, keepdim=True)  #! .mean(0, keepdim=True) => .mean(1, keepdim=True).T
        self.transformer.wte, self.lm_head = new, out

    def crop_block_size(self, block_size):
        assert block_size <= self.config.block_size
        self.config.block_size = block_size
        self.transformer.wpe.weight = nn.Parameter(self.transformer.wpe.weight[:block_size])
        self.mask = self.mask[:, :, :block_size, :block_size]  #! self.mask[:, :, :block_size, :block_size] => self.mask[:, :, :block_size]

    def forward(self, idx, targets=None):
        T = idx.size(1)
        if T > self.config.block_size:
            raise ValueError(f"Cannot forward sequence of length {T}, max seq length is only {self.config.block_size}.")
        x = self.transformer.wte(idx) + self.transformer.wpe(torch.arange(T))
        for block in self.transformer.h:
            x = block(x, self.mask[:, :, :T, :T])
        logits = self.lm_head(self.transformer.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)  #! logits.view(-1, logits.size(-1)) => logits.transpose(1, 2)

    @torch.no_grad()
    def generate(self, idx, steps):
        for _ in range(steps):
            cond = idx if idx.size(1) <= self.config.block_size else idx[:, -self.config.block_size :]
            logits, _ = self(cond)
            v, _ = torch.topk(logits[:, -1], 5)
            logits = logits[:, -1].masked_fill(logits[:, -1] < v[:, [-1]], -float("inf"))  #! v[:, [-1]] => v[:, -2:]
            idx = torch.cat((idx, torch.multinomial(logits.softmax(-1), 1)), dim=1)
        return idx
