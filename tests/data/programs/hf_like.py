"""In the style of Hugging Face's examples: data sets of columns with map, collators, outputs with names, a trainer."""
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

import torch
from torch import nn
from torch.utils.data import DataLoader


class Columns(torch.utils.data.Dataset):
    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, i):
        return {k: v[i] for k, v in self.columns.items()}

    def map(self, function, remove_columns=()):
        rows = [function(self[i]) for i in range(len(self))]
        merged = {k: [r[k] for r in rows] for k in rows[0]}
        old = {k: v for k, v in self.columns.items() if k not in remove_columns}
        return Columns({**old, **merged})


class CharTokenizer:
    pad_token_id, cls_token_id = 0, 1
    vocab_size = 130

    def __call__(self, text, max_length=16, truncation=True):
        ids = [self.cls_token_id] + [min(ord(c), 127) + 2 for c in text]
        ids = ids[:max_length] if truncation else ids
        return {"input_ids": ids, "attention_mask": [1] * len(ids)}

    def pad(self, features, multiple=None):
        longest = max(len(f["input_ids"]) for f in features)
        if multiple:
            longest = (longest + multiple - 1) // multiple * multiple
        return {k: [f[k] + [self.pad_token_id] * (longest - len(f[k])) for f in features] for k in ("input_ids", "attention_mask")}


@dataclass
class DataCollatorWithPadding:
    tokenizer: CharTokenizer
    pad_to_multiple_of: Optional[int] = None

    def __call__(self, features: List[Dict[str, Any]]) -> Dict[str, torch.Tensor]:
        batch = self.tokenizer.pad(features, self.pad_to_multiple_of)
        batch = {k: torch.tensor(v) for k, v in batch.items()}
        batch["labels"] = torch.tensor([f["label"] for f in features])  #! [f["label"] for f in features] => [[f["label"]] for f in features]
        return batch


class ModelOutput(OrderedDict):
    def __getattr__(self, name):
        return self[name]


class TinyConfig:
    def __init__(self, vocab_size=130, hidden_size=24, num_attention_heads=4, num_hidden_layers=2, max_position_embeddings=32, num_labels=3, **kwargs):
        self.vocab_size, self.hidden_size, self.num_attention_heads = vocab_size, hidden_size, num_attention_heads
        self.num_hidden_layers, self.max_position_embeddings, self.num_labels = num_hidden_layers, max_position_embeddings, num_labels
        for k, v in kwargs.items():
            setattr(self, k, v)


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config.num_attention_heads
        self.head_size = config.hidden_size // config.num_attention_heads
        self.query, self.key, self.value = (nn.Linear(config.hidden_size, self.heads * self.head_size) for _ in range(3))
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def transpose_for_scores(self, x):
        return x.view(x.size()[:-1] + (self.heads, self.head_size)).permute(0, 2, 1, 3)

    def forward(self, hidden, mask):
        q, k, v = (self.transpose_for_scores(f(hidden)) for f in (self.query, self.key, self.value))
        scores = q @ k.transpose(-1, -2) / self.head_size ** 0.5 + mask
        context = (scores.softmax(-1) @ v).permute(0, 2, 1, 3).contiguous()  #! .permute(0, 2, 1, 3) => .permute(0, 1, 3, 2)
        context = context.view(context.size()[:-2] + (self.heads * self.head_size,))
        return self.LayerNorm(hidden + self.dense(context))


class TinyForClassification(nn.Module):
    config_class = TinyConfig

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=0)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.register_buffer("position_ids", torch.arange(config.max_position_embeddings).expand((1, -1)))
        self.layer = nn.ModuleList([SelfAttention(config) for _ in range(config.num_hidden_layers)])
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)  #! config.hidden_size, config.num_labels => config.num_labels, config.hidden_size

    def forward(self, input_ids, attention_mask=None, labels=None):
        n = input_ids.shape[1]
        x = self.embeddings(input_ids) + self.position_embeddings(self.position_ids[:, :n])
        mask = (1.0 - attention_mask[:, None, None, :].float()) * -1e4  #! [:, None, None, :] => [:, None, :]
        for layer in self.layer:
            x = layer(x, mask)
        logits = self.classifier(x[:, 0])  #! x[:, 0] => x
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return ModelOutput(loss=loss, logits=logits, pooled=x[:, 0])


class Trainer:
    def __init__(self, model, train_dataset, data_collator, compute_metrics=None, batch_size=4):
        self.model, self.data, self.collate, self.metrics = model, train_dataset, data_collator, compute_metrics
        self.batch_size = batch_size
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)

    def train(self):
        for inputs in DataLoader(self.data, self.batch_size, shuffle=True, collate_fn=self.collate):
            outputs = self.model(**inputs)
            reveal_type(outputs.logits)
            outputs.loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()

    def evaluate(self):
        all_logits, all_labels = [], []
        for inputs in DataLoader(self.data, self.batch_size, collate_fn=self.collate):
            labels = inputs.pop("labels")
            with torch.no_grad():
                all_logits.append(self.model(**inputs)["logits"])
            all_labels.append(labels)
        return self.metrics((torch.cat(all_logits), torch.cat(all_labels)))


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    reveal_type(logits)
    return {"accuracy": (logits.argmax(-1) == labels).float().mean(), "margin": (logits - torch.tensor([0.1, 0.2, 0.3])).mean()}  #! [0.1, 0.2, 0.3] => [0.1, 0.2]


raw = Columns({"text": ["good film", "bad film, really bad", "so so", "fine", "a waste of time and money"], "label": [2, 0, 1, 2, 0]})
tokenizer = CharTokenizer()
encoded = raw.map(lambda row: tokenizer(row["text"]), remove_columns=["text"])
config = TinyConfig(vocab_size=tokenizer.vocab_size, num_labels=3, layer_norm_eps=1e-6)
trainer = Trainer(TinyForClassification(config), encoded, DataCollatorWithPadding(tokenizer, 8), compute_metrics)
trainer.train()
print(trainer.evaluate())
