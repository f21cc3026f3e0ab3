"""N-BEATS with generic, trend and seasonality stacks from a configuration, doubly residual, and a back-casting trainer."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def seasonality_model(thetas, t):
    p = thetas.size()[-1]
    p1, p2 = (p // 2, p // 2) if p % 2 == 0 else (p // 2, p // 2 + 1)
    s1 = torch.tensor(np.array([np.cos(2 * np.pi * i * t) for i in range(p1)])).float()
    s2 = torch.tensor(np.array([np.sin(2 * np.pi * i * t) for i in range(p2)])).float()
    S = torch.cat([s1, s2])  #! torch.cat([s1, s2]) => torch.cat([s1, s2], dim=1)
    return thetas.mm(S)


def trend_model(thetas, t):
    p = thetas.size()[-1]
    T = torch.tensor(np.array([t ** i for i in range(p)])).float()
    return thetas.mm(T)


def linear_space(backcast_length, forecast_length, is_forecast=True):
    horizon = forecast_length if is_forecast else backcast_length
    return np.arange(0, horizon) / horizon


class Block(nn.Module):
    def __init__(self, units, thetas_dim, backcast_length=10, forecast_length=5, share_thetas=False, nb_harmonics=None):
        super().__init__()
        self.units = units
        self.thetas_dim = thetas_dim
        self.backcast_length = backcast_length
        self.forecast_length = forecast_length
        self.fc1 = nn.Linear(backcast_length, units)
        self.fc2 = nn.Linear(units, units)
        self.fc3 = nn.Linear(units, units)
        self.fc4 = nn.Linear(units, units)
        self.backcast_linspace = linear_space(backcast_length, forecast_length, is_forecast=False)
        self.forecast_linspace = linear_space(backcast_length, forecast_length, is_forecast=True)
        if share_thetas:
            self.theta_f_fc = self.theta_b_fc = nn.Linear(units, thetas_dim, bias=False)  #! nn.Linear(units, thetas_dim, => nn.Linear(thetas_dim, units,
        else:
            self.theta_b_fc = nn.Linear(units, thetas_dim, bias=False)
            self.theta_f_fc = nn.Linear(units, thetas_dim, bias=False)

    def forward(self, x):
        for fc in (self.fc1, self.fc2, self.fc3, self.fc4):
            x = F.relu(fc(x))
        return x

    def __str__(self):
        return f"{type(self).__name__}(units={self.units}, thetas_dim={self.thetas_dim})"


class SeasonalityBlock(Block):
    def __init__(self, units, thetas_dim, backcast_length=10, forecast_length=5, nb_harmonics=None):
        if nb_harmonics:
            super().__init__(units, nb_harmonics, backcast_length, forecast_length, share_thetas=True)
        else:
            super().__init__(units, forecast_length, backcast_length, forecast_length, share_thetas=True)

    def forward(self, x):
        x = super().forward(x)
        backcast = seasonality_model(self.theta_b_fc(x), self.backcast_linspace)
        forecast = seasonality_model(self.theta_f_fc(x), self.forecast_linspace)
        return backcast, forecast


class TrendBlock(Block):
    def __init__(self, units, thetas_dim, backcast_length=10, forecast_length=5, nb_harmonics=None):
        super().__init__(units, thetas_dim, backcast_length, forecast_length, share_thetas=True)

    def forward(self, x):
        x = super(TrendBlock, self).forward(x)
        backcast = trend_model(self.theta_b_fc(x), self.backcast_linspace)  #! self.backcast_linspace => self.forecast_linspace
        forecast = trend_model(self.theta_f_fc(x), self.forecast_linspace)
        return backcast, forecast


class GenericBlock(Block):
    def __init__(self, units, thetas_dim, backcast_length=10, forecast_length=5, nb_harmonics=None):
        super().__init__(units, thetas_dim, backcast_length, forecast_length)
        self.backcast_fc = nn.Linear(thetas_dim, backcast_length)
        self.forecast_fc = nn.Linear(thetas_dim, forecast_length)

    def forward(self, x):
        x = super().forward(x)
        return self.backcast_fc(self.theta_b_fc(x)), self.forecast_fc(self.theta_f_fc(x))  #! self.forecast_fc(self.theta_f_fc(x)) => self.forecast_fc(x)


class NBeatsNet(nn.Module):
    SEASONALITY_BLOCK = "seasonality"
    TREND_BLOCK = "trend"
    GENERIC_BLOCK = "generic"

    def __init__(self, stack_types=(TREND_BLOCK, SEASONALITY_BLOCK, GENERIC_BLOCK), nb_blocks_per_stack=2, forecast_length=5, backcast_length=10,
                 thetas_dim=(4, 8, 6), share_weights_in_stack=False, hidden_layer_units=64, nb_harmonics=None):
        super().__init__()
        self.forecast_length = forecast_length
        self.backcast_length = backcast_length
        self.stacks = []
        self.parameters_ = []
        for stack_id in range(len(stack_types)):
            blocks = []
            for block_id in range(nb_blocks_per_stack):
                block_init = NBeatsNet.select_block(stack_types[stack_id])
                if share_weights_in_stack and block_id != 0:
                    block = blocks[-1]
                else:
                    block = block_init(hidden_layer_units, thetas_dim[stack_id], backcast_length, forecast_length, nb_harmonics)  #! backcast_length, forecast_length, nb => forecast_length, backcast_length, nb
                    self.parameters_.extend(block.parameters())
                blocks.append(block)
            self.stacks.append(blocks)
        self.params = nn.ParameterList(self.parameters_)

    @staticmethod
    def select_block(block_type):
        if block_type == NBeatsNet.SEASONALITY_BLOCK:
            return SeasonalityBlock
        elif block_type == NBeatsNet.TREND_BLOCK:
            return TrendBlock
        return GenericBlock

    def forward(self, backcast):
        if len(backcast.shape) == 3 and backcast.shape[-1] == 1:
            backcast = backcast[..., 0]
        forecast = torch.zeros(size=(backcast.size()[0], self.forecast_length))  #! self.forecast_length)) => self.backcast_length))
        for stack_id in range(len(self.stacks)):
            for block_id in range(len(self.stacks[stack_id])):
                b, f = self.stacks[stack_id][block_id](backcast)
                backcast = backcast - b
                forecast = forecast + f
        return backcast, forecast


def windows(series, backcast, forecast):
    x, y = [], []
    for i in range(backcast, len(series) - forecast):
        x.append(series[i - backcast : i])
        y.append(series[i : i + forecast])  #! series[i : i + forecast] => series[i : i + backcast]
    return np.array(x, dtype=np.float32), np.array(y, dtype=np.float32)


series = np.sin(np.arange(115) / 5.0)
x, y = windows(series, 10, 5)
reveal_type(x)
c = int(len(x) * 0.8)
loader = DataLoader(TensorDataset(torch.from_numpy(x[:c, :, None]), torch.from_numpy(y[:c])), batch_size=20, shuffle=True)  #! x[:c, :, None] => x[:c, None, :]
net = NBeatsNet(nb_harmonics=7)
optimiser = torch.optim.Adam(lr=1e-4, params=net.parameters())
for epoch in range(2):
    for batch_x, batch_y in loader:
        optimiser.zero_grad()
        residual, prediction = net(batch_x)
        loss = F.mse_loss(prediction, batch_y)
        loss.backward()
        optimiser.step()
reveal_type(residual)
reveal_type(prediction)
with torch.no_grad():
    _, test = net(torch.from_numpy(x[c:]))
    reveal_type(test)
    error = np.abs(test.numpy() - y[c:]).mean(axis=0)
    reveal_type(error)
