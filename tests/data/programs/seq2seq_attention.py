"""Translation by a GRU encoder and an attention decoder that runs step by step, with teacher forcing."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SOS, EOS = 0, 1
MAX_LENGTH = 10


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super(EncoderRNN, self).__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        embedded = self.dropout(self.embedding(input))
        output, hidden = self.gru(embedded)
        return output, hidden


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super(BahdanauAttention, self).__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)  #! .squeeze(2).unsqueeze(1) => .squeeze(2)
        weights = F.softmax(scores, dim=-1)
        context = torch.bmm(weights, keys)  #! weights, keys => keys, weights
        return context, weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, dropout_p=0.1):
        super(AttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)  #! 2 * hidden_size => hidden_size
        self.out = nn.Linear(hidden_size, output_size)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, encoder_outputs, encoder_hidden, target_tensor=None):
        batch_size = encoder_outputs.size(0)
        decoder_input = torch.empty(batch_size, 1, dtype=torch.long).fill_(SOS)
        decoder_hidden = encoder_hidden
        decoder_outputs = []
        attentions = []

        for i in range(MAX_LENGTH):
            decoder_output, decoder_hidden, attn_weights = self.forward_step(
                decoder_input, decoder_hidden, encoder_outputs
            )
            decoder_outputs.append(decoder_output)
            attentions.append(attn_weights)

            if target_tensor is not None:
                decoder_input = target_tensor[:, i].unsqueeze(1)  #! .unsqueeze(1) =>
            else:
                _, topi = decoder_output.topk(1)
                decoder_input = topi.squeeze(-1).detach()  #! .squeeze(-1) =>

        decoder_outputs = torch.cat(decoder_outputs, dim=1)
        decoder_outputs = F.log_softmax(decoder_outputs, dim=-1)
        attentions = torch.cat(attentions, dim=1)
        return decoder_outputs, decoder_hidden, attentions

    def forward_step(self, input, hidden, encoder_outputs):
        embedded = self.dropout(self.embedding(input))
        query = hidden.permute(1, 0, 2)  #! hidden.permute(1, 0, 2) => hidden
        context, attn_weights = self.attention(query, encoder_outputs)
        input_gru = torch.cat((embedded, context), dim=2)  #! dim=2 => dim=1
        output, hidden = self.gru(input_gru, hidden)
        output = self.out(output)
        return output, hidden, attn_weights


def train_epoch(batches, encoder, decoder, encoder_optimizer, decoder_optimizer, criterion):
    total_loss = 0
    for input_tensor, target_tensor in batches:
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()
        encoder_outputs, encoder_hidden = encoder(input_tensor)
        use_forcing = random.random() < 0.5
        decoder_outputs, _, att = decoder(encoder_outputs, encoder_hidden, target_tensor)
        reveal_type(decoder_outputs)
        reveal_type(att)
        loss = criterion(decoder_outputs.view(-1, decoder_outputs.size(-1)), target_tensor.view(-1))  #! target_tensor.view(-1) => target_tensor
        loss.backward()
        encoder_optimizer.step()
        decoder_optimizer.step()
        total_loss += loss.item()
    return total_loss / len(batches)


def evaluate(encoder, decoder, sentence):
    with torch.no_grad():
        outputs, hidden = encoder(sentence)
        decoded, _, attention = decoder(outputs, hidden)
        _, topi = decoded.topk(1)
        ids = topi.squeeze()
        reveal_type(ids)
    return ids


pairs = [(torch.randint(2, 60, (8, 10)), torch.randint(2, 80, (8, 10))) for _ in range(3)]
encoder = EncoderRNN(60, 32)
decoder = AttnDecoderRNN(32, 80)  #! 32, 80 => 64, 80
enc_opt = torch.optim.Adam(encoder.parameters(), lr=0.001)
dec_opt = torch.optim.Adam(decoder.parameters(), lr=0.001)
print(train_epoch(pairs, encoder, decoder, enc_opt, dec_opt, nn.NLLLoss()))
evaluate(encoder, decoder, torch.randint(2, 60, (1, 10)))
