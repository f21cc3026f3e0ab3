"""Trains a model of the zoo that is chosen by name."""
import argparse
import torch
from torch.utils.data import DataLoader
from data import SyntheticImages
from models import build_model, available
from utils import AverageMeter, accuracy, set_seed
from config import CONFIGS


def train_one_epoch(model, loader, criterion, optimizer, epoch, log_every=2):
    losses, top1 = AverageMeter("loss"), AverageMeter("top1")
    model.train()
    for step, (inputs, targets) in enumerate(loader, start=1):
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        acc1, acc5 = accuracy(outputs, targets, topk=(1, 5))
        losses.update(loss.item(), inputs.size(0))
        top1.update(acc1.item(), inputs.size(0))
        if step % log_every == 0:
            print(f"epoch {epoch} {losses} {top1}")
    return losses.avg


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", choices=["tinyresnet", "mobile", "vit"], default="tinyresnet")
    parser.add_argument("--epochs", default=1, type=int)
    args = parser.parse_args()
    set_seed(3)
    cfg = CONFIGS[args.arch]
    dataset = SyntheticImages(48, cfg["image_size"], cfg["num_classes"])
    loader = DataLoader(dataset, batch_size=cfg["batch_size"], shuffle=True)
    model = build_model(args.arch, **cfg["model"], num_classes=cfg["num_classes"])
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.get("lr", 0.1), momentum=0.9)
    for epoch in range(args.epochs):
        train_one_epoch(model, loader, torch.nn.CrossEntropyLoss(), optimizer, epoch)
    for name in available():
        other = CONFIGS[name]
        size = other["image_size"]
        net = build_model(name, **other["model"], num_classes=other["num_classes"])
        out = net.eval()(torch.rand(2, 3, size, size))
        reveal_type(out)


if __name__ == "__main__":
    main()
