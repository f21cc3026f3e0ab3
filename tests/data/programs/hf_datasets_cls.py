"""Sentence classification in the manner of the Hugging Face libraries: a map over records, a collator that pads, and a small encoder of one's own."""
import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import torch
from datasets import Dataset, DatasetDict
from torch import nn
from torch.utils.data import DataLoader


class WordTokenizer:
    pad_token_id, cls_token_id, sep_token_id, unk_token_id = 0, 1, 2, 3

    def __init__(self, corpus, max_length=16):
        words = sorted({w for text in corpus for w in text.lower().split()})
        self.vocab = {w: i + 4 for i, w in enumerate(words)}
        self.model_max_length = max_length

    def __len__(self):
        return len(self.vocab) + 4

    def __call__(self, texts, truncation=True, pairs=None):
        rows = [[self.cls_token_id] + [self.vocab.get(w, self.unk_token_id) for w in t.lower().split()] + [self.sep_token_id] for t in texts]
        if truncation:
            rows = [row[: self.model_max_length] for row in rows]
        return {"input_ids": rows, "attention_mask": [[1] * len(row) for row in rows]}

    def pad(self, features, pad_to_multiple_of=None, return_tensors="pt"):
        longest = max(len(f["input_ids"]) for f in features)
        if pad_to_multiple_of:
            longest = math.ceil(longest / pad_to_multiple_of) * pad_to_multiple_of
        out = {"input_ids": [], "attention_mask": []}
        for f in features:
            missing = longest - len(f["input_ids"])
            out["input_ids"].append(list(f["input_ids"]) + [self.pad_token_id] * missing)
            out["attention_mask"].append(list(f["attention_mask"]) + [0] * missing)
        return {k: torch.tensor(v) for k, v in out.items()}


@dataclass
class DataCollator:
    tokenizer: WordTokenizer
    pad_to_multiple_of: Optional[int] = 8

    def __call__(self, features: List[Dict[str, Any]]) -> Dict[str, torch.Tensor]:
        labels = torch.tensor([int(f.pop("labels")) for f in features])
        batch = self.tokenizer.pad(features, pad_to_multiple_of=self.pad_to_multiple_of)
        batch["labels"] = labels
        return batch


class EncoderConfig:
    def __init__(self, vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=32, num_labels=3, **kwargs):
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        self.intermediate_size = intermediate_size
        self.max_position_embeddings = max_position_embeddings
        self.num_labels = num_labels
        for key, value in kwargs.items():
            setattr(self, key, value)

    @classmethod
    def from_dict(cls, values):
        return cls(**values)


@dataclass
class ModelOutput:
    logits: torch.Tensor
    loss: Optional[torch.Tensor] = None
    hidden_states: Optional[Tuple[torch.Tensor, ...]] = None

    def __getitem__(self, i):
        return [v for v in (self.loss, self.logits, self.hidden_states) if v is not None][i]


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=0)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)  #! config.max_position_embeddings, config.hidden_size => config.max_position_embeddings, config.intermediate_size
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=1e-12)
        self.register_buffer("position_ids", torch.arange(config.max_position_embeddings).expand((1, -1)))

    def forward(self, input_ids):
        seq_length = input_ids.size(1)
        position_ids = self.position_ids[:, :seq_length]
        return self.LayerNorm(self.word_embeddings(input_ids) + self.position_embeddings(position_ids))


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = int(config.hidden_size / config.num_attention_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        for name in ("query", "key", "value"):
            setattr(self, name, nn.Linear(config.hidden_size, self.all_head_size))
        self.output = nn.Linear(self.all_head_size, config.hidden_size)  #! self.all_head_size, config.hidden_size => self.attention_head_size, config.hidden_size

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(new_x_shape).permute(0, 2, 1, 3)  #! x.view(new_x_shape).permute(0, 2, 1, 3) => x.view(new_x_shape).permute(0, 2, 1)

    def forward(self, hidden_states, attention_mask):
        q, k, v = (self.transpose_for_scores(getattr(self, n)(hidden_states)) for n in ("query", "key", "value"))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.attention_head_size)
        scores = scores + attention_mask
        context = torch.matmul(nn.functional.softmax(scores, dim=-1), v)
        context = context.permute(0, 2, 1, 3).contiguous()
        return self.output(context.view(context.size()[:-2] + (self.all_head_size,)))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = SelfAttention(config)
        self.intermediate = nn.Linear(config.hidden_size, config.intermediate_size)
        self.output = nn.Linear(config.intermediate_size, config.hidden_size)  #! config.intermediate_size, config.hidden_size => config.hidden_size, config.intermediate_size
        self.norm1, self.norm2 = nn.LayerNorm(config.hidden_size), nn.LayerNorm(config.hidden_size)

    def forward(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.output(nn.functional.gelu(self.intermediate(x))))


class SequenceClassifier(nn.Module):
    config_class = EncoderConfig

    def __init__(self, config):
        super().__init__()
        self.config, self.num_labels = config, config.num_labels
        self.embeddings = Embeddings(config)
        self.encoder = nn.ModuleList([Layer(config) for _ in range(config.num_hidden_layers)])
        self.pooler = nn.Sequential(nn.Linear(config.hidden_size, config.hidden_size), nn.Tanh())
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.init_weights()

    def init_weights(self):
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                module.weight.data.normal_(mean=0.0, std=0.02)

    def get_extended_attention_mask(self, attention_mask):
        if attention_mask.dim() == 3:
            extended = attention_mask[:, None, :, :]
        elif attention_mask.dim() == 2:
            extended = attention_mask[:, None, None, :]  #! attention_mask[:, None, None, :] => attention_mask[:, None, :]
        else:
            raise ValueError(f"Wrong shape for attention_mask (shape {attention_mask.shape})")
        return (1.0 - extended.to(dtype=torch.float32)) * torch.finfo(torch.float32).min

    def forward(self, input_ids, attention_mask=None, labels=None, output_hidden_states=False):
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        mask = self.get_extended_attention_mask(attention_mask)
        hidden = self.embeddings(input_ids)
        all_hidden = (hidden,) if output_hidden_states else None
        for layer in self.encoder:
            hidden = layer(hidden, mask)
            if output_hidden_states:
                all_hidden = all_hidden + (hidden,)
        logits = self.classifier(self.pooler(hidden[:, 0]))  #! hidden[:, 0] => hidden
        loss = None
        if labels is not None:
            loss = nn.CrossEntropyLoss()(logits.view(-1, self.num_labels), labels.view(-1))  #! logits.view(-1, self.num_labels) => logits.view(-1, self.num_labels - 1)
        return ModelOutput(logits=logits, loss=loss, hidden_states=all_hidden)


def build_dataset(seed=0):
    rng = np.random.default_rng(seed)
    words = "good bad fine awful great terrible movie plot actor scene".split()
    texts = [" ".join(rng.choice(words, size=int(rng.integers(3, 12)))) for _ in range(22)]
    data = Dataset.from_dict({"text": texts, "label": [i % 3 for i in range(len(texts))]})
    split = data.train_test_split(test_size=0.25, seed=seed)
    return DatasetDict(train=split["train"], validation=split["test"]), texts


def main():
    torch.manual_seed(0)
    raw, texts = build_dataset()
    tokenizer = WordTokenizer(texts)
    tokenized = raw.map(lambda batch: tokenizer(batch["text"]), batched=True, remove_columns=["text"])
    tokenized = tokenized.rename_column("label", "labels")
    collator = DataCollator(tokenizer)
    loaders = {name: DataLoader(tokenized[name], shuffle=name == "train", batch_size=4, collate_fn=collator) for name in tokenized}
    config = EncoderConfig.from_dict({"vocab_size": len(tokenizer), "hidden_size": 32, "num_labels": 3})
    model = SequenceClassifier(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    for batch in loaders["train"]:
        outputs = model(**batch)
        outputs.loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    correct = []
    for batch in loaders["validation"]:
        with torch.no_grad():
            outputs = model(**batch)
        correct.append((outputs.logits.argmax(-1) == batch["labels"]).float())
    print(torch.cat(correct).mean())  #! torch.cat(correct) => torch.stack(correct)
    probe = torch.randint(4, len(tokenizer), (2, 9))
    result = model(probe, output_hidden_states=True)
    reveal_type(result.logits)
    reveal_type(result.hidden_states[-1])
    stacked = torch.stack(result.hidden_states, dim=1)
    reveal_type(stacked)


if __name__ == "__main__":
    main()
