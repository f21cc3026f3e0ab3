"""GRU encoder-decoder with Luong attention, packed sequences, teacher forcing; toy number-word translation."""
from __future__ import unicode_literals, print_function, division
import random
import itertools
import torch
import torch.nn as nn
from torch import optim
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PAD_token, SOS_token, EOS_token = 0, 1, 2
MAX_LENGTH = 12


class Voc:
    def __init__(self, name):
        self.name = name
        self.word2index = {}
        self.index2word = {PAD_token: "PAD", SOS_token: "SOS", EOS_token: "EOS"}
        self.num_words = 3

    def addSentence(self, sentence):
        for word in sentence.split(' '):
            if word not in self.word2index:
                self.word2index[word] = self.num_words
                self.index2word[self.num_words] = word
                self.num_words += 1


def zeroPadding(l, fillvalue=PAD_token):
    return list(itertools.zip_longest(*l, fillvalue=fillvalue))


def indexes(voc, sentence):
    return [voc.word2index[w] for w in sentence.split(' ')] + [EOS_token]


def batch2TrainData(voc, pair_batch):
    pair_batch.sort(key=lambda x: len(x[0].split(" ")), reverse=True)
    inp, out = [], []
    for pair in pair_batch:
        inp.append(indexes(voc, pair[0]))
        out.append(indexes(voc, pair[1]))
    lengths = torch.tensor([len(i) for i in inp])
    padVar = torch.LongTensor(zeroPadding(inp))
    outList = zeroPadding(out)
    max_target_len = max(len(o) for o in out)
    mask = torch.BoolTensor([[t != PAD_token for t in row] for row in outList])
    return padVar, lengths, torch.LongTensor(outList), mask, max_target_len


class EncoderRNN(nn.Module):
    def __init__(self, hidden_size, embedding, n_layers=1, dropout=0):
        super(EncoderRNN, self).__init__()
        self.n_layers = n_layers
        self.hidden_size = hidden_size
        self.embedding = embedding
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers, dropout=(0 if n_layers == 1 else dropout), bidirectional=True)  #! bidirectional=True => bidirectional=False

    def forward(self, input_seq, input_lengths, hidden=None):
        embedded = self.embedding(input_seq)
        packed = pack_padded_sequence(embedded, input_lengths)
        outputs, hidden = self.gru(packed, hidden)
        outputs, _ = pad_packed_sequence(outputs)
        outputs = outputs[:, :, :self.hidden_size] + outputs[:, :, self.hidden_size:]
        return outputs, hidden


class Attn(nn.Module):
    def __init__(self, method, hidden_size):
        super(Attn, self).__init__()
        self.method = method
        if self.method not in ['dot', 'general', 'concat']:
            raise ValueError(self.method, "is not an appropriate attention method.")
        if self.method == 'general':
            self.attn = nn.Linear(hidden_size, hidden_size)
        elif self.method == 'concat':
            self.attn = nn.Linear(hidden_size * 2, hidden_size)  #! hidden_size * 2, hidden_size => hidden_size, hidden_size
            self.v = nn.Parameter(torch.randn(hidden_size))

    def dot_score(self, hidden, enc):
        return torch.sum(hidden * enc, dim=2)

    def general_score(self, hidden, enc):
        return torch.sum(hidden * self.attn(enc), dim=2)

    def concat_score(self, hidden, enc):
        energy = self.attn(torch.cat((hidden.expand(enc.size(0), -1, -1), enc), 2)).tanh()  #! hidden.expand(enc.size(0), -1, -1) => hidden
        return torch.sum(self.v * energy, dim=2)

    def forward(self, hidden, enc):
        scores = getattr(self, self.method + '_score')(hidden, enc)
        return F.softmax(scores.t(), dim=1).unsqueeze(1)  #! scores.t() => scores


class LuongAttnDecoderRNN(nn.Module):
    def __init__(self, attn_model, embedding, hidden_size, output_size, n_layers=1, dropout=0.1):
        super(LuongAttnDecoderRNN, self).__init__()
        self.embedding = embedding
        self.embedding_dropout = nn.Dropout(dropout)
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers, dropout=(0 if n_layers == 1 else dropout))  #! n_layers, dropout => n_layers + 1, dropout
        self.concat = nn.Linear(hidden_size * 2, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)
        self.attn = Attn(attn_model, hidden_size)

    def forward(self, input_step, last_hidden, encoder_outputs):
        embedded = self.embedding_dropout(self.embedding(input_step))
        rnn_output, hidden = self.gru(embedded, last_hidden)
        attn_weights = self.attn(rnn_output, encoder_outputs)
        context = attn_weights.bmm(encoder_outputs.transpose(0, 1))  #! encoder_outputs.transpose(0, 1) => encoder_outputs
        concat_input = torch.cat((rnn_output.squeeze(0), context.squeeze(1)), 1)  #! context.squeeze(1) => context
        concat_output = torch.tanh(self.concat(concat_input))
        return F.softmax(self.out(concat_output), dim=1), hidden


def maskNLLLoss(inp, target, mask):
    nTotal = mask.sum()
    crossEntropy = -torch.log(torch.gather(inp, 1, target.view(-1, 1)).squeeze(1))
    loss = crossEntropy.masked_select(mask).mean()
    return loss, nTotal.item()


def train(batch, encoder, decoder, opts, teacher_forcing_ratio=0.5, clip=50.0):
    input_variable, lengths, target_variable, mask, max_target_len = batch
    for o in opts:
        o.zero_grad()
    n = input_variable.size(1)
    loss, print_losses, n_totals = 0, [], 0
    encoder_outputs, encoder_hidden = encoder(input_variable, lengths)
    reveal_type(encoder_hidden)
    decoder_input = torch.LongTensor([[SOS_token for _ in range(n)]])
    decoder_hidden = encoder_hidden[:decoder.gru.num_layers]
    use_teacher_forcing = random.random() < teacher_forcing_ratio
    for t in range(max_target_len):
        decoder_output, decoder_hidden = decoder(decoder_input, decoder_hidden, encoder_outputs)
        if use_teacher_forcing:
            decoder_input = target_variable[t].view(1, -1)
        else:
            _, topi = decoder_output.topk(1)
            decoder_input = torch.LongTensor([[topi[i][0] for i in range(n)]])
        mask_loss, nTotal = maskNLLLoss(decoder_output, target_variable[t], mask[t])
        loss += mask_loss
        print_losses.append(mask_loss.item() * nTotal)
        n_totals += nTotal
    reveal_type(decoder_output)
    loss.backward()
    for m, o in zip((encoder, decoder), opts):
        nn.utils.clip_grad_norm_(m.parameters(), clip)
        o.step()
    return sum(print_losses) / n_totals


pairs = [("one two three", "3 2 1"), ("two", "2"), ("three three", "3 3"), ("one one two two", "1 2"), ("two one", "1 2 3 3")]
voc = Voc("numbers")
for p in pairs:
    voc.addSentence(p[0])
    voc.addSentence(p[1])
hidden_size, layers, batch_size = 32, 2, 4
embedding = nn.Embedding(voc.num_words, hidden_size)  #! voc.num_words, hidden_size => voc.num_words, hidden_size + 1
for attn_model in ("dot", "general", "concat"):
    encoder = EncoderRNN(hidden_size, embedding, layers, 0.1)
    decoder = LuongAttnDecoderRNN(attn_model, embedding, hidden_size, voc.num_words, layers, 0.1)
    optimizers = [optim.Adam(encoder.parameters(), lr=1e-3), optim.Adam(decoder.parameters(), lr=5e-3)]
    for iteration in range(2):
        batch = batch2TrainData(voc, [random.choice(pairs) for _ in range(batch_size)])
        train(batch, encoder, decoder, optimizers, teacher_forcing_ratio=float(iteration))
