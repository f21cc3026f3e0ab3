"""Object discovery by slot attention, with a spatial broadcast decoder; after the authors' notation."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def build_grid(resolution):
    ranges = [np.linspace(0.0, 1.0, num=res) for res in resolution]
    grid = np.meshgrid(*ranges, sparse=False, indexing="ij")
    grid = np.stack(grid, axis=-1)
    grid = np.reshape(grid, [resolution[0], resolution[1], -1])
    grid = np.expand_dims(grid, axis=0)
    grid = grid.astype(np.float32)
    return torch.from_numpy(np.concatenate([grid, 1.0 - grid], axis=-1))  #! axis=-1)) => axis=0))


class SoftPositionEmbed(nn.Module):
    def __init__(self, hidden_size, resolution):
        super().__init__()
        self.embedding = nn.Linear(4, hidden_size, bias=True)  #! nn.Linear(4, => nn.Linear(2,
        self.register_buffer("grid", build_grid(resolution))

    def forward(self, inputs):
        return inputs + self.embedding(self.grid)


class SlotAttention(nn.Module):
    def __init__(self, num_slots, dim, iters=3, eps=1e-8, hidden_dim=128):
        super().__init__()
        self.num_slots = num_slots
        self.iters = iters
        self.eps = eps
        self.scale = dim ** -0.5
        self.slots_mu = nn.Parameter(torch.randn(1, 1, dim))
        self.slots_sigma = nn.Parameter(torch.rand(1, 1, dim))
        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.gru = nn.GRUCell(dim, dim)  #! nn.GRUCell(dim, dim) => nn.GRUCell(dim, hidden_dim)
        hidden_dim = max(dim, hidden_dim)
        self.fc1 = nn.Linear(dim, hidden_dim)
        self.fc2 = nn.Linear(hidden_dim, dim)
        self.norm_input = nn.LayerNorm(dim)
        self.norm_slots = nn.LayerNorm(dim)
        self.norm_pre_ff = nn.LayerNorm(dim)

    def forward(self, inputs, num_slots=None):
        b, n, d = inputs.shape
        n_s = num_slots if num_slots is not None else self.num_slots
        mu = self.slots_mu.expand(b, n_s, -1)  #! expand(b, n_s, -1) => expand(b, -1, n_s)
        sigma = self.slots_sigma.expand(b, n_s, -1)
        slots = torch.normal(mu, sigma)
        inputs = self.norm_input(inputs)
        k, v = self.to_k(inputs), self.to_v(inputs)
        for _ in range(self.iters):
            slots_prev = slots
            slots = self.norm_slots(slots)
            q = self.to_q(slots)
            dots = torch.einsum("bid,bjd->bij", q, k) * self.scale
            attn = dots.softmax(dim=1) + self.eps
            attn = attn / attn.sum(dim=-1, keepdim=True)
            updates = torch.einsum("bjd,bij->bid", v, attn)  #! "bjd,bij->bid" => "bid,bij->bjd"
            slots = self.gru(updates.reshape(-1, d), slots_prev.reshape(-1, d))  #! updates.reshape(-1, d) => updates
            slots = slots.reshape(b, -1, d)
            slots = slots + self.fc2(F.relu(self.fc1(self.norm_pre_ff(slots))))
        reveal_type(slots)
        return slots


class Encoder(nn.Module):
    def __init__(self, resolution, hid_dim):
        super().__init__()
        self.conv1 = nn.Conv2d(3, hid_dim, 5, padding=2)
        self.conv2 = nn.Conv2d(hid_dim, hid_dim, 5, padding=2)
        self.conv3 = nn.Conv2d(hid_dim, hid_dim, 5, padding=2)  #! padding=2 => padding=1
        self.encoder_pos = SoftPositionEmbed(hid_dim, resolution)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.conv3(x))
        x = x.permute(0, 2, 3, 1)  #! x.permute(0, 2, 3, 1) => x
        x = self.encoder_pos(x)
        return torch.flatten(x, 1, 2)


class Decoder(nn.Module):
    def __init__(self, hid_dim, initial, resolution):
        super().__init__()
        self.conv1 = nn.ConvTranspose2d(hid_dim, hid_dim, 5, stride=(2, 2), padding=2, output_padding=1)
        self.conv2 = nn.ConvTranspose2d(hid_dim, hid_dim, 5, stride=(2, 2), padding=2, output_padding=1)
        self.conv3 = nn.ConvTranspose2d(hid_dim, 4, 3, stride=(1, 1), padding=1)
        self.initial = initial
        self.decoder_pos = SoftPositionEmbed(hid_dim, initial)
        self.resolution = resolution

    def forward(self, x):
        x = self.decoder_pos(x)
        x = x.permute(0, 3, 1, 2)
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = self.conv3(x)
        x = x[:, :, : self.resolution[0], : self.resolution[1]]
        return x.permute(0, 2, 3, 1)


class SlotAttentionAutoEncoder(nn.Module):
    def __init__(self, resolution, num_slots, num_iterations, hid_dim):
        super().__init__()
        self.num_slots = num_slots
        self.encoder_cnn = Encoder(resolution, hid_dim)
        self.decoder_cnn = Decoder(hid_dim, (8, 8), resolution)
        self.fc1 = nn.Linear(hid_dim, hid_dim)
        self.fc2 = nn.Linear(hid_dim, hid_dim)
        self.slot_attention = SlotAttention(num_slots, hid_dim, num_iterations, hidden_dim=128)

    def forward(self, image):
        x = self.encoder_cnn(image)
        x = nn.LayerNorm(x.shape[1:])(x)
        x = self.fc2(F.relu(self.fc1(x)))
        slots = self.slot_attention(x)
        slots = slots.reshape((-1, slots.shape[-1])).unsqueeze(1).unsqueeze(2)
        slots = slots.repeat((1, 8, 8, 1))
        x = self.decoder_cnn(slots)
        reveal_type(x)
        recons, masks = x.reshape(image.shape[0], -1, x.shape[1], x.shape[2], x.shape[3]).split([3, 1], dim=-1)  #! split([3, 1], dim=-1) => split([3, 1], dim=1)
        masks = nn.Softmax(dim=1)(masks)
        recon_combined = torch.sum(recons * masks, dim=1)
        recon_combined = recon_combined.permute(0, 3, 1, 2)
        return recon_combined, recons, masks, slots


if __name__ == "__main__":
    resolution = (32, 32)
    model = SlotAttentionAutoEncoder(resolution, 5, 3, 32)
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam([{"params": model.parameters()}], lr=4e-4)
    for i in range(2):
        learning_rate = 4e-4 * (i / 10) if i < 10 else 4e-4
        optimizer.param_groups[0]["lr"] = learning_rate
        image = torch.rand(2, 3, *resolution)
        recon, recons, masks, slots = model(image)
        loss = criterion(recon, image)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    reveal_type(masks)
    reveal_type(recon)
