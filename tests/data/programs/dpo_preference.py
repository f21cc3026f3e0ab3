"""Direct preference optimization of a small causal language model, with a padded pair collator and a reward head."""
import copy
from typing import Dict, List, NamedTuple, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

IGNORE = -100
PAD = 0


class Pair(NamedTuple):
    prompt: List[int]
    chosen: List[int]
    rejected: List[int]


class PreferenceData(Dataset):
    def __init__(self, n=16, vocab=50):
        g = torch.Generator().manual_seed(0)
        draw = lambda k: torch.randint(1, vocab, (k,), generator=g).tolist()
        self.items = [Pair(draw(3 + i % 3), draw(4), draw(5)) for i in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i) -> Dict[str, torch.Tensor]:
        pair = self.items[i]
        out = {}
        for kind in ("chosen", "rejected"):
            answer = getattr(pair, kind)
            out[f"{kind}_ids"] = torch.tensor(pair.prompt + answer)
            out[f"{kind}_labels"] = torch.tensor([IGNORE] * len(pair.prompt) + answer)
        return out


def collate(batch):
    keys = batch[0].keys()
    return {k: pad_sequence([b[k] for b in batch], batch_first=True, padding_value=IGNORE if k.endswith("labels") else PAD) for k in keys}


class CausalLM(nn.Module):
    def __init__(self, vocab=50, d_model=32, nhead=4, layers=2, max_len=64):
        super().__init__()
        self.wte = nn.Embedding(vocab, d_model)
        self.wpe = nn.Embedding(max_len, d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 4 * d_model, dropout=0.0, batch_first=True, norm_first=True)
        self.h = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.lm_head = nn.Linear(d_model, vocab, bias=False)
        self.lm_head.weight = self.wte.weight
        self.value_head = nn.Linear(d_model, 1)

    def forward(self, ids, attention_mask):
        t = ids.size(1)
        pos = torch.arange(t, device=ids.device)
        x = self.wte(ids) + self.wpe(pos)[None]
        causal = nn.Transformer.generate_square_subsequent_mask(t)  #! (t) => (ids.size(0))
        x = self.h(x, mask=causal, src_key_padding_mask=~attention_mask)  #! src_key_padding_mask=~attention_mask => src_key_padding_mask=~attention_mask.T
        return self.lm_head(x), self.value_head(x).squeeze(-1)


def concatenated_inputs(batch):
    longest = max(batch["chosen_ids"].shape[1], batch["rejected_ids"].shape[1])

    def pad_to(x, value):
        return F.pad(x, (0, longest - x.shape[1]), value=value)  #! (0, longest - x.shape[1]) => (0, 0, 0, longest - x.shape[1])

    ids = torch.cat([pad_to(batch["chosen_ids"], PAD), pad_to(batch["rejected_ids"], PAD)], dim=0)
    labels = torch.cat([pad_to(batch["chosen_labels"], IGNORE), pad_to(batch["rejected_labels"], IGNORE)], dim=0)
    return ids, labels


def get_batch_logps(logits, labels, average=False):
    if logits.shape[:-1] != labels.shape:
        raise ValueError("Logits (batch and sequence length dim) and labels must have the same shape.")
    labels = labels[:, 1:].clone()  #! labels[:, 1:] => labels
    logits = logits[:, :-1, :]
    mask = labels != IGNORE
    labels[labels == IGNORE] = 0
    per_token = torch.gather(logits.log_softmax(-1), dim=2, index=labels.unsqueeze(2)).squeeze(2)  #! index=labels.unsqueeze(2) => index=labels
    if average:
        return (per_token * mask).sum(-1) / mask.sum(-1)
    return (per_token * mask).sum(-1)


def forward_pair(model, batch) -> Tuple[torch.Tensor, torch.Tensor]:
    ids, labels = concatenated_inputs(batch)
    logits, values = model(ids, ids != PAD)
    logps = get_batch_logps(logits, labels)  #! logits, labels => logits.transpose(1, 2), labels
    n = batch["chosen_ids"].shape[0]
    return logps[:n], logps[n:]


def dpo_loss(policy, reference, beta=0.1):
    pi = policy[0] - policy[1]
    ref = reference[0] - reference[1]
    losses = -F.logsigmoid(beta * (pi - ref))
    rewards = torch.stack([beta * (p - r).detach() for p, r in zip(policy, reference)], dim=1)
    reveal_type(rewards)
    return losses.mean(), rewards


def kto_reward(model, batch):
    """The value of the last token that is no padding."""
    ids = batch["chosen_ids"]
    _, values = model(ids, ids.ne(PAD))
    last = ids.ne(PAD).sum(dim=1) - 1
    return values.gather(1, last[:, None]).squeeze(1)  #! last[:, None] => last


def main():
    torch.manual_seed(0)
    policy = CausalLM()
    reference = copy.deepcopy(policy).eval()
    for p in reference.parameters():
        p.requires_grad = False
    optimizer = torch.optim.RMSprop(policy.parameters(), lr=5e-4)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda s: min(1.0, (s + 1) / 10))
    loader = DataLoader(PreferenceData(), batch_size=4, shuffle=True, collate_fn=collate)
    for batch in loader:
        chosen, rejected = forward_pair(policy, batch)
        reveal_type(chosen)
        with torch.no_grad():
            ref = forward_pair(reference, batch)
        loss, rewards = dpo_loss((chosen, rejected), ref)
        accuracy = (rewards[:, 0] > rewards[:, 1]).float().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 10.0)
        optimizer.step()
        scheduler.step()
    reveal_type(kto_reward(policy, batch))
    print(f"{loss.item():.3f} {accuracy.item():.2f}")


if __name__ == "__main__":
    main()
