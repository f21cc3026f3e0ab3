"""Trains both networks and draws a few digits."""

import argparse

import torch
import torch.nn.functional as F
from torch import optim

from data import test_batches, training_batches
from model import Classifier, Painter
from smooth import smooth


def train_painter(painter, batches, rate):
    optimizer = optim.Adam(painter.parameters(), lr=rate)
    painter.train()
    for images, _ in batches:
        optimizer.zero_grad()
        loss = F.mse_loss(painter(images), images)
        loss.backward()
        optimizer.step()


def train_classifier(classifier, batches, rate):
    optimizer = optim.Adam(classifier.parameters(), lr=rate)
    classifier.train()
    for images, labels in batches:
        optimizer.zero_grad()
        loss = F.cross_entropy(classifier(images), labels)
        loss.backward()
        optimizer.step()


def draw(painter, batches):
    """A sheet of eight rows with eight digits each."""
    painter.eval()
    with torch.no_grad():
        for images, _ in batches:
            digits = painter(images).view(8, 8, 28, 28)
            return smooth(digits.transpose(1, 2).reshape(224, 224))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="digits")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e-3)
    options = parser.parse_args()

    painter = Painter()
    classifier = Classifier()
    for epoch in range(options.epochs):
        train_painter(painter, training_batches(options.data), options.rate)
        train_classifier(classifier, training_batches(options.data), options.rate)
        print(f"epoch {epoch} is done")
    print(draw(painter, test_batches(options.data)))


if __name__ == "__main__":
    main()
