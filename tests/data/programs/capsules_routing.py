"""Capsules with routing by agreement, a spatial transformer in front and reconstruction behind."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.optim import Adam
from torch.utils.data import DataLoader, TensorDataset


def softmax(input, dim=1):
    transposed = input.transpose(dim, len(input.size()) - 1)
    soft = F.softmax(transposed.contiguous().view(-1, transposed.size(-1)), dim=-1)
    return soft.view(*transposed.size()).transpose(dim, len(input.size()) - 1)


class SpatialTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.localization = nn.Sequential(nn.Conv2d(1, 8, 7), nn.MaxPool2d(2, stride=2), nn.ReLU(True), nn.Conv2d(8, 10, 5), nn.MaxPool2d(2, 2), nn.ReLU(True))
        self.fc_loc = nn.Sequential(nn.Linear(10 * 3 * 3, 32), nn.ReLU(True), nn.Linear(32, 3 * 2))  #! 10 * 3 * 3, 32 => 10 * 4 * 4, 32
        self.fc_loc[2].weight.data.zero_()
        self.fc_loc[2].bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))

    def forward(self, x):
        theta = self.fc_loc(self.localization(x).view(-1, 90)).view(-1, 2, 3)
        return F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False), align_corners=False)


class CapsuleLayer(nn.Module):
    def __init__(self, num_capsules, num_route_nodes, in_channels, out_channels, kernel_size=None, stride=None, num_iterations=3):
        super().__init__()
        self.num_route_nodes, self.num_iterations, self.num_capsules = num_route_nodes, num_iterations, num_capsules
        if num_route_nodes != -1:
            self.route_weights = nn.Parameter(torch.randn(num_capsules, num_route_nodes, in_channels, out_channels))
        else:
            self.capsules = nn.ModuleList([nn.Conv2d(in_channels, out_channels, kernel_size=kernel_size, stride=stride, padding=0) for _ in range(num_capsules)])

    def squash(self, tensor, dim=-1):
        squared_norm = (tensor**2).sum(dim=dim, keepdim=True)  #! keepdim=True => keepdim=False
        return squared_norm / (1 + squared_norm) * tensor / torch.sqrt(squared_norm)

    def forward(self, x):
        if self.num_route_nodes != -1:
            priors = x[None, :, :, None, :] @ self.route_weights[:, None, :, :, :]
            logits = torch.zeros(*priors.size())
            for i in range(self.num_iterations):
                probs = softmax(logits, dim=2)
                outputs = self.squash((probs * priors).sum(dim=2, keepdim=True))
                if i != self.num_iterations - 1:
                    delta_logits = (priors * outputs).sum(dim=-1, keepdim=True)
                    logits = logits + delta_logits
            return outputs
        outputs = [capsule(x).view(x.size(0), -1, 1) for capsule in self.capsules]
        return self.squash(torch.cat(outputs, dim=-1))


class CapsuleNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.classes = classes
        self.stn = SpatialTransformer()
        self.conv1 = nn.Conv2d(1, 32, kernel_size=9, stride=1)
        self.primary = CapsuleLayer(num_capsules=8, num_route_nodes=-1, in_channels=32, out_channels=4, kernel_size=9, stride=2)
        self.digits = CapsuleLayer(num_capsules=classes, num_route_nodes=4 * 6 * 6, in_channels=8, out_channels=16)  #! 4 * 6 * 6 => 4 * 5 * 5
        self.decoder = nn.Sequential(nn.Linear(16 * classes, 64), nn.ReLU(inplace=True), nn.Linear(64, 784), nn.Sigmoid())

    def forward(self, x, y=None):
        x = F.relu(self.conv1(self.stn(x)), inplace=True)
        x = self.primary(x)
        x = self.digits(x).squeeze().transpose(0, 1)
        classes = F.softmax((x**2).sum(dim=-1) ** 0.5, dim=-1)
        if y is None:
            _, index = classes.max(dim=1)
            y = torch.eye(self.classes).index_select(dim=0, index=index)
        reconstructions = self.decoder((x * y[:, :, None]).reshape(x.size(0), -1))  #! y[:, :, None] => y[:, None]
        return classes, reconstructions


class CapsuleLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.reconstruction_loss = nn.MSELoss(reduction="sum")

    def forward(self, images, labels, classes, reconstructions):
        left, right = F.relu(0.9 - classes, inplace=True) ** 2, F.relu(classes - 0.1, inplace=True) ** 2
        margin_loss = (labels * left + 0.5 * (1.0 - labels) * right).sum()
        assert torch.numel(images) == torch.numel(reconstructions)
        images = images.view(reconstructions.size()[0], -1)
        return (margin_loss + 0.0005 * self.reconstruction_loss(reconstructions, images)) / images.size(0)


if __name__ == "__main__":
    data = TensorDataset((torch.rand(20, 28, 28) * 255).byte(), torch.arange(20) % 10)
    loader = DataLoader(data, batch_size=8, drop_last=True)
    model, criterion = CapsuleNet(), CapsuleLoss()
    optimizer = Adam(model.parameters())
    totals = np.zeros(10)
    for images, labels in loader:
        images = images.unsqueeze(1).float() / 255.0
        onehot = torch.eye(10).index_select(dim=0, index=labels)
        classes, reconstructions = model(images, onehot)
        loss = criterion(images, onehot, classes, reconstructions)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        np.add.at(totals, labels.numpy(), classes.detach().max(1).values.numpy())
    reveal_type(classes)
    reveal_type(reconstructions)
    reveal_type(totals)
    picture = reconstructions.view(-1, 28, 28)[:4].reshape(2, 2, 28, 28).permute(0, 2, 1, 3).reshape(56, 56)  #! .reshape(56, 56) => .reshape(56, 28)
    reveal_type(picture)
