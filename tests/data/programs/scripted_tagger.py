"""TorchScript: scripted modules with typed lists, traced trunks, exported methods, and freezing."""
import io
import math
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.jit as jit
import torch.nn as nn
from torch import Tensor
from torch.nn import Parameter

LSTMState = NamedTuple("LSTMState", [("hx", Tensor), ("cx", Tensor)])


class LSTMCell(jit.ScriptModule):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih = Parameter(torch.randn(4 * hidden_size, input_size) / math.sqrt(input_size))
        self.weight_hh = Parameter(torch.randn(4 * hidden_size, hidden_size) / math.sqrt(hidden_size))
        self.layernorm_c = nn.LayerNorm(hidden_size)

    @jit.script_method
    def forward(self, input: Tensor, state: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        hx, cx = state
        gates = torch.mm(input, self.weight_ih.t()) + torch.mm(hx, self.weight_hh.t())
        ingate, forgetgate, cellgate, outgate = gates.chunk(4, 1)
        cy = self.layernorm_c((torch.sigmoid(forgetgate) * cx) + (torch.sigmoid(ingate) * torch.tanh(cellgate)))
        hy = torch.sigmoid(outgate) * torch.tanh(cy)
        return hy, (hy, cy)


class LSTMLayer(jit.ScriptModule):
    def __init__(self, cell, *cell_args, reverse=False):
        super().__init__()
        self.cell = cell(*cell_args)
        self.reverse = reverse

    @jit.script_method
    def forward(self, input: Tensor, state: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        inputs = input.unbind(0)
        outputs = torch.jit.annotate(List[Tensor], [])
        for i in range(len(inputs)):
            index = len(inputs) - 1 - i if self.reverse else i
            out, state = self.cell(inputs[index], state)
            outputs += [out]
        if self.reverse:
            outputs.reverse()
        return torch.stack(outputs), state


class StackedLSTM(nn.Module):
    def __init__(self, num_layers, input_size, hidden_size):
        super().__init__()
        layers = [LSTMLayer(LSTMCell, input_size, hidden_size)]
        layers += [LSTMLayer(LSTMCell, hidden_size, hidden_size, reverse=bool(i % 2)) for i in range(1, num_layers)]
        self.layers = nn.ModuleList(layers)

    def forward(self, input: Tensor, states: List[Tuple[Tensor, Tensor]]) -> Tuple[Tensor, List[Tuple[Tensor, Tensor]]]:
        output_states: List[Tuple[Tensor, Tensor]] = []
        output = input
        for i, rnn_layer in enumerate(self.layers):
            output, out_state = rnn_layer(output, states[i])
            output_states += [out_state]
        return output, output_states


class Tagger(nn.Module):
    __constants__ = ["max_length"]

    def __init__(self, vocab: int, tags: int, dim: int = 12, hidden: int = 10, layers: int = 2):
        super().__init__()
        self.max_length = 30
        self.hidden, self.num_layers = hidden, layers
        self.embed = nn.Embedding(vocab, dim)
        self.lstm = StackedLSTM(layers, dim, hidden)
        self.out = nn.Linear(hidden, tags)
        self.cache: Dict[str, int] = {}

    @torch.jit.export
    def initial(self, batch: int) -> List[Tuple[Tensor, Tensor]]:
        states: List[Tuple[Tensor, Tensor]] = []
        for _ in range(self.num_layers):
            states.append((torch.zeros(batch, self.hidden), torch.zeros(batch, self.hidden)))
        return states

    def forward(self, ids: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
        assert ids.dim() == 2
        x = self.embed(ids).transpose(0, 1)
        x, _ = self.lstm(x, self.initial(ids.size(0)))
        logits = self.out(x).transpose(0, 1)
        if lengths is not None:
            steps = torch.arange(ids.size(1), device=ids.device)
            logits = logits.masked_fill((steps[None, :] >= lengths[:, None]).unsqueeze(-1), 0.0)
        return logits


@torch.jit.script
def focal(logits: Tensor, target: Tensor, gamma: float = 2.0) -> Tensor:
    logp = torch.log_softmax(logits, dim=-1)
    logp = logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return -(((1 - logp.exp()) ** gamma) * logp).mean()


if __name__ == "__main__":
    torch.manual_seed(0)
    tagger = Tagger(40, 6)
    scripted = torch.jit.script(tagger)
    ids = torch.randint(0, 40, (5, 9))
    lengths = torch.tensor([9, 4, 5, 7, 2])
    logits = scripted(ids, lengths)
    reveal_type(logits)
    loss = focal(logits, torch.randint(0, 6, (5, 9)))
    loss.backward()
    buffer = io.BytesIO()
    torch.jit.save(scripted, buffer)
    buffer.seek(0)
    loaded = torch.jit.load(buffer)
    reveal_type(tagger(torch.randint(0, 40, (2, 7))))
    trunk = nn.Sequential(nn.Conv1d(6, 8, 3), nn.ReLU(), nn.AdaptiveMaxPool1d(4), nn.Flatten(), nn.Linear(32, 3))
    traced = torch.jit.trace(trunk, torch.randn(2, 6, 20))
    reveal_type(traced(logits.detach().transpose(1, 2)))  #! .transpose(1, 2) => 
    frozen = torch.jit.freeze(torch.jit.script(tagger.eval()))
    reveal_type(frozen(ids))
    state = LSTMState(torch.randn(3, 10), torch.randn(3, 10))
    cell = LSTMCell(12, 10)
    out, (hy, cy) = cell(torch.randn(3, 12), (state.hx, state.cx))
    reveal_type(cy)
