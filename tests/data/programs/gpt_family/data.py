import torch


def batches(vocab, block, batch):
    stream = torch.randint(0, vocab, (1000,))
    while True:
        ix = torch.randint(len(stream) - block, (batch,))
        x = torch.stack([stream[i : i + block] for i in ix])
        y = torch.stack([stream[i + 1 : i + 1 + block] for i in ix])
        yield x, y
