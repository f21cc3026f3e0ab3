"""Images with captions as dictionaries."""
import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Captions(Dataset):
    def __init__(self, n, settings):
        self.n = n
        self.settings = settings

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        s = self.settings
        length = 4 + index % (s.max_len - 4)
        caption = torch.zeros(s.max_len, dtype=torch.long)
        caption[:length] = torch.randint(1, s.vocab, (length,))
        return {"image": torch.rand(s.image_channels, s.image_size, s.image_size), "caption": caption, "length": length}


def collate(samples):
    batch = default_collate(samples)
    longest = int(batch["length"].max())
    batch["caption"] = batch["caption"][:, :longest]
    return batch


def make_loaders(settings):
    make = lambda n, shuffle: DataLoader(Captions(n, settings), settings.batch_size, shuffle, collate_fn=collate)
    return make(20, True), make(10, False)
