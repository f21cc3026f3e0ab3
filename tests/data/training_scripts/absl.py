from absl import app, flags
import torch
import torch.nn as nn

FLAGS = flags.FLAGS
flags.DEFINE_string("mode", "train", "what to do")
flags.DEFINE_bool("eval_only", False, "evaluate")
flags.DEFINE_integer("steps", 3, "steps")
flags.DEFINE_enum("model", "linear", ["linear", "mlp"], "model")


def main(argv):
    if FLAGS.model == "linear":
        net = nn.Linear(8, 1)
    else:
        net = nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    if FLAGS.eval_only:
        net.eval()
        return
    if FLAGS.mode != "train":
        net(torch.rand(1, 8))
    for _ in range(FLAGS.steps):
        loss = net(torch.rand(4, 8)).mean()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    app.run(main)
