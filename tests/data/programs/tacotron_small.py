"""Tacotron 2 in small: character encoder, location-sensitive attention, mel decoder with stop tokens, post-net."""
from math import sqrt
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader


class hparams:
    n_symbols = 40
    symbols_dim = 32
    enc_kernel = 5
    enc_dim = 32
    n_mel = 20
    r = 2
    rnn_dim = 64
    prenet = 24
    attn_dim = 16
    loc_filters = 8
    loc_kernel = 11


class ConvNorm(nn.Module):
    def __init__(self, cin, cout, kernel=1, dilation=1, bias=True, gain="linear"):
        super().__init__()
        self.conv = nn.Conv1d(cin, cout, kernel_size=kernel, padding=int(dilation * (kernel - 1) / 2), dilation=dilation, bias=bias)
        nn.init.xavier_uniform_(self.conv.weight, gain=nn.init.calculate_gain(gain))

    def forward(self, x):
        return self.conv(x)


class LocationLayer(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.conv = ConvNorm(2, hp.loc_filters, hp.loc_kernel, bias=False)  #! ConvNorm(2, => ConvNorm(1,
        self.dense = nn.Linear(hp.loc_filters, hp.attn_dim, bias=False)  #! hp.loc_filters, hp.attn_dim => hp.attn_dim, hp.loc_filters

    def forward(self, weights_cat):
        return self.dense(self.conv(weights_cat).transpose(1, 2))


class Attention(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.query = nn.Linear(hp.rnn_dim, hp.attn_dim, bias=False)
        self.memory = nn.Linear(hp.enc_dim, hp.attn_dim, bias=False)
        self.v = nn.Linear(hp.attn_dim, 1, bias=False)
        self.location = LocationLayer(hp)
        self.score_mask_value = -float("inf")

    def forward(self, state, memory, processed, weights_cat, mask):
        energies = self.v(torch.tanh(self.query(state.unsqueeze(1)) + self.location(weights_cat) + processed)).squeeze(-1)  #! .squeeze(-1) =>
        if mask is not None:
            energies = energies.masked_fill(mask, self.score_mask_value)
        weights = F.softmax(energies, dim=1)
        context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        return context, weights


class Prenet(nn.Module):
    def __init__(self, in_dim, sizes):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(i, o, bias=False) for i, o in zip([in_dim] + sizes[:-1], sizes)])

    def forward(self, x):
        for linear in self.layers:
            x = F.dropout(F.relu(linear(x)), p=0.5, training=True)
        return x


class Postnet(nn.Module):
    def __init__(self, hp, dim=24, n=3):
        super().__init__()
        self.convolutions = nn.ModuleList()
        sizes = [hp.n_mel] + [dim] * (n - 1) + [hp.n_mel]
        for a, b in zip(sizes, sizes[1:]):
            self.convolutions.append(nn.Sequential(ConvNorm(a, b, 5, gain="tanh"), nn.BatchNorm1d(b)))  #! nn.BatchNorm1d(b) => nn.BatchNorm1d(a)

    def forward(self, x):
        for i in range(len(self.convolutions) - 1):
            x = F.dropout(torch.tanh(self.convolutions[i](x)), 0.5, self.training)
        return F.dropout(self.convolutions[-1](x), 0.5, self.training)


class Encoder(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.convs = nn.ModuleList(nn.Sequential(ConvNorm(hp.enc_dim, hp.enc_dim, hp.enc_kernel, gain="relu"), nn.BatchNorm1d(hp.enc_dim)) for _ in range(2))
        self.lstm = nn.LSTM(hp.enc_dim, hp.enc_dim // 2, 1, batch_first=True, bidirectional=True)  #! hp.enc_dim // 2 => hp.enc_dim

    def forward(self, x, lengths):
        for conv in self.convs:
            x = F.dropout(F.relu(conv(x)), 0.5, self.training)
        x = x.transpose(1, 2)
        x = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu().numpy(), batch_first=True)
        self.lstm.flatten_parameters()
        outputs, _ = self.lstm(x)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
        return outputs


class Decoder(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.hp = hp
        self.prenet = Prenet(hp.n_mel * hp.r, [hp.prenet, hp.prenet])
        self.attention_rnn = nn.LSTMCell(hp.prenet + hp.enc_dim, hp.rnn_dim)  #! hp.prenet + hp.enc_dim => hp.prenet
        self.attention = Attention(hp)
        self.decoder_rnn = nn.LSTMCell(hp.rnn_dim + hp.enc_dim, hp.rnn_dim, 1)
        self.project = nn.Linear(hp.rnn_dim + hp.enc_dim, hp.n_mel * hp.r)
        self.gate = nn.Linear(hp.rnn_dim + hp.enc_dim, 1)

    def initialize(self, memory, mask):
        B, T = memory.size(0), memory.size(1)
        zeros = lambda *s: memory.new_zeros(*s)
        self.ah, self.ac = zeros(B, self.hp.rnn_dim), zeros(B, self.hp.rnn_dim)
        self.dh, self.dc = zeros(B, self.hp.rnn_dim), zeros(B, self.hp.rnn_dim)
        self.weights, self.weights_cum = zeros(B, T), zeros(B, T)
        self.context = zeros(B, self.hp.enc_dim)
        self.memory, self.mask = memory, mask
        self.processed = self.attention.memory(memory)

    def step(self, x):
        cell_input = torch.cat((x, self.context), -1)
        self.ah, self.ac = self.attention_rnn(cell_input, (self.ah, self.ac))
        cat = torch.stack((self.weights, self.weights_cum), dim=1)  #! torch.stack((self.weights, self.weights_cum), dim=1) => torch.cat((self.weights, self.weights_cum), dim=1)
        self.context, self.weights = self.attention(self.ah, self.memory, self.processed, cat, self.mask)
        self.weights_cum = self.weights_cum + self.weights
        self.dh, self.dc = self.decoder_rnn(torch.cat((self.ah, self.context), -1), (self.dh, self.dc))
        both = torch.cat((self.dh, self.context), dim=1)
        return self.project(both), self.gate(both), self.weights

    def forward(self, memory, mels, mask):
        go = memory.new_zeros(1, memory.size(0), self.hp.n_mel * self.hp.r)
        frames = mels.transpose(1, 2).contiguous().view(mels.size(0), mels.size(2) // self.hp.r, -1).transpose(0, 1)
        inputs = self.prenet(torch.cat((go, frames), dim=0))
        reveal_type(inputs)
        self.initialize(memory, mask)
        out, gates, aligns = [], [], []
        while len(out) < inputs.size(0) - 1:
            mel, gate, align = self.step(inputs[len(out)])
            out += [mel.squeeze(1)]
            gates += [gate.squeeze(1)]
            aligns += [align]
        mel = torch.stack(out).transpose(0, 1).contiguous().view(memory.size(0), -1, self.hp.n_mel).transpose(1, 2)
        return mel, torch.stack(gates, 1), torch.stack(aligns, 1)


class Tacotron2(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.embedding = nn.Embedding(hp.n_symbols, hp.symbols_dim)
        std = sqrt(2.0 / (hp.n_symbols + hp.symbols_dim))
        self.embedding.weight.data.uniform_(-sqrt(3.0) * std, sqrt(3.0) * std)
        self.encoder, self.decoder, self.postnet = Encoder(hp), Decoder(hp), Postnet(hp)

    def forward(self, inputs):
        text, text_lengths, mels, _ = inputs
        mask = ~(torch.arange(text.size(1))[None, :] < text_lengths[:, None])  #! text_lengths[:, None] => text_lengths[None]
        memory = self.encoder(self.embedding(text).transpose(1, 2), text_lengths)  #! .transpose(1, 2), text_lengths => , text_lengths
        mel, gate, align = self.decoder(memory, mels, mask)
        return mel, mel + self.postnet(mel), gate, align


class Collate:
    def __init__(self, r):
        self.r = r

    def __call__(self, batch):
        lengths, order = torch.sort(torch.LongTensor([len(x[0]) for x in batch]), dim=0, descending=True)
        text = torch.zeros(len(batch), int(lengths[0]), dtype=torch.long)
        n_mel = batch[0][1].size(0)
        longest = max(x[1].size(1) for x in batch)
        if longest % self.r != 0:
            longest += self.r - longest % self.r
        mel = torch.zeros(len(batch), n_mel, longest)
        gate = torch.zeros(len(batch), longest // self.r)
        for i, j in enumerate(order.tolist()):
            t, m = batch[j]
            text[i, :t.size(0)] = t
            mel[i, :, :m.size(1)] = m  #! mel[i, :, :m.size(1)] => mel[i, :m.size(1)]
            gate[i, m.size(1) // self.r - 1:] = 1
        return text, lengths, mel, gate


samples = [(torch.randint(1, 40, (5 + 2 * i,)), torch.randn(20, 11 + 3 * i)) for i in range(6)]
loader = DataLoader(samples, batch_size=3, collate_fn=Collate(hparams.r))
model = Tacotron2(hparams)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-6)
for batch in loader:
    mel, post, gate, align = model(batch)
    loss = F.mse_loss(mel, batch[2]) + F.mse_loss(post, batch[2]) + F.binary_cross_entropy_with_logits(gate, batch[3])  #! gate, batch[3] => gate.unsqueeze(1), batch[3]
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(align.shape)
