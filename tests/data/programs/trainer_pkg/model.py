"""Show, attend and tell, in small."""
import torch
from torch import nn
import torch.nn.functional as F


class Encoder(nn.Sequential):
    def __init__(self, channels, dim, depth=3):
        super().__init__()
        for i in range(depth):
            self.add_module(f"conv{i}", nn.Conv2d(channels if i == 0 else dim, dim, 3, stride=2, padding=1))  #! channels if i == 0 else dim => channels
            self.add_module(f"act{i}", nn.ReLU())

    def forward(self, x):
        return super().forward(x).flatten(2).transpose(1, 2)  #! .transpose(1, 2) =>


class Attention(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.enc = nn.Linear(dim, hidden)
        self.dec = nn.Linear(hidden, hidden)  #! hidden, hidden => dim, hidden
        self.score = nn.Linear(hidden, 1)

    def forward(self, memory, h):
        e = self.score(torch.tanh(self.enc(memory) + self.dec(h).unsqueeze(1))).squeeze(-1)
        alpha = e.softmax(dim=1)
        return (alpha.unsqueeze(-1) * memory).sum(dim=1), alpha


class Captioner(nn.Module):
    BOS = 0

    def __init__(self, vocab, image_channels, dim, hidden):
        super().__init__()
        self.encoder = Encoder(image_channels, dim)
        self.embed = nn.Embedding(vocab, dim)
        self.attention = Attention(dim, hidden)
        self.cell = nn.LSTMCell(2 * dim, hidden)  #! 2 * dim => dim + hidden
        self.init_h, self.init_c = (nn.Linear(dim, hidden) for _ in range(2))
        self.out = nn.Linear(hidden, vocab)  #! hidden, vocab => dim, vocab

    def start(self, memory):
        mean = memory.mean(dim=1)
        return self.init_h(mean), self.init_c(mean)

    def step(self, tokens, state, memory):
        context, alpha = self.attention(memory, state[0])
        state = self.cell(torch.cat([self.embed(tokens), context], dim=1), state)
        return self.out(state[0]), state, alpha

    def forward(self, image, caption):
        memory = self.encoder(image)
        state = self.start(memory)
        logits = []
        for t in range(caption.size(1) - 1):
            step, state, _ = self.step(caption[:, t], state, memory)  #! caption[:, t] => caption[:, t:t+1]
            logits.append(step)
        return torch.stack(logits, dim=1)

    def loss(self, image, caption, **_):
        logits = self(image, caption)
        return F.cross_entropy(logits.flatten(0, 1), caption[:, 1:].flatten(), ignore_index=0)  #! caption[:, 1:] => caption

    @torch.no_grad()
    def caption(self, image, max_len):
        memory = self.encoder(image)
        state = self.start(memory)
        tokens = torch.full((image.size(0),), self.BOS)
        out = []
        for _ in range(max_len):
            logits, state, _ = self.step(tokens, state, memory)
            tokens = logits.argmax(dim=-1)
            out.append(tokens)
        return torch.stack(out, dim=1)
