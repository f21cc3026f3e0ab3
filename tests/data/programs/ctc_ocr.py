"""Reading captchas: PIL drawn digits, CNN columns, BiLSTM, CTC loss and greedy decoding."""
import random
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from PIL import Image, ImageDraw
from torchvision import transforms as T

ALPHABET = "-0123456789"


class Captcha(Dataset):
    def __init__(self, n, height=32, width=96, max_len=6):
        self.n, self.h, self.w, self.max_len = n, height, width, max_len
        self.tf = T.Compose([T.Grayscale(), T.Resize((height, width)), T.ToTensor(), T.Normalize((0.5,), (0.5,))])  #! T.Grayscale(),  => 

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = random.Random(i)
        text = "".join(rng.choice(ALPHABET[1:]) for _ in range(rng.randint(3, self.max_len)))
        img = Image.new("RGB", (160, 48), "white")
        ImageDraw.Draw(img).text((8, 12), text, fill=(0, 0, 0))
        return self.tf(img), torch.tensor([ALPHABET.index(ch) for ch in text])


def collate(items):
    images = torch.stack([im for im, _ in items], 0)
    lengths = torch.tensor([len(t) for _, t in items], dtype=torch.long)
    targets = torch.cat([t for _, t in items])
    return images, targets, lengths


class BidirectionalLSTM(nn.Module):
    def __init__(self, n_in, hidden, n_out):
        super().__init__()
        self.rnn = nn.LSTM(n_in, hidden, bidirectional=True)
        self.fc = nn.Linear(hidden * 2, n_out)  #! hidden * 2 => hidden

    def forward(self, x):
        y, _ = self.rnn(x)
        t, b, h = y.size()
        return self.fc(y.view(t * b, h)).view(t, b, -1)  #! y.view(t * b, h) => y.view(t, b * h)


class CRNN(nn.Module):
    def __init__(self, n_class, hidden=32, height=32):
        super().__init__()
        ks, ps, ss = [3, 3, 3, 3, 2], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]
        nm = [8, 16, 32, 32, 64]
        cnn = nn.Sequential()

        def conv(i, norm=False):
            cnn.add_module(f"conv{i}", nn.Conv2d(1 if i == 0 else nm[i - 1], nm[i], ks[i], ss[i], ps[i]))  #! nm[i - 1], nm[i] => nm[i], nm[i - 1]
            if norm:
                cnn.add_module(f"norm{i}", nn.BatchNorm2d(nm[i]))
            cnn.add_module(f"relu{i}", nn.ReLU(True))

        conv(0)
        cnn.add_module("pool0", nn.MaxPool2d(2, 2))
        conv(1)
        cnn.add_module("pool1", nn.MaxPool2d(2, 2))
        conv(2, True)
        conv(3)
        cnn.add_module("pool2", nn.MaxPool2d((4, 2), (4, 1), (0, 1)))  #! (4, 2), (4, 1), (0, 1) => (2, 2), (2, 1), (0, 1)
        conv(4, True)
        self.cnn = cnn
        self.rnn = nn.Sequential(BidirectionalLSTM(64, hidden, hidden), BidirectionalLSTM(hidden, hidden, n_class))  #! BidirectionalLSTM(hidden, hidden, n_class) => BidirectionalLSTM(2 * hidden, hidden, n_class)

    def forward(self, x):
        f = self.cnn(x)
        b, c, h, w = f.size()
        assert h == 1, "the height of the columns must be 1"
        f = f.squeeze(2).permute(2, 0, 1)  #! .permute(2, 0, 1) => 
        return self.rnn(f)


def greedy(logits):
    best = logits.argmax(2).t()
    texts = []
    for row in best:
        keep = torch.unique_consecutive(row)
        texts.append("".join(ALPHABET[k] for k in keep if k != 0))
    return texts


model = CRNN(len(ALPHABET))
loader = DataLoader(Captcha(10), batch_size=4, collate_fn=collate)
ctc = nn.CTCLoss(blank=0, zero_infinity=True)
opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for images, targets, lengths in loader:
    logits = model(images)
    steps = torch.full((images.size(0),), logits.size(0), dtype=torch.long)  #! images.size(0) => logits.size(0)
    loss = ctc(logits.log_softmax(2), targets, steps, lengths)  #! logits.log_softmax(2) => logits.log_softmax(2).transpose(0, 1)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    images, _, lengths = next(iter(loader))
    reveal_type(images)
    out = model(images)
    reveal_type(out)
    reveal_type(lengths)
    print(greedy(out))
    grid = np.asarray(T.ToPILImage()(images[0]))
    reveal_type(grid)
