"""Deep learning from scratch with NumPy alone: layers with backward, im2col convolution, momentum, gradient check."""
import numpy as np


class Layer:
    params, grads = (), ()

    def __call__(self, x):
        return self.forward(x)


class Affine(Layer):
    def __init__(self, n_in, n_out, rng):
        self.w = rng.standard_normal((n_in, n_out)) * np.sqrt(2.0 / n_in)
        self.b = np.zeros(n_out)

    def forward(self, x):
        self.shape = x.shape
        self.x = x.reshape(x.shape[0], -1)
        return self.x @ self.w + self.b

    def backward(self, dout):
        self.dw = self.x.T @ dout  #! self.x.T @ dout => dout.T @ self.x
        self.db = dout.sum(axis=0)
        return (dout @ self.w.T).reshape(self.shape)  #! dout @ self.w.T => dout @ self.w


class ReLU(Layer):
    def forward(self, x):
        self.mask = x > 0
        return np.where(self.mask, x, 0)

    def backward(self, dout):
        return dout * self.mask


def im2col(x, k, stride=1, pad=0):
    n, c, h, w = x.shape
    oh, ow = (h + 2 * pad - k) // stride + 1, (w + 2 * pad - k) // stride + 1
    img = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    col = np.zeros((n, c, k, k, oh, ow))
    for i in range(k):
        for j in range(k):
            col[:, :, i, j] = img[:, :, i:i + stride * oh:stride, j:j + stride * ow:stride]
    return col.transpose(0, 4, 5, 1, 2, 3).reshape(n * oh * ow, -1), oh, ow


class Conv(Layer):
    def __init__(self, cin, cout, k, rng, stride=1, pad=0):
        self.w = rng.standard_normal((cout, cin, k, k)) * 0.1
        self.b = np.zeros(cout)
        self.stride, self.pad = stride, pad

    def forward(self, x):
        self.x = x
        cout, _, k, _ = self.w.shape
        self.col, oh, ow = im2col(x, k, self.stride, self.pad)
        out = self.col @ self.w.reshape(cout, -1).T + self.b  #! .reshape(cout, -1).T => .reshape(cout, -1)
        return out.reshape(x.shape[0], oh, ow, cout).transpose(0, 3, 1, 2)  #! x.shape[0], oh, ow, cout => x.shape[0], oh, ow, -1, 2

    def backward(self, dout):
        cout = self.w.shape[0]
        d = dout.transpose(0, 2, 3, 1).reshape(-1, cout)  #! .transpose(0, 2, 3, 1).reshape(-1, cout) => .reshape(-1, cout, 1)
        self.db = d.sum(0)
        self.dw = (self.col.T @ d).T.reshape(self.w.shape)
        return np.zeros_like(self.x)


class MaxPool(Layer):
    def __init__(self, s):
        self.s = s

    def forward(self, x):
        n, c, h, w = x.shape
        s = self.s
        self.xs = x.shape
        r = x.reshape(n, c, h // s, s, w // s, s)
        self.out = r.max(axis=(3, 5))
        self.arg = r == self.out[:, :, :, None, :, None]  #! [:, :, :, None, :, None] => [:, :, None, :, None]
        return self.out

    def backward(self, dout):
        return (self.arg * dout[:, :, :, None, :, None]).reshape(self.xs)


class SoftmaxLoss:
    def forward(self, z, y):
        z = z - z.max(axis=1, keepdims=True)  #! keepdims=True => keepdims=False
        self.p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        self.y = y
        return -np.log(self.p[np.arange(len(y)), y] + 1e-9).mean()

    def backward(self):
        d = self.p.copy()
        d[np.arange(len(self.y)), self.y] -= 1
        return d / len(self.y)


class Net:
    def __init__(self, rng):
        self.layers = [Conv(1, 6, 5, rng, pad=2), ReLU(), MaxPool(2), Conv(6, 8, 3, rng), ReLU(), MaxPool(2), Affine(8 * 6 * 6, 32, rng), ReLU(), Affine(32, 10, rng)]  #! 8 * 6 * 6 => 8 * 7 * 7
        self.loss = SoftmaxLoss()

    def predict(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def step(self, x, y, lr=0.05, mu=0.9):
        loss = self.loss.forward(self.predict(x), y)
        d = self.loss.backward()
        for layer in reversed(self.layers):
            d = layer.backward(d)
            if hasattr(layer, "w"):
                v = getattr(layer, "v", 0)
                layer.v = mu * v - lr * layer.dw
                layer.w += layer.v
                layer.b -= lr * layer.db
        return loss


rng = np.random.default_rng(1)
x, y = rng.random((50, 1, 28, 28)), rng.integers(0, 10, 50)  #! (50, 1, 28, 28) => (50, 28, 28, 1)
mean, std = x.mean(axis=(0, 2, 3), keepdims=True), x.std(axis=(0, 2, 3), keepdims=True)
x = (x - mean) / std
net = Net(rng)
order = rng.permutation(len(x))
for start in range(0, len(x), 16):
    pick = order[start:start + 16]
    loss = net.step(x[pick], y[pick])  #! y[pick] => y
logits = net.predict(x[:7])
reveal_type(logits)
reveal_type(net.layers[0].dw)
reveal_type(net.layers[5].out)
confusion = np.zeros((10, 10), dtype=int)
np.add.at(confusion, (y[:7], logits.argmax(axis=1)), 1)
reveal_type(confusion)
onehot = np.eye(10)[y]
reveal_type(onehot)
cov = np.cov(x[:, 0].reshape(50, -1)[:, :20], rowvar=False)
vals, vecs = np.linalg.eigh(cov)
z = x[:, 0].reshape(50, -1)[:, :20] @ vecs[:, ::-1][:, :3]  #! vecs[:, ::-1][:, :3] => vecs[:3]
reveal_type(z)
