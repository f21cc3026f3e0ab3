"""A vision transformer configured with ml_collections, on arrays from an archive."""
import io

import ml_collections
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from ml_collections import config_dict
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms as T


def get_config():
    config = ml_collections.ConfigDict()
    config.hidden_size = 48
    config.patches = ml_collections.ConfigDict({"size": (4, 4)})
    config.image_size = 32
    config.transformer = ml_collections.ConfigDict()
    config.transformer.mlp_dim = 4 * config.get_ref("hidden_size")
    config.transformer.num_heads = 6
    config.transformer.num_layers = 2
    config.classifier = "token"
    config.num_classes = config_dict.placeholder(int)
    config.batch = 4
    return config


def get_small():
    config = get_config()
    config.hidden_size = 24  #! config.hidden_size = 24 => config.hidden_size = 20
    config.transformer.update({"num_heads": 3})
    config.unlock()
    config.dropout = 0.1
    config.num_classes = 10
    return config


class Archive(Dataset):
    def __init__(self, buffer, transform):
        archive = np.load(buffer)
        self.images, self.labels = archive["x"], archive["y"].squeeze()
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.transform(self.images[i]), int(self.labels[i])


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        ph, pw = config.patches["size"]
        n = (config.image_size // ph) * (config.image_size // pw)
        self.patch_embeddings = nn.Conv2d(3, config.hidden_size, kernel_size=(ph, pw), stride=(ph, pw))
        self.position_embeddings = nn.Parameter(torch.zeros(1, n + 1, config.hidden_size))  #! n + 1 => n
        self.cls_token = nn.Parameter(torch.zeros(1, 1, config.hidden_size))

    def forward(self, x):
        x = self.patch_embeddings(x).flatten(2).transpose(-1, -2)  #! .transpose(-1, -2) => .contiguous()
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1)
        return x + self.position_embeddings


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        t = config.transformer
        self.norm1, self.norm2 = nn.LayerNorm(config.hidden_size, eps=1e-6), nn.LayerNorm(config.hidden_size, eps=1e-6)
        self.attn = nn.MultiheadAttention(config.hidden_size, t["num_heads"], batch_first=True)
        self.fc1, self.fc2 = nn.Linear(config.hidden_size, t.mlp_dim), nn.Linear(t.mlp_dim, config.hidden_size)  #! nn.Linear(t.mlp_dim, config.hidden_size) => nn.Linear(192, config.hidden_size)
        self.dropout = nn.Dropout(config.get("dropout", 0.0))

    def forward(self, x):
        h = self.norm1(x)
        x = x + self.attn(h, h, h)[0]
        return x + self.dropout(self.fc2(F.gelu(self.fc1(self.norm2(x)))))


class ViT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embeddings = Embeddings(config)
        self.blocks = nn.Sequential(*[Block(config) for _ in range(config.transformer.num_layers)])
        self.classifier = config.classifier
        self.head = nn.Linear(config.hidden_size, config.num_classes)

    def forward(self, x, labels=None):
        x = self.blocks(self.embeddings(x))
        x = x[:, 0] if self.classifier == "token" else x.mean(1)
        logits = self.head(x)
        if labels is not None:
            return F.cross_entropy(logits.view(-1, 10), labels.view(-1))  #! .view(-1, 10) => .view(-1, 12)
        return logits


CONFIGS = {"base": get_config, "small": get_small}


def main(name="small"):
    config = CONFIGS[name]()
    buffer = io.BytesIO()
    np.savez(buffer, x=np.random.randint(0, 256, (10, 28, 28, 3), dtype=np.uint8), y=np.random.randint(0, 10, (10, 1)))
    buffer.seek(0)
    transform = T.Compose([T.ToPILImage(), T.Resize((config.image_size, config.image_size)), T.ToTensor(), T.Normalize((0.5,) * 3, (0.5,) * 3)])  #! T.ToPILImage(), T.Resize((config.image_size, config.image_size)), => T.ToPILImage(),
    loader = DataLoader(Archive(buffer, transform), config.batch, drop_last=False)
    model = ViT(config)
    opt = torch.optim.SGD(model.parameters(), lr=3e-2)
    for images, labels in loader:
        reveal_type(images)
        loss = model(images, labels)
        loss.backward()
        opt.step()
        opt.zero_grad()
    logits = model(images)
    reveal_type(logits)
    attention = model.embeddings.position_embeddings[0, 1:] @ model.head.weight.T  #! model.head.weight.T => model.head.weight
    print(attention.shape, config.transformer.mlp_dim)


if __name__ == "__main__":
    main()
