# Data sets side by side.
from torch.utils.data import Dataset


class StackDataset(Dataset):
    def __init__(self, *args, **kwargs):
        self.datasets = kwargs if kwargs else args

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self):
        sets = list(self.datasets.values()) if isinstance(self.datasets, dict) else self.datasets
        return len(sets[0])
