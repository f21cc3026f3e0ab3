import hydra
import torch
import torch.nn as nn
from omegaconf import DictConfig


def train(cfg, net):
    opt = hydra.utils.instantiate(cfg.optimizer, net.parameters())
    for epoch in range(cfg.epochs):
        loss = net(torch.rand(4, 8)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if cfg.log.every and epoch % cfg.log.every == 0:
            print(loss)


@hydra.main(config_path="conf", config_name="config")
def main(cfg: DictConfig):
    if cfg.seed is not None:
        torch.manual_seed(cfg.seed)
    net = nn.Linear(8, 1)
    if cfg.mode == "train":
        train(cfg, net)
    elif cfg.mode == "test":
        for _ in range(3):
            print(net(torch.rand(1, 8)))
    else:
        raise NotImplementedError(cfg.mode)


if __name__ == "__main__":
    main()
