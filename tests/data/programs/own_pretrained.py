"""A little library of pretrained models in one file: configurations, outputs, saving and loading, heads on one trunk."""
import copy
import json
import os
import tempfile
from collections import OrderedDict
from dataclasses import dataclass, fields
from typing import Any, Dict, Optional, Tuple, Union

import torch
from torch import nn


class PretrainedConfig:
    model_type = ""

    def __init__(self, **kwargs):
        self.return_dict = kwargs.pop("return_dict", True)
        self.output_hidden_states = kwargs.pop("output_hidden_states", False)
        self.num_labels = kwargs.pop("num_labels", 2)
        for key, value in kwargs.items():
            setattr(self, key, value)

    def to_dict(self) -> Dict[str, Any]:
        output = copy.deepcopy(self.__dict__)
        output["model_type"] = self.__class__.model_type
        return output

    @classmethod
    def from_dict(cls, values, **kwargs):
        values = {k: v for k, v in values.items() if k != "model_type"}
        values.update(kwargs)
        return cls(**values)


class TinyBertConfig(PretrainedConfig):
    model_type = "tinybert"

    def __init__(self, vocab_size=120, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
                 max_position_embeddings=40, type_vocab_size=2, hidden_dropout_prob=0.1, pad_token_id=0, **kwargs):
        super().__init__(pad_token_id=pad_token_id, **kwargs)
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        self.intermediate_size = intermediate_size
        self.max_position_embeddings = max_position_embeddings
        self.type_vocab_size = type_vocab_size
        self.hidden_dropout_prob = hidden_dropout_prob


class ModelOutput(OrderedDict):
    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value

    def __getitem__(self, k):
        if isinstance(k, str):
            return dict(self.items())[k]
        return self.to_tuple()[k]

    def to_tuple(self) -> Tuple[Any]:
        return tuple(self[k] for k in self.keys())


@dataclass
class BaseOutput(ModelOutput):
    last_hidden_state: torch.FloatTensor = None
    pooler_output: Optional[torch.FloatTensor] = None
    hidden_states: Optional[Tuple[torch.FloatTensor, ...]] = None


@dataclass
class ClassifierOutput(ModelOutput):
    loss: Optional[torch.FloatTensor] = None
    logits: torch.FloatTensor = None
    hidden_states: Optional[Tuple[torch.FloatTensor, ...]] = None


class PreTrainedModel(nn.Module):
    config_class = None
    base_model_prefix = ""

    def __init__(self, config, *inputs, **kwargs):
        super().__init__()
        if not isinstance(config, PretrainedConfig):
            raise ValueError(f"`{self.__class__.__name__}(config)` wants a configuration")
        self.config = config

    def post_init(self):
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            module.weight.data.normal_(mean=0.0, std=0.02)
            if module.bias is not None:
                module.bias.data.zero_()
        elif isinstance(module, nn.Embedding):
            module.weight.data.normal_(mean=0.0, std=0.02)
            if module.padding_idx is not None:
                module.weight.data[module.padding_idx].zero_()

    def save_pretrained(self, folder):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.json"), "w") as handle:
            json.dump(self.config.to_dict(), handle)
        torch.save(self.state_dict(), os.path.join(folder, "weights.bin"))

    @classmethod
    def from_pretrained(cls, folder, **kwargs):
        config = kwargs.pop("config", None)
        if config is None:
            with open(os.path.join(folder, "config.json")) as handle:
                config = cls.config_class.from_dict(json.load(handle), **kwargs)
        model = cls(config)
        state = torch.load(os.path.join(folder, "weights.bin"))
        missing, unexpected = model.load_state_dict(state, strict=False)
        model.eval()
        return model

    def num_parameters(self, only_trainable: bool = False) -> int:
        return sum(p.numel() for p in self.parameters() if p.requires_grad or not only_trainable)

    @property
    def device(self):
        return next(self.parameters()).device

    @property
    def dtype(self):
        return next(self.parameters()).dtype

    def get_extended_attention_mask(self, mask):
        if mask.dim() == 3:
            extended = mask[:, None, :, :]
        elif mask.dim() == 2:
            extended = mask[:, None, None, :]  #! mask[:, None, None, :] => mask[:, None, :, None, None]
        else:
            raise ValueError(f"Wrong shape for attention_mask (shape {mask.shape})")
        return (1.0 - extended.to(dtype=self.dtype)) * torch.finfo(self.dtype).min


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.register_buffer("position_ids", torch.arange(config.max_position_embeddings).expand((1, -1)), persistent=False)

    def forward(self, input_ids, token_type_ids=None):
        seq_length = input_ids.size()[1]
        position_ids = self.position_ids[:, :seq_length]  #! [:, :seq_length] => [:, : seq_length - 1]
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids) + self.position_embeddings(position_ids)
        return self.dropout(self.LayerNorm(x))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = int(config.hidden_size / config.num_attention_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(config.hidden_size, self.all_head_size)
        self.key = nn.Linear(config.hidden_size, self.all_head_size)
        self.value = nn.Linear(config.hidden_size, self.all_head_size)
        self.dense = nn.Linear(self.all_head_size, config.hidden_size)
        self.intermediate = nn.Linear(config.hidden_size, config.intermediate_size)
        self.output = nn.Linear(config.intermediate_size, config.hidden_size)
        self.norm1, self.norm2 = (nn.LayerNorm(config.hidden_size) for _ in range(2))

    def transpose_for_scores(self, x):
        new_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(*new_shape).permute(0, 2, 1, 3)  #! .permute(0, 2, 1, 3) => .permute(0, 2, 3, 1)

    def forward(self, hidden, mask):
        q, k, v = map(self.transpose_for_scores, (self.query(hidden), self.key(hidden), self.value(hidden)))
        scores = torch.matmul(q, k.transpose(-1, -2)) / self.attention_head_size**0.5 + mask
        context = torch.matmul(scores.softmax(-1), v).permute(0, 2, 1, 3).contiguous()
        context = context.view(*(context.size()[:-2] + (self.all_head_size,)))
        hidden = self.norm1(hidden + self.dense(context))
        return self.norm2(hidden + self.output(nn.functional.gelu(self.intermediate(hidden))))


class TinyBertModel(PreTrainedModel):
    config_class = TinyBertConfig
    base_model_prefix = "bert"

    def __init__(self, config, add_pooling_layer=True):
        super().__init__(config)
        self.embeddings = Embeddings(config)
        self.layer = nn.ModuleList([Layer(config) for _ in range(config.num_hidden_layers)])
        self.pooler = nn.Linear(config.hidden_size, config.hidden_size) if add_pooling_layer else None
        self.post_init()

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, output_hidden_states=None, return_dict=None) -> Union[Tuple, BaseOutput]:
        output_hidden_states = output_hidden_states if output_hidden_states is not None else self.config.output_hidden_states
        return_dict = return_dict if return_dict is not None else self.config.return_dict
        if attention_mask is None:
            attention_mask = torch.ones(input_ids.shape, device=input_ids.device)
        mask = self.get_extended_attention_mask(attention_mask)
        hidden = self.embeddings(input_ids, token_type_ids)
        all_hidden = () if output_hidden_states else None
        for layer in self.layer:
            if output_hidden_states:
                all_hidden = all_hidden + (hidden,)
            hidden = layer(hidden, mask)
        if output_hidden_states:
            all_hidden += (hidden,)
        pooled = torch.tanh(self.pooler(hidden[:, 0])) if self.pooler is not None else None
        if not return_dict:
            return tuple(v for v in [hidden, pooled, all_hidden] if v is not None)
        return BaseOutput(last_hidden_state=hidden, pooler_output=pooled, hidden_states=all_hidden)


class TinyBertForSequenceClassification(PreTrainedModel):
    config_class = TinyBertConfig

    def __init__(self, config):
        super().__init__(config)
        self.num_labels = config.num_labels
        self.bert = TinyBertModel(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def forward(self, input_ids=None, attention_mask=None, labels=None, return_dict=None, **kwargs):
        return_dict = return_dict if return_dict is not None else self.config.return_dict
        outputs = self.bert(input_ids, attention_mask=attention_mask, return_dict=return_dict, **kwargs)
        logits = self.classifier(outputs[1])  #! outputs[1] => outputs[0]
        loss = None
        if labels is not None:
            loss = nn.CrossEntropyLoss()(logits.view(-1, self.num_labels), labels.view(-1))
        if not return_dict:
            output = (logits,) + outputs[2:]
            return ((loss,) + output) if loss is not None else output
        return ClassifierOutput(loss=loss, logits=logits, hidden_states=outputs.hidden_states)


if __name__ == "__main__":
    config = TinyBertConfig(num_labels=4, hidden_size=32)
    model = TinyBertForSequenceClassification(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    ids = torch.randint(1, config.vocab_size, (6, 17))
    mask = (torch.arange(17)[None] < torch.tensor([17, 12, 9, 17, 5, 8])[:, None]).long()
    out = model(input_ids=ids, attention_mask=mask, labels=torch.randint(4, (6,)), output_hidden_states=True)
    out.loss.backward()
    optimizer.step()
    reveal_type(out.logits)
    reveal_type(out.hidden_states[-1])
    folder = tempfile.mkdtemp()
    model.save_pretrained(folder)
    again = TinyBertForSequenceClassification.from_pretrained(folder, output_hidden_states=False)
    plain = again(ids[:2], return_dict=False)
    reveal_type(plain[0])
    trunk = TinyBertModel(config, add_pooling_layer=False)
    hidden = trunk(ids, mask).last_hidden_state
    reveal_type((hidden * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True))
