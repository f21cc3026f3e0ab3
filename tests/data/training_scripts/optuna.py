import optuna
import torch
import torch.nn as nn


def objective(trial):
    width = trial.suggest_int("width", 4, 16)
    net = nn.Sequential(nn.Linear(8, width), nn.Linear(width, 1))
    name = trial.suggest_categorical("optimizer", ["sgd", "adam"])
    if name == "sgd":
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
    else:
        opt = torch.optim.Adam(net.parameters())
    for step in range(5):
        loss = net(torch.rand(4, 8)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        trial.report(loss.item(), step)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return loss.item()


if __name__ == "__main__":
    study = optuna.create_study()
    study.optimize(objective, n_trials=10)
    for key, value in study.best_params.items():
        print(key, value)
