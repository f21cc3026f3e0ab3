"""Loads one of a family of decoders by name, grows its vocabulary and context, adapts it with low-rank layers, trains with accumulation, and exports."""
import argparse

import torch

from configs import get_config
from data import batches
from model import Decoder
from peft import add_adapters, merge_adapters, trainable
from train import train

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="tiny-parallel")  #! "tiny-parallel" => "tiny-wrong"
parser.add_argument("--rank", type=int, default=4)
parser.add_argument("--new-tokens", dest="new_tokens", type=int, default=3)
opts = parser.parse_args()

config = get_config(opts.name)
model = Decoder(config)
model.resize_token_embeddings(config.vocab_size + 3)
reveal_type(model.transformer["wte"].weight)
model.crop_block_size(24)
count = add_adapters(model, rank=4, targets=("attn", "fc"))
optimizer = torch.optim.AdamW(trainable(model), lr=1e-3)
last = train(model, optimizer, batches(config.vocab_size + 3, block=16, batch=4), steps=4, accumulate=2)  #! block=16 => block=32
reveal_type(last)
merge_adapters(model)
out = model.generate(torch.zeros(2, 5, dtype=torch.long), 3)
reveal_type(out)
