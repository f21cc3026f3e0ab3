"""Graph-based dependency parsing: character LSTM, BiLSTM, biaffine arcs and labels."""
from collections import Counter

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

SENTENCES = [
    [("the", 2, "det"), ("cat", 3, "nsubj"), ("sleeps", 0, "root")],
    [("dogs", 2, "nsubj"), ("bark", 0, "root"), ("loudly", 2, "advmod"), ("today", 2, "obl")],
    [("we", 2, "nsubj"), ("parse", 0, "root"), ("trees", 2, "obj")],
]


class Vocab:
    def __init__(self, counter, specials=("<pad>", "<unk>", "<bos>")):
        self.itos = list(specials) + sorted(counter)
        self.stoi = {s: i for i, s in enumerate(self.itos)}

    def __getitem__(self, key):
        return self.stoi.get(key, 1)

    def __len__(self):
        return len(self.itos)


class MLP(nn.Module):
    def __init__(self, n_in, n_out, dropout=0.0):
        super().__init__()
        self.linear = nn.Linear(n_in, n_out)
        self.activation = nn.LeakyReLU(negative_slope=0.1)
        self.dropout = nn.Dropout(dropout)
        nn.init.orthogonal_(self.linear.weight)

    def forward(self, x):
        return self.dropout(self.activation(self.linear(x)))


class Biaffine(nn.Module):
    def __init__(self, n_in, n_out=1, bias_x=True, bias_y=True):
        super().__init__()
        self.n_in, self.n_out, self.bias_x, self.bias_y = n_in, n_out, bias_x, bias_y
        self.weight = nn.Parameter(torch.zeros(n_out, n_in + bias_x, n_in + bias_y))  #! n_in + bias_x => n_in

    def extra_repr(self):
        return f"n_in={self.n_in}, n_out={self.n_out}"

    def forward(self, x, y):
        if self.bias_x:
            x = torch.cat((x, torch.ones_like(x[..., :1])), -1)  #! x[..., :1] => x[:1]
        if self.bias_y:
            y = torch.cat((y, torch.ones_like(y[..., :1])), -1)
        s = torch.einsum("bxi,oij,byj->boxy", x, self.weight, y)  #! "bxi,oij,byj->boxy" => "bxi,ioj,byj->boxy"
        return s.squeeze(1)


class CharLSTM(nn.Module):
    def __init__(self, n_chars, n_embed, n_out):
        super().__init__()
        self.embed = nn.Embedding(n_chars, n_embed)
        self.lstm = nn.LSTM(n_embed, n_out // 2, batch_first=True, bidirectional=True)  #! batch_first=True, bidirectional=True => batch_first=True

    def forward(self, x):
        mask = x.ne(0)
        lens = mask.sum(-1)
        char_mask = lens.gt(0)
        packed = pack_padded_sequence(self.embed(x[char_mask]), lens[char_mask].tolist(), True, False)
        _, (hidden, _) = self.lstm(packed)
        hidden = torch.cat(torch.unbind(hidden), -1)
        embed = hidden.new_zeros(*lens.shape, hidden.shape[-1])
        return embed.masked_scatter_(char_mask.unsqueeze(-1), hidden)


class Parser(nn.Module):
    def __init__(self, n_words, n_chars, n_rels, n_embed=24, n_char_embed=10, n_feat=12, n_hidden=20, n_arc=16, n_rel=8):
        super().__init__()
        self.word_embed = nn.Embedding(n_words, n_embed)
        self.feat_embed = CharLSTM(n_chars, n_char_embed, n_feat)
        self.encoder = nn.LSTM(n_embed + n_feat, n_hidden, num_layers=2, batch_first=True, bidirectional=True, dropout=0.33)  #! n_embed + n_feat => n_embed
        self.arc_d, self.arc_h = MLP(2 * n_hidden, n_arc), MLP(2 * n_hidden, n_arc)
        self.rel_d, self.rel_h = MLP(2 * n_hidden, n_rel), MLP(2 * n_hidden, n_rel)  #! MLP(2 * n_hidden, n_rel), => MLP(2 * n_hidden, n_arc),
        self.arc_attn = Biaffine(n_arc, bias_x=True, bias_y=False)
        self.rel_attn = Biaffine(n_rel, n_out=n_rels)
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, words, chars):
        mask = words.ne(0)
        embed = torch.cat((self.word_embed(words), self.feat_embed(chars)), dim=-1)
        x = pack_padded_sequence(embed, mask.sum(1).tolist(), batch_first=True, enforce_sorted=False)
        x, _ = self.encoder(x)
        x, _ = pad_packed_sequence(x, batch_first=True, total_length=words.shape[1])  #! batch_first=True, total_length => total_length
        s_arc = self.arc_attn(self.arc_d(x), self.arc_h(x))
        s_rel = self.rel_attn(self.rel_d(x), self.rel_h(x)).permute(0, 2, 3, 1)
        reveal_type(s_rel)
        return s_arc.masked_fill(~mask.unsqueeze(1), -1e9), s_rel

    def loss(self, s_arc, s_rel, arcs, rels, mask):
        s_arc, arcs = s_arc[mask], arcs[mask]
        s_rel, rels = s_rel[mask], rels[mask]
        s_rel = s_rel[torch.arange(len(arcs)), arcs]  #! torch.arange(len(arcs)) => torch.arange(mask.shape[1])
        return self.criterion(s_arc, arcs) + self.criterion(s_rel, rels)

    @torch.no_grad()
    def decode(self, s_arc, s_rel):
        arc_preds = s_arc.argmax(-1)
        rel_preds = s_rel.argmax(-1)
        return arc_preds, rel_preds.gather(-1, arc_preds.unsqueeze(-1)).squeeze(-1)


def numericalize(sentences, words, chars, rels, fix_len=8):
    w, c, a, r = [], [], [], []
    for sentence in sentences:
        tokens = ["<bos>"] + [token for token, _, _ in sentence]
        w.append(torch.tensor([words[t] for t in tokens]))
        c.append(pad_sequence([torch.tensor([chars[ch] for ch in t[:fix_len]]) for t in tokens], True))
        a.append(torch.tensor([0] + [head for _, head, _ in sentence]))
        r.append(torch.tensor([0] + [rels[rel] for _, _, rel in sentence]))
    longest = max(x.shape[0] for x in c)
    chars_out = torch.zeros(len(sentences), longest, fix_len, dtype=torch.long)
    for i, x in enumerate(c):
        chars_out[i, : x.shape[0], : x.shape[1]] = x
    return pad_sequence(w, True), chars_out, pad_sequence(a, True), pad_sequence(r, True)


def main():
    words = Vocab(Counter(t for s in SENTENCES for t, _, _ in s))
    chars = Vocab(Counter(ch for s in SENTENCES for t, _, _ in s for ch in t))
    rels = {rel: i for i, rel in enumerate(sorted({r for s in SENTENCES for _, _, r in s}))}
    model = Parser(len(words), len(chars), len(rels))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, betas=(0.9, 0.9), eps=1e-12)
    x, ch, arcs, rel = numericalize(SENTENCES, words, chars, rels)
    reveal_type(x)
    mask = x.ne(0)
    mask[:, 0] = False
    for epoch in range(2):
        s_arc, s_rel = model(x, ch)
        reveal_type(s_arc)
        loss = model.loss(s_arc, s_rel, arcs, rel, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    arc_preds, rel_preds = model.decode(s_arc, s_rel)
    reveal_type(rel_preds)
    uas = (arc_preds == arcs)[mask].float().mean()
    print(uas.item())


if __name__ == "__main__":
    main()
