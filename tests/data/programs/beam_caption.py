"""Image captioning: CNN features, soft attention LSTM decoder, teacher forcing and beam search."""
import argparse
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, random_split

PAD, BOS, EOS = 0, 1, 2


class ToyCaptions(Dataset):
    def __init__(self, n, vocab_size, seed=3):
        rng = random.Random(seed)
        g = torch.Generator().manual_seed(seed)
        self.images = torch.rand(n, 3, 64, 64, generator=g)
        self.captions = [[BOS] + [rng.randrange(3, vocab_size) for _ in range(rng.randint(3, 9))] + [EOS] for _ in range(n)]

    def __len__(self):
        return len(self.captions)

    def __getitem__(self, i):
        return self.images[i], torch.tensor(self.captions[i])


def collate(batch):
    images, captions = zip(*batch)
    return torch.stack(images), pad_sequence(captions, batch_first=True, padding_value=PAD)  #! batch_first=True => batch_first=False


class Encoder(nn.Module):
    def __init__(self, widths=(16, 32, 48), grid=7):
        super().__init__()
        layers, c = [], 3
        for w in widths:
            layers += [nn.Conv2d(c, w, 3, stride=2, padding=1), nn.BatchNorm2d(w), nn.ReLU(inplace=True)]
            c = w  #! c = w => c = w * 2
        self.body = nn.Sequential(*layers)
        self.pool = nn.AdaptiveAvgPool2d((grid, grid))
        self.out_channels = c

    def forward(self, x):
        x = self.pool(self.body(x))
        return x.flatten(2).permute(0, 2, 1)  #! .permute(0, 2, 1) => .permute(2, 0, 1) #! .flatten(2).permute(0, 2, 1) => .flatten(1)


class Attention(nn.Module):
    def __init__(self, feat, hidden, dim):
        super().__init__()
        self.wf, self.wh, self.v = nn.Linear(feat, dim), nn.Linear(hidden, dim), nn.Linear(dim, 1)

    def forward(self, feats, h):
        e = self.v(torch.tanh(self.wf(feats) + self.wh(h).unsqueeze(1))).squeeze(2)  #! .unsqueeze(1) => .unsqueeze(0)
        alpha = F.softmax(e, dim=1)
        return (feats * alpha.unsqueeze(2)).sum(1), alpha  #! alpha.unsqueeze(2) => alpha


class Decoder(nn.Module):
    def __init__(self, vocab, feat, emb=24, hidden=40, att=20):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.att = Attention(feat, hidden, att)
        self.init_h, self.init_c = nn.Linear(feat, hidden), nn.Linear(feat, hidden)
        self.cell = nn.LSTMCell(emb + feat, hidden)  #! emb + feat => emb
        self.out = nn.Sequential(nn.Dropout(0.2), nn.Linear(hidden, vocab))

    def start(self, feats):
        mean = feats.mean(dim=1)
        return self.init_h(mean), self.init_c(mean)

    def step(self, tok, feats, state):
        h, c = state
        context, alpha = self.att(feats, h)
        h, c = self.cell(torch.cat([self.embed(tok), context], dim=1), (h, c))  #! dim=1 => dim=0
        return self.out(h), (h, c), alpha

    def forward(self, feats, captions, teacher=0.9):
        state = self.start(feats)
        tok, logits = captions[:, 0], []
        for t in range(1, captions.size(1)):
            y, state, _ = self.step(tok, feats, state)
            logits.append(y)
            tok = captions[:, t] if random.random() < teacher else y.argmax(1)
        return torch.stack(logits, dim=1)


@torch.no_grad()
def beam_search(encoder, decoder, image, k=4, max_len=12):
    feats = encoder(image.unsqueeze(0))  #! image.unsqueeze(0) => image
    feats = feats.expand(k, -1, -1)
    state = decoder.start(feats)
    tokens = torch.full((k, 1), BOS)
    scores = torch.tensor([0.0] + [-1e9] * (k - 1))
    for _ in range(max_len):
        logits, (h, c), _ = decoder.step(tokens[:, -1], feats, state)
        logp = F.log_softmax(logits, dim=-1) + scores.unsqueeze(1)
        scores, flat = logp.view(-1).topk(k)
        beam, word = torch.div(flat, logp.size(1), rounding_mode="floor"), flat % logp.size(1)
        tokens = torch.cat([tokens[beam], word.unsqueeze(1)], dim=1)  #! word.unsqueeze(1) => word
        state = h[beam], c[beam]
    reveal_type(scores)
    return tokens[scores.argmax()].tolist()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--vocab", type=int, default=50)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--epochs", type=int, default=2)
    args = p.parse_args()
    data = ToyCaptions(40, args.vocab)
    train, val = random_split(data, [32, 8])  #! [32, 8] => [32, 10]
    loader = DataLoader(train, args.batch_size, shuffle=True, collate_fn=collate)
    encoder = Encoder()
    decoder = Decoder(args.vocab, encoder.out_channels)
    opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
    for _ in range(args.epochs):
        for images, captions in loader:
            feats = encoder(images)
            logits = decoder(feats, captions)
            loss = F.cross_entropy(logits.flatten(0, 1), captions[:, 1:].reshape(-1), ignore_index=PAD)  #! captions[:, 1:] => captions #! logits.flatten(0, 1) => logits
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(decoder.parameters(), 1.0)
            opt.step()
        reveal_type(feats)
    encoder.eval(), decoder.eval()
    print(beam_search(encoder, decoder, val[0][0]))
    mean, alpha = decoder.att(feats, decoder.start(feats)[0])
    reveal_type(mean)
    reveal_type(alpha)


if __name__ == "__main__":
    main()
