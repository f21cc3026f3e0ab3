"""A neural Turing machine that learns to copy; controller, heads with shifts, and external memory."""
import torch
from torch import nn
import torch.nn.functional as F


def _split_cols(mat, lengths):
    assert mat.size()[1] == sum(lengths), "Lengths must be summed to num columns"
    l = [0]
    for length in lengths:
        l.append(l[-1] + length)
    results = []
    for s, e in zip(l[:-1], l[1:]):
        results += [mat[:, s:e]]
    return results


def _convolve(w, s):
    """Circular convolution."""
    assert s.size(0) == 3
    t = torch.cat([w[-1:], w, w[:1]])
    return F.conv1d(t.view(1, 1, -1), s.view(1, 1, -1)).view(-1)


class NTMMemory(nn.Module):
    def __init__(self, N, M):
        super(NTMMemory, self).__init__()
        self.N = N
        self.M = M
        self.register_buffer("mem_bias", torch.empty(N, M))  #! (N, M) => (M, N)
        stdev = 1 / (N + M) ** 0.5
        nn.init.uniform_(self.mem_bias, -stdev, stdev)

    def reset(self, batch_size):
        self.batch_size = batch_size
        self.memory = self.mem_bias.clone().repeat(batch_size, 1, 1)

    def size(self):
        return self.N, self.M

    def read(self, w):
        return torch.matmul(w.unsqueeze(1), self.memory).squeeze(1)  #! w.unsqueeze(1) => w.unsqueeze(2)

    def write(self, w, e, a):
        self.prev_mem = self.memory
        erase = torch.matmul(w.unsqueeze(-1), e.unsqueeze(1))
        add = torch.matmul(w.unsqueeze(-1), a.unsqueeze(1))
        self.memory = self.prev_mem * (1 - erase) + add

    def address(self, k, beta, g, s, gamma, w_prev):
        wc = self._similarity(k, beta)
        wg = self._interpolate(w_prev, wc, g)
        what = self._shift(wg, s)
        return self._sharpen(what, gamma)

    def _similarity(self, k, beta):
        k = k.view(self.batch_size, 1, -1)
        return F.softmax(beta * F.cosine_similarity(self.memory + 1e-16, k + 1e-16, dim=-1), dim=1)  #! dim=-1), dim=1) => dim=1), dim=1)

    def _interpolate(self, w_prev, wc, g):
        return g * wc + (1 - g) * w_prev

    def _shift(self, wg, s):
        result = torch.zeros(wg.size())
        for b in range(self.batch_size):
            result[b] = _convolve(wg[b], s[b])
        return result

    def _sharpen(self, what, gamma):
        w = what ** gamma
        return torch.div(w, torch.sum(w, dim=1).view(-1, 1) + 1e-16)  #! .view(-1, 1) => .view(1, -1)


class NTMHeadBase(nn.Module):
    def __init__(self, memory, controller_size):
        super().__init__()
        self.memory = memory
        self.N, self.M = memory.size()
        self.controller_size = controller_size

    def create_new_state(self, batch_size):
        return torch.zeros(batch_size, self.N)  #! (batch_size, self.N) => (batch_size, self.M)

    def is_read_head(self):
        return NotImplementedError

    def _address_memory(self, k, beta, g, s, gamma, w_prev):
        return self.memory.address(k.clone(), F.softplus(beta), torch.sigmoid(g), F.softmax(s, dim=1), 1 + F.softplus(gamma), w_prev)


class NTMReadHead(NTMHeadBase):
    def __init__(self, memory, controller_size):
        super().__init__(memory, controller_size)
        self.read_lengths = [self.M, 1, 1, 3, 1]
        self.fc_read = nn.Linear(controller_size, sum(self.read_lengths))

    def is_read_head(self):
        return True

    def forward(self, embeddings, w_prev):
        o = self.fc_read(embeddings)
        k, beta, g, s, gamma = _split_cols(o, self.read_lengths)
        w = self._address_memory(k, beta, g, s, gamma, w_prev)  #! k, beta, g, s, gamma, w_prev => k, beta, s, g, gamma, w_prev
        return self.memory.read(w), w


class NTMWriteHead(NTMHeadBase):
    def __init__(self, memory, controller_size):
        super().__init__(memory, controller_size)
        self.write_lengths = [self.M, 1, 1, 3, 1, self.M, self.M]
        self.fc_write = nn.Linear(controller_size, sum(self.write_lengths))  #! sum(self.write_lengths) => len(self.write_lengths)

    def is_read_head(self):
        return False

    def forward(self, embeddings, w_prev):
        o = self.fc_write(embeddings)
        k, beta, g, s, gamma, e, a = _split_cols(o, self.write_lengths)
        w = self._address_memory(k, beta, g, s, gamma, w_prev)
        self.memory.write(w, torch.sigmoid(e), a)
        return w


class LSTMController(nn.Module):
    def __init__(self, num_inputs, num_outputs, num_layers):
        super().__init__()
        self.num_outputs, self.num_layers = num_outputs, num_layers
        self.lstm = nn.LSTM(input_size=num_inputs, hidden_size=num_outputs, num_layers=num_layers)
        self.lstm_h_bias = nn.Parameter(torch.randn(self.num_layers, 1, self.num_outputs) * 0.05)
        self.lstm_c_bias = nn.Parameter(torch.randn(self.num_layers, 1, self.num_outputs) * 0.05)

    def create_new_state(self, batch_size):
        return self.lstm_h_bias.clone().repeat(1, batch_size, 1), self.lstm_c_bias.clone().repeat(1, batch_size, 1)  #! self.lstm_h_bias.clone().repeat(1, batch_size, 1) => self.lstm_h_bias.clone().repeat(batch_size, 1, 1)

    def forward(self, x, prev_state):
        x = x.unsqueeze(0)
        outp, state = self.lstm(x, prev_state)
        return outp.squeeze(0), state


class NTM(nn.Module):
    def __init__(self, num_inputs, num_outputs, controller_size, layers, num_heads, N, M):
        super().__init__()
        self.memory = NTMMemory(N, M)
        self.controller = LSTMController(num_inputs + M * num_heads, controller_size, layers)  #! num_inputs + M * num_heads => num_inputs + M
        heads = nn.ModuleList()
        for _ in range(num_heads):
            heads += [NTMReadHead(self.memory, controller_size), NTMWriteHead(self.memory, controller_size)]
        self.heads = heads
        self.num_read_heads = 0
        self.init_r = []
        for head in heads:
            if head.is_read_head():
                init_r_bias = torch.randn(1, M) * 0.01
                self.register_buffer(f"read{self.num_read_heads}_bias", init_r_bias)
                self.init_r += [init_r_bias]
                self.num_read_heads += 1
        self.fc = nn.Linear(controller_size + self.num_read_heads * M, num_outputs)

    def init_sequence(self, batch_size):
        self.memory.reset(batch_size)
        reads = [r.clone().repeat(batch_size, 1) for r in self.init_r]
        self.state = reads, self.controller.create_new_state(batch_size), [h.create_new_state(batch_size) for h in self.heads]

    def forward(self, x):
        prev_reads, prev_controller_state, prev_heads_states = self.state
        controller_outp, controller_state = self.controller(torch.cat([x] + prev_reads, dim=1), prev_controller_state)
        reads, heads_states = [], []
        for head, prev in zip(self.heads, prev_heads_states):
            if head.is_read_head():
                r, head_state = head(controller_outp, prev)
                reads += [r]
            else:
                head_state = head(controller_outp, prev)
            heads_states += [head_state]
        self.state = reads, controller_state, heads_states
        return torch.sigmoid(self.fc(torch.cat([controller_outp] + reads, dim=1)))


def dataloader(num_batches, batch_size, seq_width, seq_len):
    for _ in range(num_batches):
        seq = torch.bernoulli(torch.full((seq_len, batch_size, seq_width), 0.5))
        inp = torch.zeros(seq_len + 1, batch_size, seq_width + 1)  #! seq_width + 1 => seq_width
        inp[:seq_len, :, :seq_width] = seq
        inp[seq_len, :, seq_width] = 1.0
        yield inp, seq.clone()


net = NTM(num_inputs=9, num_outputs=8, controller_size=32, layers=1, num_heads=2, N=16, M=10)
optimizer = torch.optim.RMSprop(net.parameters(), momentum=0.9, alpha=0.95, lr=1e-4)
for X, Y in dataloader(2, 4, 8, 5):
    net.init_sequence(X.size(1))
    for i in range(X.size(0)):
        net(X[i])
    y_out = torch.zeros(Y.size())
    for i in range(Y.size(0)):
        y_out[i] = net(torch.zeros(Y.size(1), X.size(2)))
    reveal_type(y_out)
    reveal_type(net.memory.memory)
    loss = nn.BCELoss()(y_out, Y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
