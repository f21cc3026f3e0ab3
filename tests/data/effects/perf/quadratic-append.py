"""An array made longer in each iteration, against a list that is put together once."""
import torch

CASES = {"300 pieces of 16 × 64": (300, 16, 64), "20 pieces of 16 × 64": (20, 16, 64), "8 pieces of 2 × 8": (8, 2, 8)}


def setup(pieces, rows, columns):
    return [torch.randn(rows, columns) for _ in range(pieces)], torch.zeros(0, columns)


def before(pieces, out):
    for piece in pieces:
        out = torch.cat((out, piece))
    return out


def after(pieces, out):
    parts = [out]
    for piece in pieces:
        parts.append(piece)
    return torch.cat(parts)
