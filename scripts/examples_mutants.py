#!/usr/bin/env python3
"""Breaks pytorch/examples in 810 ways, one at a time, and tells how many of the errors `harp check` finds.

    python3 scripts/examples_mutants.py CHECKOUT HARP [PART …]

CHECKOUT is a checkout of pytorch/examples, HARP the program; with PART, only mutants whose name contains one of the parts are run. Every
mutant replaces one fragment of one file and names the line on which the real program fails: by a fragment of that line, which is looked for
behind `after`, in the same file unless `at` names another. `harp check` runs over a copy of the mutant's project, and what it reports of the
unmodified project does not count. A mutant is found when there is an error or warning of a shape rule; it is exact when one stands on the failing
line.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass
class Mutant:
    """One error: `old` becomes `new` behind `since` in `file`; the program fails on the line with `fails` behind `after`."""

    file: str
    old: str
    new: str
    fails: str
    at: str = ""
    since: str = ""
    after: str = ""

    @property
    def project(self):
        parts = self.file.split("/")
        depth = {"distributed": 2}.get(parts[0], 1) + (parts[:2] == ["distributed", "rpc"])
        return "/".join(parts[:depth])


SIAMESE = "siamese_network/main.py"
LANGUAGE = "word_language_model/model.py"
STYLE = "fast_neural_style/neural_style/"
FORWARD = "mnist_forward_forward/main.py"
ACTOR = "reinforcement_learning/actor_critic.py"
RESIDUAL_GOODNESS = "torch.mm(x_direction"
RECURRENT = "output, hidden = self.rnn(emb, hidden)"
HOGWILD_FIRST = "x = F.relu(F.max_pool2d(self.conv1(x), 2))"
DDP = "distributed/ddp-tutorial-series/"
RPC = "distributed/rpc/"
LLAMA = "distributed/tensor_parallelism/llama2_model.py"
GPT = "distributed/minGPT-ddp/mingpt/"

MUTANTS = [
    # mnist
    Mutant("mnist/main.py", "nn.Linear(9216, 128)", "nn.Linear(9126, 128)", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "x = torch.flatten(x, 1)", "pass", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "nn.Conv2d(32, 64, 3, 1)", "nn.Conv2d(64, 32, 3, 1)", "x = self.conv2(x)"),
    Mutant("mnist/main.py", "loss = F.nll_loss(output, target)", "loss = F.nll_loss(target, output)", "loss = F.nll_loss(target"),
    # vae
    Mutant("vae/main.py", "nn.Linear(20, 400)", "nn.Linear(400, 20)", "h3 = F.relu(self.fc3(z))"),
    Mutant("vae/main.py", "self.encode(x.view(-1, 784))", "self.encode(x)", "h1 = F.relu(self.fc1(x))"),
    Mutant("vae/main.py", "x.view(-1, 784), reduction", "x, reduction", "BCE = F.binary_cross_entropy("),
    Mutant("vae/main.py", "self.fc21 = nn.Linear(400, 20)", "self.fc21 = nn.Linear(400, 30)", "return mu + eps*std"),
    # dcgan
    Mutant("dcgan/main.py", "nz, ngf * 8, 4, 1, 0", "ngf * 8, nz, 4, 1, 0", "output = self.main(input)", after="class Generator"),
    Mutant("dcgan/main.py", "nn.BatchNorm2d(ngf * 4)", "nn.BatchNorm2d(ngf * 2)", "output = self.main(input)", after="class Generator"),
    Mutant("dcgan/main.py", "ndf * 4, ndf * 8, 4, 2, 1", "ndf * 4, ndf * 8, 4, 4, 0", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "output.view(-1, 1).squeeze(1)", "output.view(-1, 1)", "errD_real = criterion(output, label)"),
    # super_resolution
    Mutant("super_resolution/model.py", "nn.Conv2d(64, 32, (3, 3)", "nn.Conv2d(32, 64, (3, 3)", "self.conv3(x)"),
    Mutant("super_resolution/data.py", "Resize(crop_size // upscale_factor)", "Resize(crop_size)", "loss = criterion(model(input), target)",
           at="super_resolution/main.py"),
    Mutant("super_resolution/dataset.py", "return y", "return img", "self.conv1(x)", at="super_resolution/model.py"),
    # siamese_network
    Mutant(SIAMESE, "self.fc_in_features * 2", "self.fc_in_features", "output = self.fc(output)"),
    Mutant(SIAMESE, "(output1, output2), 1", "(output1, output2), 0", "output = self.fc(output)"),
    Mutant(SIAMESE, "nn.Conv2d(1, 64, kernel_size", "nn.Conv2d(3, 64, kernel_size", "output = self.resnet(x)"),
    Mutant(SIAMESE, "model(images_1, images_2).squeeze()", "model(images_1, images_2)", "loss = criterion(outputs, targets)"),
    # regression
    Mutant("regression/main.py", "x.unsqueeze(1)", "x.unsqueeze(0)", "return x.mm(W_target)"),
    Mutant("regression/main.py", "torch.randn(POLY_DEGREE, 1)", "torch.randn(1, POLY_DEGREE)", "return x.mm(W_target)"),
    Mutant("regression/main.py", "Linear(W_target.size(0), 1)", "Linear(1, W_target.size(0))", "output = F.smooth_l1_loss(fc(batch_x)"),
    # word_language_model
    Mutant(LANGUAGE, "nn.Linear(nhid, ntoken)", "nn.Linear(ntoken, nhid)", "decoded = self.decoder(output)"),
    Mutant(LANGUAGE, "(weight.new_zeros(self.nlayers, bsz, self.nhid)", "(weight.new_zeros(bsz, self.nlayers, self.nhid)", RECURRENT),
    Mutant(LANGUAGE, "decoded = decoded.view(-1, self.ntoken)", "pass", "loss = criterion(output, targets)",
           at="word_language_model/main.py"),
    Mutant("word_language_model/main.py", "seq_len].view(-1)", "seq_len]", "loss = criterion(output, targets)"),
    # imagenet
    Mutant("imagenet/main.py", "loss = criterion(output, target)", "loss = criterion(target, output)", "loss = criterion(target, output)",
           since="def train("),
    Mutant("imagenet/main.py", "pred = pred.t()", "pass", "correct = pred.eq("),
    # mnist_rnn
    Mutant("mnist_rnn/main.py", "input = input.reshape(-1, 28, 28)", "pass", "output, hidden = self.rnn(input)"),
    Mutant("mnist_rnn/main.py", "output = output[:, -1, :]", "pass", "output = self.batchnorm(output)"),
    Mutant("mnist_rnn/main.py", "F.log_softmax(output, dim=1)", "F.log_softmax(output, dim=2)", "F.log_softmax(output, dim=2)"),
    # mnist_hogwild
    Mutant("mnist_hogwild/main.py", "nn.Linear(320, 50)", "nn.Linear(230, 50)", "x = F.relu(self.fc1(x))"),
    Mutant("mnist_hogwild/main.py", "nn.Conv2d(1, 10, kernel_size=5)", "nn.Conv2d(10, 1, kernel_size=5)", HOGWILD_FIRST),
    Mutant("mnist_hogwild/train.py", "model(data.to(device))", "model(target.to(device))", HOGWILD_FIRST, at="mnist_hogwild/main.py"),
    # mnist_forward_forward
    Mutant(FORWARD, "Net([784, 500, 500])", "Net([768, 500, 500])", RESIDUAL_GOODNESS),
    Mutant(FORWARD, "self.weight.T)", "self.weight)", RESIDUAL_GOODNESS),
    Mutant(FORWARD, "sum(goodness).unsqueeze(1)", "sum(goodness).unsqueeze(2)", "sum(goodness).unsqueeze(2)"),
    # fast_neural_style
    Mutant(STYLE + "transformer_net.py", "ConvLayer(32, 64,", "ConvLayer(64, 32,", "out = self.conv2d(out)", after="class ConvLayer"),
    Mutant(STYLE + "transformer_net.py", "InstanceNorm2d(64, affine=True)", "InstanceNorm2d(32, affine=True)", "self.in2(self.conv2(y))"),
    Mutant(STYLE + "transformer_net.py", "kernel_size=3, stride=1)", "kernel_size=3, stride=2)", "out = out + residual",
           since="class ResidualBlock"),
    Mutant(STYLE + "utils.py", "features_t = features.transpose(1, 2)", "features_t = features", "gram = features.bmm(features_t)"),
    # gat, gcn
    Mutant("gat/main.py", "n_heads, 2 * self.n_hidden, 1", "n_heads, self.n_hidden, 1", "target_scores = torch.matmul("),
    Mutant("gat/main.py", "in_features, self.n_hidden * n_heads", "in_features, self.n_hidden", "h_transformed = h_transformed.view("),
    Mutant("gcn/main.py", "F.log_softmax(x, dim=1)", "F.log_softmax(x, dim=2)", "return F.log_softmax(x, dim=2)"),
    Mutant("gcn/main.py", "criterion(output[mask_train], target[mask_train])", "criterion(target[mask_train], output[mask_train])",
           "loss = criterion(target[mask_train]"),
    # time_sequence_prediction
    Mutant("time_sequence_prediction/train.py", "nn.LSTMCell(51, 51)", "nn.LSTMCell(1, 51)", "h_t2, c_t2 = self.lstm2("),
    Mutant("time_sequence_prediction/train.py", "nn.Linear(51, 1)", "nn.Linear(1, 51)", "output = self.linear(h_t2)"),
    # language_translation
    Mutant("language_translation/src/model.py", "nn.Linear(embed_size, tgt_vocab_size)", "nn.Linear(num_heads, tgt_vocab_size)",
           "return self.ff(outs)"),
    Mutant("language_translation/main.py", "tgt_out.reshape(-1))", "tgt_out)", "loss = loss_fn(", since="def train(", after="def train("),
    # reinforcement_learning
    Mutant(ACTOR, "nn.Linear(128, 2)", "nn.Linear(2, 128)", "action_prob = F.softmax(self.action_head(x)"),
    # distributed
    Mutant("distributed/ddp/example.py", "torch.randn(20, 10)", "torch.randn(10, 20)", "self.net2(self.relu(self.net1(x)))"),
    Mutant(DDP + "multigpu.py", "torch.nn.Linear(20, 1)", "torch.nn.Linear(1, 20)", "output = self.model(source)"),
    Mutant("distributed/FSDP2/model.py", "keys = keys.transpose(1, 2)", "pass", "output = F.scaled_dot_product_attention("),
    Mutant(GPT + "model.py", "targets.view(-1), ignore_index", "targets, ignore_index", "loss = F.cross_entropy("),
    Mutant(RPC + "pipeline/main.py", "nn.Linear(512 * self._block.expansion", "nn.Linear(512", "out = self.fc(torch.flatten("),
    Mutant(RPC + "rnn/rnn.py", "nn.LSTM(ninp, nhid, nlayers", "nn.LSTM(nhid, ninp, nlayers", RECURRENT),
    Mutant(RPC + "rnn/rnn.py", "nlayers, dropout=dropout)", "nlayers, dropout=dropout, batch_first=True)", RECURRENT),
    Mutant(RPC + "ddp_rpc/main.py", "torch.nn.Linear(16, 8)", "torch.nn.Linear(8, 16)", "return self.fc(emb_lookup"),
    Mutant(LLAMA, "self.w3 = nn.Linear(dim, hidden_dim", "self.w3 = nn.Linear(hidden_dim, dim", "return self.w2(F.silu(self.w1(x))"),
    # fx
    Mutant("fx/native_interpreter/use_interpreter.py", "torch.randn(10, 20, 30), torch", "torch.randn(10, 30, 20), torch", "return x * y + y"),
    # Another sixty, of other kinds and places.
    # mnist
    Mutant("mnist/main.py", "F.max_pool2d(x, 2)", "F.max_pool2d(x, 3)", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "nn.Conv2d(1, 32, 3, 1)", "nn.Conv2d(3, 32, 3, 1)", "x = self.conv1(x)"),
    Mutant("mnist/main.py", "x = torch.flatten(x, 1)", "x = torch.flatten(x)", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "output = model(data)", "output = model(data.squeeze(1))", "x = self.conv1(x)"),
    Mutant("mnist/main.py", "F.nll_loss(output, target)", "F.nll_loss(output.t(), target)", "loss = F.nll_loss(output.t()"),
    # vae
    Mutant("vae/main.py", "self.fc4 = nn.Linear(400, 784)", "self.fc4 = nn.Linear(400, 748)", "BCE = F.binary_cross_entropy("),
    Mutant("vae/main.py", "return mu + eps*std", "return torch.cat([mu, eps*std], 1)", "h3 = F.relu(self.fc3(z))"),
    Mutant("vae/main.py", "return self.fc21(h1), self.fc22(h1)", "return self.fc21(h1), self.fc22(x)",
           "return self.fc21(h1), self.fc22(x)"),
    Mutant("vae/main.py", "torch.randn(64, 20)", "torch.randn(20, 64)", "h3 = F.relu(self.fc3(z))"),
    # dcgan
    Mutant("dcgan/main.py", "torch.randn(batch_size, nz, 1, 1, device=device)", "torch.randn(batch_size, nz, device=device)",
           "output = self.main(input)", after="class Generator"),
    Mutant("dcgan/main.py", "torch.full((batch_size,), real_label", "torch.full((batch_size, 1), real_label",
           "errD_real = criterion(output, label)"),
    Mutant("dcgan/main.py", "nn.Conv2d(nc, ndf, 4, 2, 1, bias=False)", "nn.Conv2d(ndf, nc, 4, 2, 1, bias=False)",
           "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "nn.ConvTranspose2d(    ngf,      nc, 4, 2, 1", "nn.ConvTranspose2d(    ngf,      nc, 4, 1, 1",
           "output = self.main(input)", after="class Discriminator"),
    # super_resolution
    Mutant("super_resolution/model.py", "nn.Conv2d(32, upscale_factor ** 2", "nn.Conv2d(32, upscale_factor ** 2 + 1", "x = self.pixel_shuffle("),
    Mutant("super_resolution/model.py", "nn.Conv2d(1, 64, (5, 5), (1, 1), (2, 2))", "nn.Conv2d(1, 64, (5, 5), (1, 1), (1, 1))",
           "loss = criterion(model(input), target)", at="super_resolution/main.py"),
    # siamese_network
    Mutant(SIAMESE, "output = output.view(output.size()[0], -1)", "output = output", "output = self.fc(output)"),
    Mutant(SIAMESE, "nn.Linear(256, 1)", "nn.Linear(128, 1)", "output = self.fc(output)"),
    Mutant(SIAMESE, "list(self.resnet.children())[:-1]", "list(self.resnet.children())[:-3]", "output = self.fc(output)"),
    # regression
    Mutant("regression/main.py", "for i in range(1, POLY_DEGREE+1)], 1)", "for i in range(1, POLY_DEGREE)], 1)", "return x.mm(W_target)"),
    Mutant("regression/main.py", "for i in range(1, POLY_DEGREE+1)], 1)", "for i in range(1, POLY_DEGREE+1)], 0)", "return x.mm(W_target)"),
    # word_language_model
    Mutant(LANGUAGE, "emb = self.drop(self.encoder(input))", "emb = self.drop(self.encoder(input)).transpose(1, 2)", RECURRENT),
    Mutant(LANGUAGE, "nn.Embedding(ntoken, ninp)", "nn.Embedding(ninp, ntoken)", RECURRENT),
    Mutant("word_language_model/main.py", "target = source[i+1:i+1+seq_len].view(-1)", "target = source[i+1:i+1+seq_len, :1].reshape(-1)",
           "loss = criterion(output, targets)"),
    Mutant("word_language_model/main.py", "model.init_hidden(args.batch_size)", "model.init_hidden(eval_batch_size)", RECURRENT,
           at=LANGUAGE),
    # imagenet
    Mutant("imagenet/main.py", "output = model(images)", "output = model(images.flatten(1))", "output = model(images.flatten(1))"),
    Mutant("imagenet/main.py", "target.view(1, -1).expand_as(pred)", "target.view(-1, 1).expand_as(pred)", "correct = pred.eq("),
    # mnist_rnn
    Mutant("mnist_rnn/main.py", "input.reshape(-1, 28, 28)", "input.reshape(-1, 14, 56)", "output, hidden = self.rnn(input)"),
    Mutant("mnist_rnn/main.py", "nn.Linear(64, 32)", "nn.Linear(28, 32)", "output = self.fc1(output)"),
    Mutant("mnist_rnn/main.py", "output, hidden = self.rnn(input)", "output = self.rnn(input)[1][0]", "output = self.batchnorm(output)"),
    # mnist_hogwild
    Mutant("mnist_hogwild/main.py", "x = x.view(-1, 320)", "x = x.view(-1, 160)", "x = F.relu(self.fc1(x))"),
    Mutant("mnist_hogwild/main.py", "nn.Conv2d(10, 20, kernel_size=5)", "nn.Conv2d(10, 20, kernel_size=3)",
           "loss = F.nll_loss(output, target.to(device))", at="mnist_hogwild/train.py"),
    # mnist_forward_forward
    Mutant(FORWARD, "g_pos = self.forward(x_pos).pow(2).mean(1)", "g_pos = self.forward(x_pos).pow(2)", "torch.cat([-g_pos"),
    Mutant(FORWARD, "h.pow(2).mean(1)", "h.pow(2).mean(2)", "h.pow(2).mean(2)"),
    # fast_neural_style
    Mutant(STYLE + "transformer_net.py", "UpsampleConvLayer(64, 32, kernel_size=3", "UpsampleConvLayer(32, 32, kernel_size=3",
           "out = self.conv2d(out)", after="class UpsampleConvLayer"),
    Mutant(STYLE + "transformer_net.py", "self.res3 = ResidualBlock(128)", "self.res3 = ResidualBlock(64)", "out = self.conv2d(out)",
           after="class ConvLayer"),
    Mutant(STYLE + "utils.py", "features = y.view(b, ch, w * h)", "features = y.view(b, ch, w + h)", "features = y.view(b, ch, w + h)"),
    Mutant(STYLE + "vgg.py", "for x in range(9, 16)", "for x in range(12, 16)", "h = self.slice3(h)"),
    # gat, gcn
    Mutant("gat/main.py", ".permute(1, 0, 2)", ".permute(1, 2, 0)", "source_scores = torch.matmul("),
    Mutant("gat/main.py", "target_scores.mT", "target_scores.T", "e = torch.where(adj_mat > 0"),
    Mutant("gcn/main.py", "torch.spmm(adj_mat, support)", "torch.spmm(support, adj_mat)", "output = torch.spmm(support"),
    Mutant("gcn/main.py", "torch.Tensor(input_dim, output_dim)", "torch.Tensor(output_dim, input_dim)", "support = torch.mm("),
    # time_sequence_prediction
    Mutant("time_sequence_prediction/train.py", "input.split(1, dim=1)", "input.split(2, dim=1)", "h_t, c_t = self.lstm1("),
    Mutant("time_sequence_prediction/train.py", "h_t2 = torch.zeros(input.size(0), 51", "h_t2 = torch.zeros(input.size(1), 51",
           "h_t2, c_t2 = self.lstm2("),
    Mutant("time_sequence_prediction/train.py", "pred[:, :-future]", "pred[:, :future]", "loss = criterion(pred[:, :future]"),
    # language_translation
    Mutant("language_translation/src/model.py", "pos_embedding.unsqueeze(-2)", "pos_embedding.unsqueeze(0)", "return self.dropout(token_embedding +"),
    Mutant("language_translation/main.py", "tgt_input = tgt[:-1, :]", "tgt_input = tgt", "loss = loss_fn(", after="def train("),
    # reinforcement_learning
    Mutant(ACTOR, "self.value_head = nn.Linear(128, 1)", "self.value_head = nn.Linear(2, 1)", "state_values = self.value_head(x)"),
    Mutant("reinforcement_learning/reinforce.py", "self.affine2 = nn.Linear(128, 2)", "self.affine2 = nn.Linear(64, 2)",
           "action_scores = self.affine2(x)"),
    Mutant("reinforcement_learning/reinforce.py", "F.softmax(action_scores, dim=1)", "F.softmax(action_scores, dim=2)",
           "F.softmax(action_scores, dim=2)"),
    # distributed
    Mutant("distributed/FSDP2/model.py", "nn.LayerNorm(args.dim)", "nn.LayerNorm(args.n_heads)", "h = x + self.attention("),
    Mutant("distributed/FSDP2/model.py", "self.w2 = nn.Linear(hidden_dim, dim)", "self.w2 = nn.Linear(dim, hidden_dim)",
           "return self.resid_dropout(self.w2("),
    Mutant("distributed/FSDP2/model.py", "nn.Embedding(args.max_seq_len, args.dim)", "nn.Embedding(args.max_seq_len, args.n_heads)", "h = h + p"),
    Mutant(GPT + "model.py", "nn.Linear(4 * config.n_embd, config.n_embd)", "nn.Linear(config.n_embd, config.n_embd)",
           "x = x + self.mlp(self.ln2(x))"),
    Mutant(GPT + "model.py", "self.mask[0, 0, :seq_size, :seq_size]", "self.mask[0, :seq_size, :seq_size]", "y = self.attn(x, x, x"),
    Mutant(LLAMA, "self.wk = nn.Linear(model_args.dim, self.n_kv_heads * self.head_dim", "self.wk = nn.Linear(model_args.dim, self.head_dim",
           "xk = xk.view(bsz, seqlen"),
    Mutant(LLAMA, "self.w2 = nn.Linear(hidden_dim, dim", "self.w2 = nn.Linear(dim, hidden_dim", "return self.w2(F.silu(self.w1(x))"),
    Mutant(RPC + "rnn/rnn.py", "nn.Linear(nhid, ntoken)", "nn.Linear(ntoken, nhid)", "return self.decoder(self.drop(output))"),
    Mutant(RPC + "pipeline/main.py", "torch.flatten(self.seq(x), 1)", "self.seq(x)", "out = self.fc(self.seq(x))"),
    Mutant("distributed/ddp/example.py", "nn.Linear(10, 5)", "nn.Linear(5, 5)", "self.net2(self.relu(self.net1(x)))"),
    Mutant(DDP + "single_gpu.py", "torch.nn.Linear(20, 1)", "torch.nn.Linear(10, 1)", "output = self.model(source)"),
    # A third set, of further kinds, over every project.
    # mnist
    Mutant("mnist/main.py", "nn.Conv2d(32, 64, 3, 1)", "nn.Conv2d(32, 64, 3, 1, groups=3)", "nn.Conv2d(32, 64, 3, 1, groups=3)"),
    Mutant("mnist/main.py", "output.argmax(dim=1, keepdim=True)", "output.argmax(dim=2, keepdim=True)", "output.argmax(dim=2"),
    Mutant("mnist/main.py", "pred.eq(target.view_as(pred))", "output.eq(target.view_as(output))", "correct += output.eq("),
    Mutant("mnist/main.py", "x = torch.flatten(x, 1)", "x = torch.flatten(x, 2)", "x = self.fc1(x)"),
    # vae
    Mutant("vae/main.py", "loss_function(recon_batch, data, mu", "loss_function(data, recon_batch, mu", "BCE = F.binary_cross_entropy("),
    Mutant("vae/main.py", "recon_batch.view(args.batch_size, 1, 28, 28)[:n]", "recon_batch.view(args.batch_size, 28, 28)[:n]",
           "comparison = torch.cat("),
    Mutant("vae/main.py", "sample.view(64, 1, 28, 28)", "sample.view(64, 1, 20, 28)", "save_image(sample.view("),
    # dcgan
    Mutant("dcgan/main.py", "nn.BatchNorm2d(ndf * 4)", "nn.BatchNorm1d(ndf * 4)", "output = self.main(input)", since="class Discriminator",
           after="class Discriminator"),
    Mutant("dcgan/main.py", "torch.full((batch_size,), real_label", "torch.full((opt.batchSize,), real_label",
           "errD_real = criterion(output, label)"),
    Mutant("dcgan/main.py", "torch.randn(opt.batchSize, nz, 1, 1", "torch.randn(opt.batchSize, 1, 1, nz", "output = self.main(input)",
           after="class Generator"),
    # super_resolution
    Mutant("super_resolution/model.py", "self.pixel_shuffle(self.conv4(x))", "self.conv4(self.pixel_shuffle(x))", "x = self.conv4("),
    Mutant("super_resolution/model.py", "nn.Conv2d(64, 64, (3, 3), (1, 1), (1, 1))", "nn.Conv2d(64, 64, (3, 3), (2, 2), (1, 1))",
           "loss = criterion(model(input), target)", at="super_resolution/main.py"),
    # siamese_network
    Mutant(SIAMESE, "torch.cat((output1, output2), 1)", "torch.stack((output1, output2), 1)", "output = self.fc(output)"),
    Mutant(SIAMESE, "self.dataset.data.unsqueeze(1).clone()", "self.dataset.data.clone()", "output = self.resnet(x)"),
    Mutant(SIAMESE, "model(images_1, images_2).squeeze()", "model(images_1, images_2).squeeze(0)", "test_loss += criterion(",
           since="def test("),
    # regression
    Mutant("regression/main.py", "y = f(x)", "y = f(random)", "return x.mm(W_target)"),
    Mutant("regression/main.py", "F.smooth_l1_loss(fc(batch_x), batch_y)", "F.smooth_l1_loss(fc(batch_y), batch_x)",
           "output = F.smooth_l1_loss("),
    # word_language_model
    Mutant(LANGUAGE, "F.log_softmax(decoded, dim=1)", "F.log_softmax(decoded, dim=2)", "F.log_softmax(decoded, dim=2)"),
    Mutant(LANGUAGE, "if self.rnn_type == 'LSTM':", "if self.rnn_type == 'GRU':", RECURRENT),
    Mutant("word_language_model/main.py", "data.view(bsz, -1).t()", "data.view(bsz, -1, 1).t()", "data = data.view(bsz, -1, 1).t()"),
    # imagenet
    Mutant("imagenet/main.py", "output.topk(maxk, 1, True, True)", "output.topk(maxk, 2, True, True)", "output.topk(maxk, 2"),
    Mutant("imagenet/main.py", "output = model(images)", "output = model(images.permute(0, 2, 3, 1))", "output = model(images.permute("),
    Mutant("imagenet/main.py", "sum(0, keepdim=True)", "sum(1, keepdim=True)", "correct_k = correct[:k]"),
    # mnist_rnn
    Mutant("mnist_rnn/main.py", "nn.BatchNorm1d(64)", "nn.BatchNorm1d(28)", "output = self.batchnorm(output)"),
    Mutant("mnist_rnn/main.py", "output = output[:, -1, :]", "output = output[:, :, -1]", "output = self.batchnorm(output)"),
    Mutant("mnist_rnn/main.py", "batch_first=True)", "batch_first=True, bidirectional=True)", "output = self.batchnorm(output)"),
    # mnist_hogwild
    Mutant("mnist_hogwild/main.py", "x = x.view(-1, 320)", "x = x.view(320, -1)", "x = F.relu(self.fc1(x))"),
    Mutant("mnist_hogwild/train.py", "F.nll_loss(output, target.to(device))", "F.nll_loss(output, target.to(device).unsqueeze(1))",
           "loss = F.nll_loss("),
    Mutant("mnist_hogwild/main.py", "self.conv2_drop(self.conv2(x)), 2)", "self.conv2_drop(self.conv2(x)), 10)",
           "x = F.relu(F.max_pool2d(self.conv2_drop("),
    # mnist_forward_forward
    Mutant(FORWARD, "self.bias.unsqueeze(0)", "self.bias.unsqueeze(1)", RESIDUAL_GOODNESS),
    Mutant(FORWARD, "x.norm(2, 1, keepdim=True)", "x.norm(2, 1)", "x_direction = x / ("),
    Mutant(FORWARD, "goodness_per_label.argmax(1)", "goodness_per_label.argmax(2)", "goodness_per_label.argmax(2)"),
    # fast_neural_style
    Mutant(STYLE + "neural_style.py", "gm_s[:n_batch, :, :]", "gm_s[:n_batch, :, :, :]", "style_loss += mse_loss("),
    Mutant(STYLE + "utils.py", "0.225]).view(-1, 1, 1)", "0.225]).view(-1, 1)", "return (batch - mean) / std"),
    Mutant(STYLE + "transformer_net.py", "ConvLayer(32, 3,", "ConvLayer(32, 4,", "return (batch - mean) / std", at=STYLE + "utils.py"),
    Mutant(STYLE + "transformer_net.py", "UpsampleConvLayer(64, 32, kernel_size=3, stride=1, upsample=2)",
           "UpsampleConvLayer(64, 32, kernel_size=3, stride=1, upsample=4)", "content_loss = args.content_weight * mse_loss(",
           at=STYLE + "neural_style.py"),
    # gat, gcn
    Mutant("gat/main.py", "torch.matmul(attention, h_transformed)", "torch.matmul(h_transformed, attention)", "h_prime = torch.matmul("),
    Mutant("gat/main.py", "h_prime.mean(dim=0)", "h_prime.mean(dim=1)", "e = torch.where(adj_mat > 0"),
    Mutant("gat/main.py", "torch.mm(h, self.W)", "torch.mm(self.W, h)", "h_transformed = torch.mm(self.W, h)"),
    Mutant("gcn/main.py", "GCN(features.shape[1]", "GCN(features.shape[0]", "support = torch.mm("),
    # time_sequence_prediction
    Mutant("time_sequence_prediction/train.py", "torch.cat(outputs, dim=1)", "torch.stack(outputs, dim=1)",
           "loss = criterion(out, target)"),
    Mutant("time_sequence_prediction/train.py", "c_t = torch.zeros(input.size(0), 51", "c_t = torch.zeros(input.size(0), 50",
           "h_t, c_t = self.lstm1("),
    Mutant("time_sequence_prediction/train.py", "input.split(1, dim=1)", "input.split(1, dim=0)", "h_t, c_t = self.lstm1("),
    # language_translation
    Mutant("language_translation/src/data.py", "torch.zeros((src_seq_len, src_seq_len)", "torch.zeros((src_seq_len, tgt_seq_len)",
           "outs = self.transformer(", at="language_translation/src/model.py"),
    Mutant("language_translation/src/data.py", "(src == pad_idx).transpose(0, 1)", "(src == pad_idx)", "outs = self.transformer(",
           at="language_translation/src/model.py"),
    Mutant("language_translation/src/model.py", "nn.Embedding(tgt_vocab_size, embed_size)", "nn.Embedding(embed_size, tgt_vocab_size)",
           "return self.dropout(token_embedding +"),
    Mutant("language_translation/main.py", "logits.reshape(-1, logits.shape[-1])", "logits.reshape(-1, logits.shape[0])", "loss = loss_fn(",
           after="def train("),
    # reinforcement_learning
    Mutant(ACTOR, "nn.Linear(4, 128)", "nn.Linear(4, 64)", "action_prob = F.softmax(self.action_head(x)"),
    Mutant("reinforcement_learning/reinforce.py", ".float().unsqueeze(0)", ".float().unsqueeze(1)", "x = self.affine1(x)"),
    Mutant("reinforcement_learning/reinforce.py", ".float().unsqueeze(0)", ".float()", "return F.softmax(action_scores, dim=1)"),
    # distributed
    Mutant("distributed/ddp/example.py", "labels = torch.randn(20, 5)", "labels = torch.randn(5, 20)", "loss_fn(outputs, labels).backward()"),
    Mutant(DDP + "datautils.py", "(torch.rand(20), torch.rand(1))", "(torch.rand(1), torch.rand(20))", "output = self.model(source)",
           at=DDP + "multinode.py"),
    Mutant("distributed/FSDP2/model.py", ".contiguous().view(bsz, seq_len, -1)", ".contiguous().view(bsz, -1)",
           "return self.resid_dropout(self.wo(output))"),
    Mutant("distributed/FSDP2/model.py", "torch.arange(0, seq_len", "torch.arange(0, _bsz", "h = h + p"),
    Mutant(GPT + "model.py", "self.pos_emb[:, :t, :]", "self.pos_emb[:, :, :t]", "return self.drop(token_embeddings + position"),
    Mutant(GPT + "model.py", "logits.view(-1, logits.size(-1)), targets", "logits, targets", "loss = F.cross_entropy("),
    Mutant(RPC + "pipeline/main.py", "Bottleneck, 512,", "Bottleneck, 256,", "out = self.fc(torch.flatten("),
    Mutant(RPC + "pipeline/main.py", "torch.cat(torch.futures.wait_all", "torch.stack(torch.futures.wait_all",
           "dist_autograd.backward(context_id, [loss_fn("),
    Mutant(RPC + "rnn/main.py", "torch.randn(nlayers, nindices, nhid)", "torch.randn(nlayers, batch, nhid)", RECURRENT, at=RPC + "rnn/rnn.py"),
    Mutant(RPC + "ddp_rpc/main.py", "EMBEDDING_DIM = 16", "EMBEDDING_DIM = 32", "return self.fc(emb_lookup"),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "nn.Linear(9216, 128)", "nn.Linear(4608, 128)", "x = self.fc1(x)"),
    Mutant(RPC + "batch/parameter_server.py", "resnet50(num_classes=num_classes)", "resnet50()", "self.loss_fn(m(inputs), labels)"),
    Mutant(RPC + "batch/reinforce.py", "nn.Linear(4, 128)", "nn.Linear(8, 128)", "x = self.affine1(x)"),
    Mutant(RPC + "rl/main.py", "nn.Linear(128, 2)", "nn.Linear(64, 2)", "action_scores = self.affine2(x)"),
    Mutant(LLAMA, "torch.view_as_real(xq_ * freqs_cis).flatten(3)", "torch.view_as_real(xq_ * freqs_cis).flatten(2)",
           "output = F.scaled_dot_product_attention("),
    Mutant("distributed/tensor_parallelism/tensor_parallel_example.py", "torch.rand(20, 10", "torch.rand(10, 20",
           "return self.out_proj(self.relu(self.in_proj(x)))"),
    Mutant("distributed/tensor_parallelism/sequence_parallel_example.py", "nn.Linear(32, 5)", "nn.Linear(5, 32)",
           "return self.out_proj(self.relu(self.in_proj(x)))"),
    Mutant("distributed/FSDP/utils/train_utils.py", 'attention_mask=batch["source_mask"]', 'attention_mask=batch["target_mask"]',
           "output = model(input_ids="),
    # fx
    Mutant("fx/wrap_output_dynamically.py", "torch.randn(5, 3), torch.randn(5, 3)", "torch.randn(5, 3), torch.randn(5, 4)",
           "orig_output = traced(x, y)"),
    # legacy/snli
    Mutant("legacy/snli/model.py", "torch.cat([premise, hypothesis], 1)", "torch.cat([premise, hypothesis], 0)",
           "return super(Bottle, self).forward(input)"),
    Mutant("legacy/snli/model.py", "self.config.n_cells, batch_size, self", "batch_size, self.config.n_cells, self",
           "outputs, (ht, ct) = self.rnn("),
    # cpp
    Mutant("cpp/transfer-learning/convert.py", "torch.rand(1, 3, 224, 224)", "torch.rand(1, 1, 224, 224)", "torch.jit.trace("),
    # A fourth set: eighty more, over every project.
    # mnist
    Mutant("mnist/main.py", "nn.Linear(128, 10)", "nn.Linear(64, 10)", "x = self.fc2(x)"),
    Mutant("mnist/main.py", "loss = F.nll_loss(output, target)", "loss = F.mse_loss(output, target)", "loss = F.mse_loss("),
    Mutant("mnist/main.py", "target.view_as(pred)", "target.view(64, 1)", "correct += pred.eq("),
    Mutant("mnist/main.py", "transforms.ToTensor(),", "transforms.Resize(32), transforms.ToTensor(),", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "F.log_softmax(x, dim=1)", "F.log_softmax(x, dim=-3)", "F.log_softmax(x, dim=-3)"),
    # vae
    Mutant("vae/main.py", "return mu + eps*std", "return mu + eps.t()*std", "return mu + eps.t()*std"),
    Mutant("vae/main.py", "recon_batch.view(args.batch_size, 1, 28, 28)", "recon_batch.view(args.batch_size, 1, 32, 32)", "recon_batch.view(args"),
    Mutant("vae/main.py", "logvar.exp())", "logvar.exp().sum(0).unsqueeze(1))", "KLD = -0.5"),
    Mutant("vae/main.py", "self.encode(x.view(-1, 784))", "self.encode(x.view(-1, 768))", "mu, logvar = self.encode("),
    # dcgan
    Mutant("dcgan/main.py", "nn.Conv2d(ndf * 8, 1, 4, 1, 0, bias=False)", "nn.Conv2d(ndf * 8, 1, 3, 1, 0, bias=False)",
           "errD_real = criterion(output, label)"),
    Mutant("dcgan/main.py", "torch.randn(batch_size, nz, 1, 1", "torch.randn(nz, batch_size, 1, 1", "output = self.main(input)",
           after="class Generator"),
    Mutant("dcgan/main.py", "nn.BatchNorm2d(ndf * 2)", "nn.BatchNorm2d(ndf)", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "output.view(-1, 1).squeeze(1)", "output.squeeze(1)", "errD_real = criterion(output, label)"),
    # super_resolution
    Mutant("super_resolution/model.py", "nn.PixelShuffle(upscale_factor)", "nn.PixelShuffle(upscale_factor + 1)", "x = self.pixel_shuffle("),
    Mutant("super_resolution/main.py", "batch[0].to(device), batch[1].to(device)", "batch[0].to(device), batch[1].to(device).flatten(1)",
           "loss = criterion(model(input), target)"),
    Mutant("super_resolution/model.py", "nn.Conv2d(64, 64, (3, 3)", "nn.Conv2d(64, 32, (3, 3)", "self.conv3(x)"),
    Mutant("super_resolution/super_resolve.py", "view(1, -1, y.size[1], y.size[0])", "view(1, y.size[1], y.size[0], -1)", "self.conv1(x)",
           at="super_resolution/model.py"),
    # siamese_network
    Mutant(SIAMESE, "nn.Conv2d(1, 64, kernel_size", "nn.Conv2d(1, 32, kernel_size", "output = self.resnet(x)"),
    Mutant(SIAMESE, "output.view(output.size()[0], -1)", "output.view(-1, output.size()[0])", "output = self.fc(output)"),
    Mutant(SIAMESE, "loss = criterion(outputs, targets)", "loss = criterion(outputs, targets.unsqueeze(1))", "loss = criterion("),
    Mutant(SIAMESE, "targets.view_as(pred)", "targets.view(-1, 2)", "correct += pred.eq("),
    # regression
    Mutant("regression/main.py", "torch.randn(batch_size)", "torch.randn(batch_size, 1)", "return x.mm(W_target)"),
    Mutant("regression/main.py", "fc.weight.view(-1)", "fc.weight.view(-1, 3)", "print('==> Learned"),
    # word_language_model
    Mutant(LANGUAGE, "self.rnn(emb, hidden)", "self.rnn(emb.transpose(0, 1), hidden)", "output, hidden = self.rnn(emb.transpose"),
    Mutant(LANGUAGE, "(ninp, nhid, nlayers, dropout=dropout)", "(ninp, nhid, nlayers, dropout=dropout, bidirectional=True)", RECURRENT),
    Mutant(LANGUAGE, "weight.new_zeros(self.nlayers, bsz, self.nhid))", "weight.new_zeros(self.nlayers, self.nhid))", RECURRENT),
    Mutant("word_language_model/main.py", "data = source[i:i+seq_len]", "data = source[i]", RECURRENT, at=LANGUAGE),
    Mutant("word_language_model/main.py", "seq_len].view(-1)", "seq_len].t()", "loss = criterion(output, targets)"),
    Mutant("word_language_model/generate.py", "torch.randint(ntokens, (1, 1)", "torch.randint(ntokens, (1, 2)", RECURRENT, at=LANGUAGE),
    # imagenet
    Mutant("imagenet/main.py", "target.view(1, -1).expand_as(pred)", "target.view(1, -1).expand(batch_size, -1)", "correct = pred.eq("),
    Mutant("imagenet/main.py", "criterion(output, target)", "criterion(output.unsqueeze(1), target)", "loss = criterion(output.unsqueeze",
           since="def train("),
    Mutant("imagenet/main.py", "output = model(images)", "output = model(images[0])", "output = model(images[0])", since="def train("),
    # mnist_rnn
    Mutant("mnist_rnn/main.py", "hidden_size=64", "hidden_size=128", "output = self.batchnorm(output)"),
    Mutant("mnist_rnn/main.py", "output = output[:, -1, :]", "output = hidden[0]", "loss = F.nll_loss(output, target)"),
    Mutant("mnist_rnn/main.py", "input.reshape(-1, 28, 28)", "input.reshape(28, -1, 28)", "loss = F.nll_loss(output, target)"),
    Mutant("mnist_rnn/main.py", "nn.Linear(32, 10)", "nn.Linear(10, 32)", "output = self.fc2(output)"),
    # mnist_hogwild
    Mutant("mnist_hogwild/main.py", "nn.Linear(50, 10)", "nn.Linear(10, 50)", "x = self.fc2(x)"),
    Mutant("mnist_hogwild/train.py", "pred = output.max(1)[1]", "pred = output.max(2)[1]", "pred = output.max(2)[1]"),
    Mutant("mnist_hogwild/main.py", "transforms.ToTensor(),", "transforms.Resize(32), transforms.ToTensor(),",
           "loss = F.nll_loss(output, target.to(device))", at="mnist_hogwild/train.py"),
    # mnist_forward_forward
    Mutant(FORWARD, "x_[range(x.shape[0]), y] = x.max()", "x_[:, y] = x.max(0)[0]", "x_[:, y] = x.max(0)[0]"),
    Mutant(FORWARD, "torch.cat(goodness_per_label, 1)", "torch.cat(goodness_per_label, 2)", "torch.cat(goodness_per_label, 2)"),
    Mutant(FORWARD, "Net([784, 500, 500])", "Net([784, 500, 500][::-1])", RESIDUAL_GOODNESS),
    # fast_neural_style
    Mutant(STYLE + "transformer_net.py", "ConvLayer(3, 32,", "ConvLayer(1, 32,", "out = self.conv2d(out)", after="class ConvLayer"),
    Mutant(STYLE + "neural_style.py", "style.repeat(args.batch_size, 1, 1, 1)", "style.repeat(args.batch_size, 1, 1)",
           "return (batch - mean) / std", at=STYLE + "utils.py"),
    Mutant(STYLE + "neural_style.py", "utils.gram_matrix(ft_y)", "utils.gram_matrix(ft_y[0])", "(b, ch, h, w) = y.size()", at=STYLE + "utils.py"),
    Mutant(STYLE + "neural_style.py", "features_x.relu2_2)", "features_x.relu3_3)", "content_loss = args.content_weight"),
    Mutant(STYLE + "neural_style.py", "content_image.unsqueeze(0).to(device)", "content_image.to(device)", "img = img.transpose(1, 2, 0)",
           at=STYLE + "utils.py"),
    # gat, gcn
    Mutant("gat/main.py", "self.a[:, :self.n_hidden, :]", "self.a[:, self.n_hidden + 1:, :]", "source_scores = torch.matmul("),
    Mutant("gat/main.py", "in_features=n_hidden, out_features", "in_features=n_hidden * n_heads, out_features", "h_transformed = torch.mm("),
    Mutant("gat/main.py", "h_prime.mean(dim=0)", "h_prime.mean(dim=-1)", "h_transformed = torch.mm("),
    Mutant("gcn/main.py", "GraphConv(hidden_dim, output_dim", "GraphConv(output_dim, hidden_dim", "support = torch.mm("),
    Mutant("gcn/main.py", "torch.sparse_coo_tensor(edges.T,", "torch.sparse_coo_tensor(edges,", "adj_mat = torch.sparse_coo_tensor("),
    Mutant("gcn/main.py", "criterion(output[mask_train], target[mask_train])", "criterion(output[mask_train], target)",
           "loss = criterion(output[mask_train]"),
    # time_sequence_prediction
    Mutant("time_sequence_prediction/train.py", "nn.LSTMCell(1, 51)", "nn.LSTMCell(51, 1)", "h_t, c_t = self.lstm1("),
    Mutant("time_sequence_prediction/train.py", "data[3:, 1:]", "data[3:, :]", "loss = criterion(out, target)"),
    Mutant("time_sequence_prediction/train.py", "torch.cat(outputs, dim=1)", "torch.cat(outputs, dim=0)", "loss = criterion(out, target)"),
    Mutant("time_sequence_prediction/generate_sine_wave.py", ".reshape(N, 1)", ".reshape(1, N)", "x[:] = np.array(range(L))"),
    # language_translation
    Mutant("language_translation/src/model.py", "self.ff(outs)", "self.ff(outs.transpose(1, 2))", "return self.ff(outs"),
    Mutant("language_translation/src/model.py", ".reshape(maxlen, 1)", ".reshape(1, maxlen)", "pos_embedding[:, 0::2] = "),
    Mutant("language_translation/src/model.py", "d_model=embed_size,", "d_model=embed_size, batch_first=True,", "outs = self.transformer("),
    Mutant("language_translation/src/data.py", "pad_sequence(src_batch, padding", "pad_sequence(src_batch, batch_first=True, padding",
           "outs = self.transformer(", at="language_translation/src/model.py"),
    Mutant("language_translation/main.py", "model.ff(out[:, -1])", "model.ff(out[-1])", "next_word = next_word.item()"),
    # reinforcement_learning
    Mutant(ACTOR, "torch.from_numpy(state).float()", "torch.from_numpy(state).float().unsqueeze(1)", "x = F.relu(self.affine1(x))"),
    Mutant(ACTOR, "self.action_head(x), dim=-1)", "self.action_head(x), dim=1)", "action_prob = F.softmax("),
    Mutant("reinforcement_learning/reinforce.py", "nn.Linear(4, 128)", "nn.Linear(4, 256)", "action_scores = self.affine2(x)"),
    Mutant("reinforcement_learning/reinforce.py", "append(-log_prob * R)", "append((-log_prob * R).sum())", "policy_loss = torch.cat("),
    # distributed
    Mutant("distributed/ddp/example.py", "labels = torch.randn(20, 5)", "labels = torch.randn(10, 5)", "loss_fn(outputs, labels)"),
    Mutant(DDP + "datautils.py", "(torch.rand(20), ", "(torch.rand(20, 1), ", "output = self.model(source)", at=DDP + "multigpu_torchrun.py"),
    Mutant(DDP + "multinode.py", "F.cross_entropy(output, targets)", "F.cross_entropy(output.squeeze(1), targets)", "loss = F.cross_entropy("),
    Mutant("distributed/FSDP2/model.py", "queries.view(bsz, seq_len, self.n_heads, self.head_dim)",
           "queries.view(bsz, self.n_heads, seq_len, self.head_dim)", "output = F.scaled_dot_product_attention("),
    Mutant("distributed/FSDP2/model.py", "nn.Linear(args.dim, args.vocab_size", "nn.Linear(args.max_seq_len, args.vocab_size",
           "output = self.output(h).float()"),
    Mutant(GPT + "model.py", "self.ln_f = nn.LayerNorm(config.n_embd)", "self.ln_f = nn.LayerNorm(config.block_size)", "x = self.ln_f(x)"),
    Mutant(GPT + "char_dataset.py", "torch.tensor(dix[1:],", "torch.tensor(dix,", "loss = F.cross_entropy(", at=GPT + "model.py"),
    Mutant(GPT + "model.py", "self.drop(token_embeddings + position_embeddings)", "self.drop(torch.cat((token_embeddings, position_embeddings), 0))",
           "loss = F.cross_entropy("),
    Mutant(LLAMA, "model_args.n_heads * self.head_dim, model_args.dim, bias", "self.head_dim, model_args.dim, bias", "return self.wo(output)"),
    Mutant(LLAMA, "self.freqs_cis[0:seqlen]", "self.freqs_cis[1:seqlen]", "assert freqs_cis.shape =="),
    Mutant("distributed/tensor_parallelism/fsdp_tp_example.py", "torch.randint(32000, (8, 256)", "torch.randint(32000, (256,)",
           "_bsz, seqlen = tokens.shape", at=LLAMA),
    Mutant(RPC + "pipeline/main.py", "nn.Conv2d(3, self.inplanes", "nn.Conv2d(1, self.inplanes", "out =  self.seq(x)"),
    Mutant(RPC + "pipeline/main.py", "torch.zeros(batch_size, num_classes)", "torch.zeros(num_classes, batch_size)",
           "dist_autograd.backward(context_id, [loss_fn("),
    Mutant(RPC + "rnn/main.py", "torch.LongTensor(batch, ntoken)", "torch.LongTensor(batch, nindices)", "loss = criterion(output, target)"),
    Mutant(RPC + "rnn/rnn.py", "Decoder, args=(ntoken, nhid, dropout)", "Decoder, args=(nhid, ntoken, dropout)",
           "return self.decoder(self.drop(output))"),
    Mutant(RPC + "rl/main.py", ".float().unsqueeze(0)", ".float().unsqueeze(-1)", "x = self.affine1(x)"),
    Mutant(RPC + "batch/reinforce.py", "torch.zeros(len(self.ob_rrefs), 1, 4)", "torch.zeros(len(self.ob_rrefs), 1, 8)",
           "self.states[ob_id].copy_(state)"),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "torch.flatten(x, 1)", "torch.flatten(x, 0, 1)", "x = self.fc1(x)"),
    Mutant(RPC + "batch/parameter_server.py", "torch.zeros(batch_size, num_classes)", "torch.zeros(batch_size, num_classes + 1)",
           "self.loss_fn(m(inputs), labels)"),
    Mutant(RPC + "ddp_rpc/main.py", "torch.LongTensor(offsets)", "torch.LongTensor([offsets])", "emb_lookup = self.remote_emb_module.forward("),
    Mutant("distributed/FSDP/utils/train_utils.py", "torch.zeros(2)", "torch.zeros(1)", "fsdp_loss[1] += len(batch)", since="def train("),
    # fx
    Mutant("fx/wrap_output_dynamically.py", "torch.cat([x, y])", "torch.cat([x, y], 2)", "orig_output = traced(x, y)"),
    # legacy/snli
    Mutant("legacy/snli/model.py", "Linear(seq_in_size, config.d_out)", "Linear(config.d_hidden, config.d_out)",
           "return super(Bottle, self).forward(input)"),
    Mutant("legacy/snli/model.py", "config.d_proj if config.projection else config.d_embed", "config.d_embed", "outputs, (ht, ct) = self.rnn("),
    # cpp
    Mutant("cpp/transfer-learning/convert.py", "list(model.children())[:-1]", "list(model.children())", "script_module = torch.jit.trace("),
    # A fifth set: a hundred more, over every project.
    # mnist
    Mutant("mnist/main.py", "nn.Conv2d(1, 32, 3, 1)", "nn.Conv2d(1, 32, 5, 1)", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "x = self.conv2(x)", "x = self.conv2(F.max_pool2d(x, 2))", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "output = model(data)", "output = model(data.view(data.size(0), -1))", "x = self.conv1(x)", since="def test("),
    Mutant("mnist/main.py", "data, target = data.to(device), target.to(device)", "data, target = data.to(device), F.one_hot(target.to(device), 10)",
           "loss = F.nll_loss(output, target)"),
    # vae
    Mutant("vae/main.py", "self.fc1 = nn.Linear(784, 400)", "self.fc1 = nn.Linear(28, 400)", "h1 = F.relu(self.fc1(x))"),
    Mutant("vae/main.py", "return self.decode(z), mu", "return self.decode(torch.cat((mu, logvar), 1)), mu", "h3 = F.relu(self.fc3(z))"),
    Mutant("vae/main.py", "torch.exp(0.5*logvar)", "torch.exp(0.5*logvar.sum(1))", "eps*std"),
    Mutant("vae/main.py", "torch.cat([data[:n],", "torch.cat([data[0],", "comparison = torch.cat("),
    Mutant("vae/main.py", "mu.pow(2) - logvar.exp()", "mu.pow(2).sum(1) - logvar.exp()", "KLD = -0.5"),
    # dcgan
    Mutant("dcgan/main.py", "nn.BatchNorm2d(ndf * 8)", "nn.BatchNorm2d(ndf * 4)", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "torch.randn(opt.batchSize, nz, 1, 1", "torch.randn(opt.batchSize, ndf, 1, 1", "output = self.main(input)",
           after="class Generator"),
    Mutant("dcgan/main.py", "netD(fake.detach())", "netD(fake.detach().view(batch_size, -1))", "output = self.main(input)",
           after="class Discriminator"),
    Mutant("dcgan/main.py", "errG = criterion(output, label)", "errG = criterion(output.unsqueeze(1), label)", "errG = criterion("),
    Mutant("dcgan/main.py", "'--imageSize', type=int, default=64", "'--imageSize', type=int, default=32", "output = self.main(input)",
           after="class Discriminator"),
    # super_resolution
    Mutant("super_resolution/model.py", "nn.Conv2d(64, 32, (3, 3), (1, 1), (1, 1))", "nn.Conv2d(64, 32, (3, 3), (1, 1))",
           "loss = criterion(model(input), target)", at="super_resolution/main.py"),
    Mutant("super_resolution/data.py", "CenterCrop(crop_size)", "CenterCrop(crop_size // 2)", "loss = criterion(model(input), target)",
           at="super_resolution/main.py", since="def target_transform"),
    Mutant("super_resolution/dataset.py", "y, _, _ = img.split()", "y, _ = img.split()", "y, _ = img.split()"),
    Mutant("super_resolution/main.py", "mse = criterion(prediction, target)", "mse = criterion(prediction, input)", "mse = criterion("),
    # siamese_network
    Mutant(SIAMESE, "nn.Linear(self.fc_in_features * 2, 256)", "nn.Linear(self.fc_in_features * 2, 512)", "output = self.fc(output)"),
    Mutant(SIAMESE, "return image_1, image_2, target", "return image_1, image_2", "for batch_idx, (images_1"),
    Mutant(SIAMESE, "torch.tensor(1, dtype=torch.float)", "torch.tensor([1], dtype=torch.float)", "for batch_idx, (images_1"),
    Mutant(SIAMESE, "self.dataset.data.unsqueeze(1)", "self.dataset.data.unsqueeze(-1)", "output = self.resnet(x)"),
    Mutant(SIAMESE, "model(images_1, images_2)", "model(images_1[0], images_2[0])", "output = self.resnet(x)", since="def test("),
    # regression
    Mutant("regression/main.py", "Linear(W_target.size(0), 1)", "Linear(W_target.size(1), 1)", "output = F.smooth_l1_loss("),
    Mutant("regression/main.py", "x.mm(W_target)", "W_target.mm(x)", "return W_target.mm(x)"),
    Mutant("regression/main.py", "torch.randn(batch_size)", "torch.randn(1, batch_size)", "return x.mm(W_target)"),
    # word_language_model
    Mutant(LANGUAGE, "self.input_emb = nn.Embedding(ntoken, ninp)", "self.input_emb = nn.Embedding(ntoken, ninp // nhead)", "x = x + self.pe["),
    Mutant(LANGUAGE, "pe.unsqueeze(0).transpose(0, 1)", "pe.unsqueeze(0)", "x = x + self.pe["),
    Mutant(LANGUAGE, "torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)", "torch.arange(0, max_len, dtype=torch.float)",
           "pe[:, 0::2] = "),
    Mutant(LANGUAGE, "torch.ones(sz,sz)", "torch.ones(sz, 1)", "output = self.encoder(src"),
    Mutant("word_language_model/main.py", "output = output.view(-1, ntokens)", "output = output.view(ntokens, -1)",
           "loss = criterion(output, targets)", since="def train("),
    Mutant("word_language_model/main.py", "model.init_hidden(eval_batch_size)", "model.init_hidden(args.batch_size)", RECURRENT, at=LANGUAGE),
    Mutant("word_language_model/data.py", "torch.cat(idss)", "torch.stack(idss)", "ids = torch.stack(idss)"),
    Mutant("word_language_model/generate.py", "model.init_hidden(1)", "model.init_hidden(args.words)", RECURRENT, at=LANGUAGE),
    # imagenet
    Mutant("imagenet/main.py", "transforms.CenterCrop(224),", "", "for i, (images, target) in enumerate(loader)"),
    Mutant("imagenet/main.py", "output.topk(maxk, 1,", "output.topk(maxk, 0,", "correct = pred.eq("),
    Mutant("imagenet/main.py", "topk=(1, 5))", "topk=(1,))", "acc1, acc5 = accuracy("),
    Mutant("imagenet/main.py", "output = model(images)", "output = model(images[:, :1])", "output = model(images[:, :1])", since="def validate("),
    # mnist_rnn
    Mutant("mnist_rnn/main.py", "input_size=28", "input_size=64", "output, hidden = self.rnn(input)"),
    Mutant("mnist_rnn/main.py", "output, hidden = self.rnn", "output, hidden, cell = self.rnn", "output, hidden, cell = self.rnn"),
    Mutant("mnist_rnn/main.py", "output, hidden = self.rnn", "output = self.rnn", "output = output[:, -1, :]"),
    Mutant("mnist_rnn/main.py", "transforms.Normalize((0.1307,), (0.3081,))", "transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))",
           "for batch_idx, (data, target) in enumerate("),
    # mnist_hogwild
    Mutant("mnist_hogwild/main.py", "nn.Conv2d(10, 20, kernel_size=5)", "nn.Conv2d(20, 20, kernel_size=5)", "self.conv2_drop(self.conv2(x))"),
    Mutant("mnist_hogwild/main.py", "F.log_softmax(x, dim=1)", "F.log_softmax(x, dim=1).t()", "loss = F.nll_loss(output",
           at="mnist_hogwild/train.py"),
    Mutant("mnist_hogwild/train.py", "pred.eq(target.to(device))", "output.eq(target.to(device))", "correct += output.eq("),
    # mnist_forward_forward
    Mutant(FORWARD, "Lambda(lambda x: torch.flatten(x)),", "", "x_[range(x.shape[0]), y] = x.max()"),
    Mutant(FORWARD, "h.pow(2).mean(1)", "h.pow(2).mean()", "sum(goodness).unsqueeze(1)"),
    Mutant(FORWARD, "g_neg - self.threshold]", "(g_neg - self.threshold).unsqueeze(1)]", "torch.cat([-g_pos"),
    Mutant(FORWARD, "Layer(dims[d], dims[d + 1])", "Layer(dims[d], dims[d])", RESIDUAL_GOODNESS),
    # fast_neural_style
    Mutant(STYLE + "transformer_net.py", "ConvLayer(64, 128, kernel_size=3, stride=2)", "ConvLayer(64, 128, kernel_size=3, stride=4)",
           "content_loss = args.content_weight", at=STYLE + "neural_style.py"),
    Mutant(STYLE + "utils.py", "(b, ch, h, w) = y.size()", "(b, ch, h) = y.size()", "(b, ch, h) = y.size()"),
    Mutant(STYLE + "utils.py", "features.bmm(features_t)", "features.mm(features_t)", "gram = features.mm("),
    Mutant(STYLE + "transformer_net.py", "mode='nearest'", "mode='linear'", "x_in = torch.nn.functional.interpolate("),
    Mutant(STYLE + "neural_style.py", "transforms.CenterCrop(args.image_size),", "", "for batch_id, (x, _) in enumerate(train_loader)"),
    Mutant(STYLE + "transformer_net.py", "kernel_size=3, stride=1)", "kernel_size=4, stride=1)", "out = out + residual",
           since="self.in1 = torch.nn.InstanceNorm2d(channels"),
    # gat, gcn
    Mutant("gat/main.py", "size=(n_heads, 2 * self.n_hidden, 1)", "size=(2 * n_heads, self.n_hidden, 1)", "source_scores = torch.matmul("),
    Mutant("gat/main.py", ".view(n_nodes, self.n_heads, self.n_hidden)", ".view(self.n_heads, n_nodes, self.n_hidden)",
           "source_scores = torch.matmul("),
    Mutant("gat/main.py", "output.argmax(dim=1) == target", "output.argmax(dim=0) == target", "acc = (output.argmax("),
    Mutant("gcn/main.py", "torch.sum(adj_mat, dim=1)", "torch.sum(adj_mat, dim=1, keepdim=True)", "adj_mat = degree_mat @ adj_mat"),
    Mutant("gcn/main.py", "torch.Tensor(output_dim)", "torch.Tensor(input_dim)", "output = output + self.bias"),
    Mutant("gcn/main.py", "return features.to_sparse().to(device), labels.to(device)", "return labels.to(device), features.to_sparse().to(device)",
           "gcn = GCN(features.shape[1]"),
    # time_sequence_prediction
    Mutant("time_sequence_prediction/train.py", "self.linear(h_t2)", "self.linear(torch.cat((h_t, h_t2), 1))", "output = self.linear("),
    Mutant("time_sequence_prediction/train.py", "h_t = torch.zeros(input.size(0), 51", "h_t = torch.zeros(51, input.size(0)",
           "h_t, c_t = self.lstm1("),
    Mutant("time_sequence_prediction/train.py", "data[:3, :-1]", "data[:3]", "loss = criterion(pred"),
    Mutant("time_sequence_prediction/generate_sine_wave.py", "randint(-4 * T, 4 * T, N)", "randint(-4 * T, 4 * T, L)",
           "x[:] = np.array(range(L))"),
    # language_translation
    Mutant("language_translation/main.py", "out = out.transpose(0, 1)", "pass", "next_word = next_word.item()"),
    Mutant("language_translation/src/data.py", "tgt_seq_len = tgt.shape[0]", "tgt_seq_len = tgt.shape[1]", "outs = self.transformer(",
           at="language_translation/src/model.py"),
    Mutant("language_translation/main.py", "src_transform(sentence).view(-1, 1)", "src_transform(sentence)",
           "return self.transformer.decoder(", at="language_translation/src/model.py"),
    Mutant("language_translation/src/model.py", "token_embedding.size(0)", "token_embedding.size(1)", "return self.dropout(token_embedding +"),
    Mutant("language_translation/main.py", "fill_(next_word)], dim=0)", "fill_(next_word)], dim=1)", "return self.transformer.decoder(",
           at="language_translation/src/model.py"),
    Mutant("language_translation/src/data.py", "torch.tensor(token_ids)", "torch.tensor([token_ids])", "return torch.cat("),
    # reinforcement_learning
    Mutant(ACTOR, "torch.stack(policy_losses)", "torch.cat(policy_losses)", "loss = torch.cat(policy_losses)"),
    Mutant(ACTOR, "for (log_prob, value), R in", "for log_prob, value, R in", "for log_prob, value, R in"),
    Mutant("reinforcement_learning/reinforce.py", "torch.cat(policy_loss)", "torch.cat(policy_loss, 1)", "policy_loss = torch.cat("),
    # distributed
    Mutant("distributed/ddp/example.py", "nn.Linear(10, 10)", "nn.Linear(10, 20)", "self.net2(self.relu(self.net1(x)))"),
    Mutant("distributed/ddp/example.py", "nn.MSELoss()", "nn.NLLLoss()", "loss_fn(outputs, labels)"),
    Mutant(DDP + "single_gpu.py", "F.cross_entropy(output, targets)", "F.nll_loss(output, targets)", "loss = F.nll_loss("),
    Mutant(DDP + "multigpu_torchrun.py", "F.cross_entropy(output, targets)", "F.cross_entropy(output, targets.squeeze(1))",
           "loss = F.cross_entropy("),
    Mutant("distributed/FSDP2/model.py", "self.w1 = nn.Linear(dim, hidden_dim)", "self.w1 = nn.Linear(hidden_dim, dim)",
           "return self.resid_dropout(self.w2("),
    Mutant("distributed/FSDP2/model.py", "self.head_dim = args.dim // args.n_heads", "self.head_dim = args.dim", "queries = queries.view("),
    Mutant("distributed/FSDP2/example.py", "(batch_size, seq_len)", "(batch_size, seq_len + 1)", "assert seq_len <= self.max_seq_len",
           at="distributed/FSDP2/model.py"),
    Mutant("distributed/FSDP2/model.py", "self.wo = nn.Linear(args.dim, args.dim", "self.wo = nn.Linear(args.dim, args.n_heads",
           "h = x + self.attention("),
    Mutant(GPT + "model.py", "nn.Linear(config.n_embd, 4 * config.n_embd)", "nn.Linear(config.n_embd, 2 * config.n_embd)",
           "x = x + self.mlp(self.ln2(x))"),
    Mutant(GPT + "model.py", "torch.zeros(1, config.block_size, config.n_embd", "torch.zeros(config.block_size, config.n_embd",
           "position_embeddings = self.pos_emb["),
    Mutant(GPT + "model.py", ":seq_size, :seq_size])[0]", ":seq_size, :seq_size])", "y = self.resid_drop(self.c_proj(y))"),
    Mutant(GPT + "char_dataset.py", "torch.tensor(dix[:-1]", "torch.tensor(dix[:-2]", "loss = F.cross_entropy(", at=GPT + "model.py"),
    Mutant(GPT + "model.py", "torch.cat((idx, idx_next), dim=1)", "torch.cat((idx, idx_next), dim=0)", "idx = torch.cat("),
    Mutant(LLAMA, "xq.view(bsz, seqlen, self.n_heads, self.head_dim)", "xq.view(bsz, self.n_heads, seqlen, self.head_dim)",
           "assert freqs_cis.shape =="),
    Mutant(LLAMA, "torch.outer(t, freqs)", "torch.outer(freqs, t)", "assert freqs_cis.shape =="),
    Mutant("distributed/tensor_parallelism/tensor_parallel_example.py", "nn.Linear(32, 5)", "nn.Linear(16, 5)",
           "return self.out_proj(self.relu(self.in_proj(x)))"),
    Mutant("distributed/tensor_parallelism/sequence_parallel_example.py", "torch.rand(20, 10", "torch.rand(20, 32",
           "return self.out_proj(self.relu(self.in_proj(x)))"),
    Mutant(RPC + "pipeline/main.py", ".view(batch_size, 1)", ".view(batch_size)", ".scatter_(1, one_hot_indices, 1)"),
    Mutant(RPC + "pipeline/main.py", "xs.split(self.split_size, dim=0)", "xs.split(self.split_size, dim=1)", "out =  self.seq(x)"),
    Mutant(RPC + "pipeline/main.py", "norm_layer(planes * self._block.expansion)", "norm_layer(planes)", "out =  self.seq(x)"),
    Mutant(RPC + "rnn/main.py", "torch.LongTensor(batch, nindices)", "torch.LongTensor(batch, nindices, 1)", RECURRENT, at=RPC + "rnn/rnn.py"),
    Mutant(RPC + "rl/main.py", "F.softmax(action_scores, dim=1)", "F.softmax(action_scores, dim=2)", "return F.softmax("),
    Mutant(RPC + "batch/reinforce.py", "torch.stack(self.saved_log_probs)\n", "torch.cat(self.saved_log_probs)\n", "policy_loss = -probs * rewards"),
    Mutant(RPC + "batch/parameter_server.py", "torch.randn(batch_size, 3, image_w, image_h)", "torch.randn(batch_size, image_w, image_h, 3)",
           "self.loss_fn(m(inputs), labels)"),
    Mutant(RPC + "ddp_rpc/main.py", "torch.LongTensor(batch_size)", "torch.LongTensor(num_indices)", "criterion(output, target)"),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "x = F.max_pool2d(x, 2)", "pass", "x = self.fc1(x)"),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "net(data)", "net(target)", "x = self.conv1(x)"),
    Mutant("distributed/FSDP/utils/train_utils.py", "torch.zeros(2)", "torch.zeros(())", "fsdp_loss[0] += output", since="def validation("),
    # fx
    Mutant("fx/native_interpreter/use_interpreter.py", "return x * y + y", "return x @ y + y", "return x @ y + y"),
    # legacy/snli
    Mutant("legacy/snli/model.py", "Linear(config.d_embed, config.d_proj)", "Linear(config.d_proj, config.d_embed)",
           "out = super(Bottle, self).forward("),
    Mutant("legacy/snli/model.py", "[seq_in_size]*2", "[seq_in_size, config.d_hidden]", "return super(Bottle, self).forward(input)"),
    Mutant("legacy/snli/train.py", "criterion(answer, batch.label)", "criterion(batch.label, answer)", "loss = criterion(batch.label"),
    # A sixth set: sixty more, over every project.
    # mnist
    Mutant("mnist/main.py", "x = self.fc2(x)", "x = self.fc2(x.unsqueeze(0))", "loss = F.nll_loss(output, target)"),
    Mutant("mnist/main.py", "target.view_as(pred)", "target.view_as(output)", "correct += pred.eq("),
    Mutant("mnist/main.py", "F.nll_loss(output, target)", "F.nll_loss(output, target.float())", "loss = F.nll_loss("),
    Mutant("mnist/main.py", "output = model(data)", "output = model(data[0])", "x = self.fc1(x)"),
    # vae
    Mutant("vae/main.py", "self.fc22 = nn.Linear(400, 20)", "self.fc22 = nn.Linear(400, 784)", "return mu + eps*std"),
    Mutant("vae/main.py", "binary_cross_entropy(recon_x, x.view(-1, 784)", "binary_cross_entropy(recon_x, x.view(-1, 28, 28)", "BCE = "),
    Mutant("vae/main.py", "self.fc3(z)", "self.fc3(z.t())", "h3 = F.relu("),
    Mutant("vae/main.py", "sample.view(64, 1, 28, 28)", "sample.view(1, 28, 28)", "save_image(sample.view("),
    # dcgan
    Mutant("dcgan/main.py", "nn.ConvTranspose2d(ngf * 8, ngf * 4,", "nn.ConvTranspose2d(ngf * 4, ngf * 8,", "output = self.main(input)",
           after="class Generator"),
    Mutant("dcgan/main.py", "real_cpu = data[0]", "real_cpu = data[1]", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "errD_fake = criterion(output, label)", "errD_fake = criterion(output, fake)", "errD_fake = criterion("),
    Mutant("dcgan/main.py", "nn.Conv2d(ndf, ndf * 2,", "nn.Conv2d(ndf * 2, ndf,", "output = self.main(input)", after="class Discriminator"),
    # super_resolution
    Mutant("super_resolution/model.py", "nn.Conv2d(64, 64, (3, 3), (1, 1), (1, 1))", "nn.Conv2d(64, 64, (5, 5), (1, 1), (1, 1))",
           "loss = criterion(model(input), target)", at="super_resolution/main.py"),
    Mutant("super_resolution/data.py", "Resize(crop_size // upscale_factor)", "Resize((crop_size // upscale_factor, crop_size))",
           "loss = criterion(model(input), target)", at="super_resolution/main.py"),
    Mutant("super_resolution/main.py", "criterion(model(input), target)", "criterion(model(input.squeeze(1)), target)", "self.conv1(x)",
           at="super_resolution/model.py"),
    # siamese_network
    Mutant(SIAMESE, "output.view(output.size()[0], -1)", "output.view(-1)", "output = torch.cat("),
    Mutant(SIAMESE, "self.data[index_1].clone().float()", "self.data[index_1].clone()", "output = self.resnet(x)"),
    Mutant(SIAMESE, "nn.Linear(256, 1)", "nn.Linear(256, 2)", "loss = criterion(outputs, targets)"),
    # regression
    Mutant("regression/main.py", "range(1, POLY_DEGREE+1)", "range(0, POLY_DEGREE+1)", "return x.mm(W_target)"),
    Mutant("regression/main.py", "x.unsqueeze(1)", "x.unsqueeze(2)", "x = x.unsqueeze(2)"),
    # word_language_model
    Mutant("word_language_model/main.py", "source[i+1:i+1+seq_len]", "source[i:i+1+seq_len]", "loss = criterion(output, targets)"),
    Mutant(LANGUAGE, "return weight.new_zeros(self.nlayers, bsz, self.nhid)", "return weight.new_zeros(bsz, self.nhid)", RECURRENT),
    Mutant(LANGUAGE, "self.decoder = nn.Linear(ninp, ntoken)", "self.decoder = nn.Linear(ntoken, ninp)", "output = self.decoder(output)"),
    Mutant("word_language_model/generate.py", "torch.multinomial(word_weights, 1)[0]", "torch.multinomial(word_weights, 2)",
           "input.fill_(word_idx)", since="output, hidden = model"),
    # imagenet
    Mutant("imagenet/main.py", "top1.update(acc1[0],", "top1.update(acc1[1],", "top1.update(acc1[1],"),
    Mutant("imagenet/main.py", "transforms.RandomHorizontalFlip(),\n                transforms.ToTensor(),\n                normalize,",
           "transforms.RandomHorizontalFlip(),\n                normalize,\n                transforms.ToTensor(),",
           "for i, (images, target) in enumerate(train_loader)"),
    Mutant("imagenet/main.py", "target.view(1, -1)", "target.view(maxk, -1)", "correct = pred.eq("),
    # mnist_rnn
    Mutant("mnist_rnn/main.py", "self.fc1(output)", "self.fc1(hidden[0])", "loss = F.nll_loss(output, target)"),
    Mutant("mnist_rnn/main.py", "batch_first=True)", "batch_first=True, proj_size=32)", "output = self.batchnorm(output)"),
    # mnist_hogwild
    Mutant("mnist_hogwild/main.py", "x = self.fc2(x)", "x = self.fc2(x.view(-1, 10))", "x = self.fc2("),
    Mutant("mnist_hogwild/train.py", "pred = output.max(1)[1]", "pred = output.max(1)", "correct += pred.eq("),
    # mnist_forward_forward
    Mutant(FORWARD, "self.bias.unsqueeze(0)", "self.weight.unsqueeze(0)", RESIDUAL_GOODNESS),
    Mutant(FORWARD, "h_pos, h_neg = layer.train(", "h_pos = layer.train(", "x_direction = x / ("),
    # fast_neural_style
    Mutant(STYLE + "transformer_net.py", "UpsampleConvLayer(128, 64,", "UpsampleConvLayer(128, 32,", "self.in4(self.deconv1(y))"),
    Mutant(STYLE + "neural_style.py", "gm_s[:n_batch, :, :]", "gm_s", "style_loss += mse_loss("),
    Mutant(STYLE + "utils.py", "y.view(b, ch, w * h)", "y.view(b, ch * w * h)", "features_t = features.transpose(1, 2)"),
    # gat, gcn
    Mutant("gat/main.py", ".permute(1, 0, 2)", ".transpose(1, 2)", "source_scores = torch.matmul("),
    Mutant("gat/main.py", "idx[:1200], idx[1200:1600], idx[1600:]", "idx[:1200], idx[1200:]", "idx_test, idx_val, idx_train = "),
    Mutant("gcn/main.py", "target[mask_train])", "target[mask_val])", "loss = criterion("),
    Mutant("gcn/main.py", "torch.ones(E), (V, V)", "torch.ones(E), (V,)", "adj_mat = torch.sparse_coo_tensor("),
    # time_sequence_prediction
    Mutant("time_sequence_prediction/train.py", "c_t2 = torch.zeros(input.size(0), 51", "c_t2 = torch.zeros(input.size(1), 51",
           "h_t2, c_t2 = self.lstm2("),
    Mutant("time_sequence_prediction/train.py", "in input.split(1, dim=1)", "in input", "h_t, c_t = self.lstm1("),
    # language_translation
    Mutant("language_translation/main.py", "tgt_out = tgt[1:, :]", "tgt_out = tgt[1:-1, :]", "loss = loss_fn("),
    Mutant("language_translation/src/model.py", "nhead=num_heads", "nhead=num_heads + 1", "self.transformer = nn.Transformer("),
    Mutant("language_translation/src/data.py", "generate_square_subsequent_mask(tgt_seq_len", "generate_square_subsequent_mask(src_seq_len",
           "outs = self.transformer(", at="language_translation/src/model.py"),
    Mutant("language_translation/main.py", "tgt_input, src_mask, tgt_mask,src_padding_mask", "tgt_input, tgt_mask, src_mask,src_padding_mask",
           "outs = self.transformer(", at="language_translation/src/model.py"),
    # reinforcement_learning
    Mutant(ACTOR, "self.value_head(x)", "self.value_head(action_prob)", "state_values = self.value_head("),
    Mutant("reinforcement_learning/reinforce.py", "-log_prob * R", "-log_prob[0] * R", "policy_loss = torch.cat("),
    # distributed
    Mutant("distributed/ddp/example.py", "self.net2(self.relu(self.net1(x)))", "self.net1(self.relu(self.net2(x)))", "return self.net1("),
    Mutant(DDP + "datautils.py", "torch.rand(20)", "torch.rand(21)", "output = self.model(source)", at=DDP + "single_gpu.py"),
    Mutant("distributed/FSDP2/model.py", "torch.arange(0, seq_len", "torch.arange(1, seq_len", "h = h + p"),
    Mutant(GPT + "model.py", "self.ln2 = nn.LayerNorm(config.n_embd)", "self.ln2 = nn.LayerNorm(4 * config.n_embd)",
           "x = x + self.mlp(self.ln2(x))"),
    Mutant(GPT + "model.py", "logits[:, -1, :]", "logits[:, -1, -1]", "idx = torch.cat("),
    Mutant(GPT + "trainer.py", "self.model(source, targets)", "self.model(targets, source[:, 1:])", "loss = F.cross_entropy(", at=GPT + "model.py"),
    Mutant(LLAMA, "model_args.dim, model_args.n_heads * self.head_dim, bias", "model_args.dim, self.n_kv_heads, bias", "xq = xq.view(bsz"),
    Mutant(LLAMA, "freqs_cis.view(*shape)", "freqs_cis.view(shape[0], -1)", "xq_out = torch.view_as_real("),
    Mutant(RPC + "pipeline/main.py", "nn.AdaptiveAvgPool2d((1, 1))", "nn.AdaptiveAvgPool2d((2, 2))", "out = self.fc(torch.flatten("),
    Mutant(RPC + "rnn/main.py", "torch.randn(nlayers, nindices, nhid)", "torch.randn(1, nindices, nhid)", RECURRENT, at=RPC + "rnn/rnn.py"),
    Mutant(RPC + "rl/main.py", "nn.Linear(4, 128)", "nn.Linear(8, 128)", "x = self.affine1(x)"),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "nn.Conv2d(32, 64, 3, 1)", "nn.Conv2d(32, 64, 5, 1)", "x = self.fc1(x)"),
    Mutant(RPC + "batch/parameter_server.py", "nn.MSELoss()", "nn.NLLLoss()", "self.loss_fn(m(inputs), labels)"),
    Mutant(RPC + "batch/reinforce.py", ".float().unsqueeze(0)", ".float()", "return F.softmax("),
    Mutant("distributed/tensor_parallelism/tensor_parallel_example.py", "nn.Linear(10, 32)", "nn.Linear(10, 64)",
           "return self.out_proj(self.relu(self.in_proj(x)))"),
    Mutant("distributed/FSDP/utils/train_utils.py", "fsdp_loss[1] += len(batch)", "fsdp_loss[2] += len(batch)", "fsdp_loss[2] += "),
    # fx
    Mutant("fx/wrap_output_dynamically.py", "torch.cat([x, y])", "torch.stack([x, y], 3)", "orig_output = traced(x, y)"),
    # legacy/snli
    Mutant("legacy/snli/model.py", "inputs.size()[1]", "inputs.size()[0]", "outputs, (ht, ct) = self.rnn("),
    Mutant("legacy/snli/train.py", "torch.max(answer, 1)[1]", "torch.max(answer, 2)[1]", "n_correct += "),
    # cpp
    Mutant("cpp/transfer-learning/convert.py", "list(model.children())[:-1]", "list(model.children())[1:]", "script_module = torch.jit.trace("),
    # as strangers would break it
    Mutant("gat/main.py", "2 * self.n_hidden, 1)", "self.n_hidden, 1)", "target_scores = torch.matmul("),
    Mutant("gat/main.py", "F.log_softmax(x, dim=1)", "F.log_softmax(x, dim=2)", "return F.log_softmax(x, dim=2)"),
    Mutant("gat/main.py", "output, target = output[mask], target[mask]", "output, target = output[mask], target", "loss = criterion(output, target)"),
    Mutant("gat/main.py", "target[mask_train])", "target[mask_train].unsqueeze(1))", "loss = criterion(output[mask_train]"),
    Mutant("gcn/main.py", "degree_mat = torch.sum(adj_mat, dim=1)", "degree_mat = torch.sum(adj_mat, dim=1, keepdim=True)",
           "adj_mat = degree_mat @ adj_mat"),
    Mutant("gcn/main.py", "output.argmax(dim=1) == target", "output.argmax(dim=0) == target", "acc = (output.argmax("),
    Mutant("gcn/main.py", "output.argmax(dim=1) == target", "output.argmax(dim=2) == target", "acc = (output.argmax("),
    Mutant("gcn/main.py", "F.log_softmax(x, dim=1)", "F.log_softmax(x, dim=1).sum(dim=1)", "loss = criterion("),
    Mutant("vae/main.py", "torch.randn_like(std)", "torch.randn(std.size(1), std.size(0))", "return mu + eps*std"),
    Mutant("vae/main.py", "torch.randn(64, 20)", "torch.randn(64, 10)", "h3 = F.relu(self.fc3(z))"),
    Mutant("vae/main.py", "sample.view(64, 1, 28, 28)", "sample.view(64, 3, 28, 28)", "save_image(sample.view("),
    Mutant("vae/main.py", "args.batch_size, 1, 28, 28)", "args.batch_size, 28, 28)", "comparison = torch.cat([data[:n]"),
    Mutant("vae/main.py", "return self.decode(z), mu, logvar", "return mu, logvar, self.decode(z)", "BCE = F.binary_cross_entropy("),
    Mutant("vae/main.py", "z = self.reparameterize(mu, logvar)", "z = self.reparameterize(mu, self.fc4(logvar))", "z = self.reparameterize(mu"),
    Mutant("mnist/main.py", "x = F.max_pool2d(x, 2)", "x = F.max_pool2d(x, 2, stride=1)", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "transforms.Normalize((0.1307,), (0.3081,))", "transforms.Normalize((0.5, 0.5), (0.5, 0.5))",
           "for batch_idx, (data, target) in enumerate(train_loader)"),
    Mutant("mnist/main.py", "nn.Conv2d(32, 64, 3, 1)", "nn.Conv2d(32, 64, 3, 2)", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "target.to(device)", "target.to(device).unsqueeze(1)", "loss = F.nll_loss(output, target)"),
    Mutant("mnist/main.py", "nn.Linear(128, 10)", "nn.Linear(10, 128)", "x = self.fc2(x)"),
    Mutant("mnist_hogwild/main.py", "x.view(-1, 320)", "x.view(320, -1)", "x = F.relu(self.fc1(x))"),
    Mutant("mnist_hogwild/main.py", "nn.Conv2d(1, 10, kernel_size=5)", "nn.Conv2d(1, 10, kernel_size=7)", "loss = F.nll_loss(output, target",
           at="mnist_hogwild/train.py"),
    Mutant("mnist_hogwild/train.py", "output.max(1)[1]", "output.max(2)[1]", "pred = output.max(2)[1]"),
    Mutant("mnist_hogwild/main.py", "return F.log_softmax(x, dim=1)", "return F.log_softmax(x, dim=1).mean(dim=0)",
           "loss = F.nll_loss(output, target", at="mnist_hogwild/train.py"),
    Mutant("mnist_hogwild/main.py", "nn.Conv2d(10, 20, kernel_size=5)", "nn.Conv2d(10, 20, kernel_size=5, groups=4)", "self.conv2 = nn.Conv2d("),
    Mutant("mnist_rnn/main.py", "input.reshape(-1, 28, 28)", "input.reshape(-1, 784)", "output, hidden = self.rnn(input)"),
    Mutant("mnist_rnn/main.py", "output = output[:, -1, :]", "output = hidden", "output = self.batchnorm(output)"),
    Mutant(FORWARD, "Net([784, 500, 500])", "Net([28 * 28 + 10, 500, 500])", RESIDUAL_GOODNESS),
    Mutant(FORWARD, "[sum(goodness).unsqueeze(1)]", "[sum(goodness)]", "goodness_per_label = torch.cat("),
    Mutant(FORWARD, "x_neg = overlay_y_on_x(x, y_neg)", "x_neg = overlay_y_on_x(x, y_neg[:-1])", "x_[range(x.shape[0]), y]"),
    Mutant(SIAMESE, "outputs = model(images_1, images_2).squeeze()", "outputs = model(images_1, images_2)", "loss = criterion(outputs, targets)"),
    Mutant(SIAMESE, "self.resnet.children())[:-1]", "self.resnet.children())[:-3]", "output = self.fc(output)"),
    Mutant("time_sequence_prediction/train.py", "seq.double()", "pass", "h_t, c_t = self.lstm1(input_t"),
    Mutant("time_sequence_prediction/train.py", "nn.Linear(51, 1)", "nn.Linear(51, 2)", "loss = criterion(out, target)"),
    Mutant("time_sequence_prediction/train.py", "self.lstm1 = nn.LSTMCell(1, 51)", "self.lstm1 = nn.LSTMCell(1, 64)",
           "h_t, c_t = self.lstm1(input_t"),
    Mutant(LANGUAGE, "nn.Linear(nhid, ntoken)", "nn.Linear(nhid, ninp)", "decoded = decoded.view(-1, self.ntoken)"),
    Mutant("word_language_model/main.py", "criterion = nn.NLLLoss()", "criterion = nn.MSELoss()", "loss = criterion(output, targets)"),
    Mutant("word_language_model/main.py", "source[i+1:i+1+seq_len].view(-1)", "source[i+1:i+1+seq_len].view(-1, 1)",
           "loss = criterion(output, targets)"),
    Mutant(LANGUAGE, "torch.ones(sz,sz)", "torch.ones(sz)", "return torch.log(torch.tril("),
    Mutant("word_language_model/generate.py", "torch.Tensor([[word_idx]])", "torch.Tensor([word_idx])", "input = torch.cat("),
    Mutant(LANGUAGE, "nn.Embedding(ntoken, ninp)", "nn.Embedding(ntoken, ninp // 2)", RECURRENT),
    Mutant("language_translation/main.py", "\"--attn_heads\", type=int, default=8", "\"--attn_heads\", type=int, default=7",
           "self.transformer = nn.Transformer(", at="language_translation/src/model.py"),
    Mutant("language_translation/main.py", "torch.max(prob, dim=1)", "torch.max(prob, dim=2)", "_, next_word = torch.max("),
    Mutant("language_translation/main.py", "tgt_out.reshape(-1)", "tgt_out", "loss = loss_fn("),
    Mutant("language_translation/src/model.py", "self.pos_enc(self.src_embedding(src))", "self.src_embedding(self.pos_enc(src))",
           "return self.dropout(token_embedding + "),
    Mutant("super_resolution/model.py", "upscale_factor ** 2", "upscale_factor", "x = self.pixel_shuffle(self.conv4(x))"),
    Mutant("super_resolution/model.py", "nn.Conv2d(64, 64, (3, 3), (1, 1), (1, 1))", "nn.Conv2d(64, 64, (3, 3), (1, 1), (0, 0))",
           "loss = criterion(model(input), target)", at="super_resolution/main.py"),
    Mutant("super_resolution/main.py", "criterion = nn.MSELoss()", "criterion = nn.NLLLoss()", "loss = criterion(model(input), target)"),
    Mutant("super_resolution/model.py", "nn.Conv2d(1, 64, (5, 5)", "nn.Conv2d(3, 64, (5, 5)", "x = self.relu(self.conv1(x))"),
    Mutant(STYLE + "transformer_net.py", "self.in2 = torch.nn.InstanceNorm2d(64", "self.in2 = torch.nn.InstanceNorm2d(32",
           "y = self.relu(self.in2(self.conv2(y)))"),
    Mutant(STYLE + "vgg.py", "range(4, 9)", "range(7, 9)", "h = self.slice2(h)"),
    Mutant(STYLE + "utils.py", ".view(-1, 1, 1)", ".view(-1, 1)", "return (batch - mean) / std"),
    Mutant(STYLE + "utils.py", "features.bmm(features_t)", "features.bmm(features)", "gram = features.bmm("),
    Mutant(STYLE + "neural_style.py", "features_x.relu2_2", "features_x.relu3_3", "content_loss = args.content_weight * mse_loss("),
    Mutant(STYLE + "neural_style.py", "content_image.unsqueeze(0)", "content_image.unsqueeze(1)", "out = self.conv2d(out)",
           at=STYLE + "transformer_net.py", after="class ConvLayer"),
    Mutant(STYLE + "transformer_net.py", "reflection_padding = kernel_size // 2", "reflection_padding = 0", "out = out + residual"),
    Mutant("dcgan/main.py", "torch.randn(batch_size, nz, 1, 1", "torch.randn(batch_size, nz", "output = self.main(input)", after="class Generator"),
    Mutant("dcgan/main.py", "nn.ConvTranspose2d(    ngf,      nc,", "nn.ConvTranspose2d(    nc,      ngf,", "output = self.main(input)",
           after="class Generator"),
    Mutant("dcgan/main.py", "nn.BatchNorm2d(ndf * 2)", "nn.BatchNorm2d(ndf * 4)", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", ".squeeze(1)", ".squeeze(2)", "return output.view(-1, 1).squeeze(2)"),
    Mutant("dcgan/main.py", "nn.ConvTranspose2d(ngf * 2,     ngf, 4, 2, 1,", "nn.ConvTranspose2d(ngf * 2,     ngf, 4, 2, 1, 2,",
           "output = self.main(input)", after="class Generator"),
    Mutant("legacy/snli/model.py", "seq_in_size *= 2", "seq_in_size *= 4", "return super(Bottle, self).forward(input)"),
    Mutant("legacy/snli/model.py", "ht[-2:].transpose(0, 1).contiguous().view(batch_size, -1)", "ht[-2:]", "out = super(Bottle, self).forward("),
    Mutant("legacy/snli/model.py", "nn.Embedding(config.n_embed, config.d_embed)", "nn.Embedding(config.n_embed, config.d_hidden)",
           "out = super(Bottle, self).forward("),
    Mutant("legacy/snli/train.py", "config.n_cells *= 2", "config.n_cells *= 1", "outputs, (ht, ct) = self.rnn(", at="legacy/snli/model.py"),
    Mutant("regression/main.py", "torch.nn.Linear(W_target.size(0), 1)", "torch.nn.Linear(W_target.size(1), 1)", "output = F.smooth_l1_loss("),
    Mutant("regression/main.py", "range(1, POLY_DEGREE+1)], 1)", "range(1, POLY_DEGREE+1)], 0)", "return x.mm(W_target)"),
    Mutant("regression/main.py", "torch.randn(POLY_DEGREE, 1) * 5", "torch.randn(POLY_DEGREE) * 5", "return x.mm(W_target)"),
    Mutant(ACTOR, "nn.Linear(128, 2)", "nn.Linear(64, 2)", "action_prob = F.softmax("),
    Mutant(ACTOR, "nn.Linear(4, 128)", "nn.Linear(3, 128)", "x = F.relu(self.affine1(x))"),
    Mutant("imagenet/main.py", "nn.CrossEntropyLoss()", "nn.BCEWithLogitsLoss()", "loss = criterion(output, target)"),
    Mutant("imagenet/main.py", "target.view(1, -1)", "target.view(-1, 1)", "correct = pred.eq("),
    Mutant("imagenet/main.py", "correct[:k].reshape(-1)", "correct[:k].view(-1)", "correct_k = correct[:k].view(-1)"),
    Mutant("imagenet/main.py", "target = target.to(device, non_blocking=True)", "target = target.to(device, non_blocking=True).unsqueeze(0)",
           "loss = criterion(output, target)"),
    Mutant("distributed/ddp/example.py", "torch.randn(20, 10)", "torch.randn(20, 5)", "return self.net2(self.relu(self.net1(x)))"),
    Mutant(DDP + "multinode.py", "F.cross_entropy(output, targets)", "F.cross_entropy(output, targets.long())", "loss = F.cross_entropy("),
    Mutant(DDP + "datautils.py", "torch.rand(1)", "torch.rand(10)", "loss = F.cross_entropy(", at=DDP + "single_gpu.py"),
    Mutant(DDP + "multigpu_torchrun.py", "F.cross_entropy(output, targets)", "F.nll_loss(output, targets)", "loss = F.nll_loss("),
    Mutant("distributed/FSDP2/model.py", "values = values.transpose(1, 2)", "pass", "output = F.scaled_dot_product_attention("),
    Mutant("distributed/FSDP2/model.py", "nn.Linear(hidden_dim, dim)", "nn.Linear(dim, hidden_dim)", "return self.resid_dropout(self.w2("),
    Mutant("distributed/FSDP2/model.py", "self.norm = nn.LayerNorm(args.dim)", "self.norm = nn.LayerNorm(args.vocab_size)", "h = self.norm(h)"),
    Mutant("distributed/FSDP2/example.py", "torch.randint(0, vocab_size, (batch_size, seq_len), device=device)",
           "torch.rand(batch_size, seq_len, device=device)", "h = self.tok_embeddings(tokens)", at="distributed/FSDP2/model.py"),
    Mutant("distributed/FSDP2/model.py", "queries.view(bsz, seq_len, self.n_heads, self.head_dim)", "queries.view(bsz, self.n_heads, self.head_dim)",
           "queries = queries.view(bsz"),
    Mutant("distributed/FSDP/utils/train_utils.py", "fsdp_loss = torch.zeros(2)", "fsdp_loss = torch.zeros(1)", "fsdp_loss[1] += len(batch)"),
    Mutant("distributed/tensor_parallelism/sequence_parallel_example.py", "nn.Linear(32, 5)", "nn.Linear(16, 5)", "return self.out_proj("),
    Mutant("distributed/tensor_parallelism/fsdp_tp_example.py", "n_heads=16", "n_heads=12", "xq_ = torch.view_as_complex(", at=LLAMA),
    Mutant(LLAMA, "F.silu(self.w1(x)) * self.w3(x)", "self.w3(F.silu(self.w1(x)))", "return self.w2(self.w3("),
    Mutant(LLAMA, "output.view(bsz, seqlen, -1)", "output.view(bsz, -1)", "return self.wo(output)"),
    Mutant(LLAMA, "xv = values.transpose(1, 2)", "xv = values", "output = F.scaled_dot_product_attention("),
    Mutant(LLAMA, "torch.outer(t, freqs)", "torch.outer(t, freqs.unsqueeze(0))", "freqs = torch.outer("),
    Mutant(GPT + "model.py", "targets.view(-1)", "targets", "loss = F.cross_entropy("),
    Mutant(GPT + "model.py", "self.mask[0, 0, :seq_size, :seq_size]", "self.mask[:, :, :seq_size, :seq_size]", "y = self.attn(x, x, x"),
    Mutant(GPT + "model.py", "nn.Linear(config.n_embd, config.n_embd, device", "nn.Linear(config.n_embd, 3 * config.n_embd, device",
           "x = x + self.attn(self.ln1(x))"),
    Mutant(GPT + "char_dataset.py", "torch.tensor(dix[1:]", "torch.tensor(dix[:]", "loss = F.cross_entropy(", at=GPT + "model.py"),
    Mutant(GPT + "model.py", "self.mask[0, 0, :seq_size, :seq_size]", "self.mask[0, 0, :, :seq_size - 1]", "y = self.attn(x, x, x"),
    Mutant(RPC + "batch/parameter_server.py", ".view(batch_size, 1)", ".view(batch_size)", ".scatter_(1, self.one_hot_indices"),
    Mutant(RPC + "batch/reinforce.py", "torch.zeros(len(self.ob_rrefs), 1, 4)", "torch.zeros(len(self.ob_rrefs), 1, 3)",
           "self.states[ob_id].copy_(state)"),
    Mutant(RPC + "rl/main.py", ".float().unsqueeze(0)", ".float()", "return F.softmax(action_scores, dim=1)"),
    Mutant(RPC + "pipeline/main.py", "torch.randn(batch_size, 3, image_w, image_h)", "torch.randn(batch_size, image_w, image_h, 3)",
           "out =  self.seq(x)", after="class ResNetShard1"),
    Mutant(RPC + "pipeline/main.py", "512 * self._block.expansion, num_classes", "512, num_classes", "out = self.fc(torch.flatten("),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "F.max_pool2d(x, 2)", "F.max_pool2d(x, 3)", "x = self.fc1(x)"),
    Mutant(RPC + "rnn/main.py", "torch.LongTensor(batch, ntoken)", "torch.LongTensor(batch)", "loss = criterion(output, target)"),
    Mutant("cpp/transfer-learning/convert.py", "torch.rand(1, 3, 224, 224)", "torch.rand(1, 224, 224, 3)", "script_module = torch.jit.trace("),
    Mutant("cpp/dcgan/display_samples.py", ".reshape(28, 28)", ".reshape(28, 28)[0, 0, 0]", "image = images[index]"),
    Mutant("gat/main.py", "source_scores + target_scores.mT", "source_scores + target_scores.squeeze(-1)", "e = source_scores + target_scores"),
    Mutant("gat/main.py", "criterion = nn.NLLLoss()", "criterion = nn.BCELoss()", "loss = criterion(output[mask_train]"),
    Mutant("gat/main.py", "in_features=features.shape[1],", "in_features=features.shape[1] + 1,", "h_transformed = torch.mm(h, self.W)"),
    Mutant("gcn/main.py", "criterion = nn.NLLLoss()", "criterion = nn.MSELoss()", "loss = criterion(output[mask_train]"),
    Mutant("gcn/main.py", "criterion, (features, adj_mat), labels", "criterion, (adj_mat, features), labels", "support = torch.mm(input_tensor"),
    Mutant("vae/main.py", "nn.Linear(400, 784)", "nn.Linear(400, 28)", "BCE = F.binary_cross_entropy("),
    Mutant("vae/main.py", "return mu + eps*std", "return torch.cat([mu, eps*std])", "BCE = F.binary_cross_entropy("),
    Mutant("vae/main.py", "mu.pow(2) - logvar.exp()", "mu.pow(2) @ logvar.exp()", "KLD = -0.5 * torch.sum("),
    Mutant("mnist/main.py", "torch.flatten(x, 1)", "torch.flatten(x)", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "output = F.log_softmax(x, dim=1)", "output = F.log_softmax(x.view(-1), dim=0)", "loss = F.nll_loss(output, target)"),
    Mutant("mnist_hogwild/train.py", "model(data.to(device))", "model(data.to(device).squeeze(1))", "x = F.relu(F.max_pool2d(self.conv1(x), 2))",
           at="mnist_hogwild/main.py"),
    Mutant("mnist_hogwild/main.py", "nn.Linear(320, 50)", "nn.Linear(50, 320)", "x = F.relu(self.fc1(x))"),
    Mutant("mnist_rnn/main.py", "nn.BatchNorm1d(64)", "nn.BatchNorm2d(64)", "output = self.batchnorm(output)"),
    Mutant("mnist_rnn/main.py", "output[:, -1, :]", "output[-1, :, :]", "loss = F.nll_loss(output, target)"),
    Mutant(SIAMESE, "return image_1, image_2, target", "return image_1, target, image_2", "output = self.resnet(x)"),
    Mutant(SIAMESE, "criterion = nn.BCELoss()", "criterion = nn.NLLLoss()", "loss = criterion(outputs, targets)"),
    Mutant(SIAMESE, "model = SiameseNetwork().to(device)",
           "model = SiameseNetwork().to(device); model.load_state_dict(torchvision.models.resnet18().state_dict())", "model = SiameseNetwork()"),
    Mutant("time_sequence_prediction/train.py", "data[3:, 1:]", "data[3:, 2:]", "loss = criterion(out, target)"),
    Mutant("time_sequence_prediction/train.py", "criterion(pred[:, :-future], test_target)", "criterion(pred, test_target)", "loss = criterion(pred"),
    Mutant("word_language_model/main.py", "nbatch * bsz)", "nbatch * bsz + 1)", "data = data.view(bsz"),
    Mutant(LANGUAGE, "(weight.new_zeros(self.nlayers, bsz, self.nhid)", "(weight.new_zeros(self.nlayers, self.nhid, bsz)", RECURRENT),
    Mutant("word_language_model/main.py", "hidden = model.init_hidden(eval_batch_size)", "hidden = model.init_hidden(args.batch_size)", RECURRENT,
           at=LANGUAGE),
    Mutant("language_translation/main.py", "logits.reshape(-1, logits.shape[-1])", "logits.reshape(-1)", "loss = loss_fn("),
    Mutant("super_resolution/data.py", "target_transform=target_transform(crop_size)",
           "target_transform=target_transform(crop_size // upscale_factor)", "loss = criterion(model(input), target)", at="super_resolution/main.py"),
    Mutant(STYLE + "utils.py", "features.transpose(1, 2)", "features.transpose(0, 1)", "gram = features.bmm("),
    Mutant(STYLE + "neural_style.py", "zip(features_y, gram_style)", "zip(features_y, gram_style[1:])", "style_loss += mse_loss("),
    Mutant(STYLE + "transformer_net.py", "upsample=2)", "upsample=4)", "content_loss = args.content_weight * mse_loss(",
           at=STYLE + "neural_style.py"),
    Mutant(STYLE + "neural_style.py", "utils.save_image(args.output_image, output[0])", "utils.save_image(args.output_image, output)",
           "img = img.transpose(1, 2, 0)", at=STYLE + "utils.py"),
    Mutant(STYLE + "neural_style.py", "style_model.load_state_dict(state_dict)", "style_model.load_state_dict(Vgg16().state_dict())",
           "style_model.load_state_dict("),
    Mutant("dcgan/main.py", "nn.Conv2d(ndf * 8, 1, 4, 1, 0", "nn.Conv2d(ndf * 8, 1, 3, 1, 0", "errD_real = criterion(output, label)"),
    Mutant("dcgan/main.py", "nn.Conv2d(ndf * 4, ndf * 8,", "nn.Conv2d(ndf * 8, ndf * 4,", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "label.fill_(fake_label)", "label = torch.full((batch_size // 2,), float(fake_label), device=device)",
           "errD_fake = criterion(output, label)"),
    Mutant("legacy/snli/model.py", "lin_config = [seq_in_size]*2", "lin_config = [seq_in_size, config.d_hidden]",
           "return super(Bottle, self).forward(input)"),
    Mutant("legacy/snli/train.py", "criterion(answer, batch.label)", "criterion(answer, batch.label.unsqueeze(1))", "loss = criterion(answer"),
    Mutant("legacy/snli/model.py", "bidirectional=config.birnn)", "bidirectional=config.birnn, batch_first=True)", "outputs, (ht, ct) = self.rnn("),
    Mutant("regression/main.py", "y = f(x)", "y = f(x.t())", "return x.mm(W_target)"),
    Mutant("reinforcement_learning/reinforce.py", "probs = policy(state)", "probs = policy(state.squeeze(0))", "return F.softmax("),
    Mutant(ACTOR, "torch.stack(value_losses)", "torch.cat(value_losses)", "loss = torch.stack(policy_losses)"),
    Mutant(ACTOR, "nn.Linear(128, 1)", "nn.Linear(128, 2)", "advantage = R - value.item()"),
    Mutant("imagenet/main.py", "FakeData(1281167, (3, 224, 224)", "FakeData(1281167, (1, 224, 224)", "output = model(images)"),
    Mutant("imagenet/main.py", "mean=[0.485, 0.456, 0.406]", "mean=[0.485, 0.456, 0.406, 0.5]", "for i, (images, target) in enumerate(train_loader)"),
    Mutant("distributed/ddp/example.py", "nn.Linear(10, 5)", "nn.Linear(5, 10)", "return self.net2(self.relu("),
    Mutant("distributed/ddp/example.py", "loss_fn = nn.MSELoss()", "loss_fn = nn.NLLLoss()", "loss_fn(outputs, labels).backward()"),
    Mutant(DDP + "multigpu.py", "F.cross_entropy(output, targets)", "F.cross_entropy(output.squeeze(), targets)", "loss = F.cross_entropy("),
    Mutant("distributed/FSDP2/model.py", "self.wo = nn.Linear(args.dim, args.dim", "self.wo = nn.Linear(args.dim, 2 * args.dim",
           "h = x + self.attention("),
    Mutant("distributed/tensor_parallelism/fsdp_tp_example.py", "torch.randint(32000, (8, 256)", "torch.randint(32000, (8, 256, 1)",
           "_bsz, seqlen = tokens.shape", at=LLAMA),
    Mutant(LLAMA, "self.w2 = nn.Linear(hidden_dim, dim", "self.w2 = nn.Linear(dim, dim", "return self.w2(F.silu("),
    Mutant(LLAMA, "xk.float().reshape(*xk.shape[:-1], -1, 2)", "xk.float().reshape(*xk.shape[:-1], -1, 4)", "xk_ = torch.view_as_complex("),
    Mutant(GPT + "model.py", "torch.zeros(1, config.block_size, config.n_embd", "torch.zeros(1, config.n_embd, config.block_size",
           "return self.drop(token_embeddings + position"),
    Mutant(GPT + "trainer.py", "self.model(source, targets)", "self.model(source.unsqueeze(1), targets)", "b, t = idx.size()", at=GPT + "model.py"),
    Mutant(RPC + "batch/parameter_server.py", "torch.randn(batch_size, 3, image_w, image_h)", "torch.randn(batch_size, 1, image_w, image_h)",
           "self.loss_fn(m(inputs), labels)"),
    Mutant(RPC + "batch/reinforce.py", "self.dim = 2 if batch else 1", "self.dim = 2", "return F.softmax("),
    Mutant(RPC + "rl/main.py", "nn.Linear(128, 2)", "nn.Linear(256, 2)", "action_scores = self.affine2(x)"),
    Mutant(RPC + "pipeline/main.py", "Bottleneck, 512", "Bottleneck, 256", "out = self.fc(torch.flatten("),
    Mutant(RPC + "ddp_rpc/main.py", "torch.LongTensor(offsets)", "torch.Tensor(offsets)", "emb_lookup = self.remote_emb_module.forward("),
    Mutant(RPC + "rnn/main.py", "torch.LongTensor(batch, ntoken)", "torch.LongTensor(ntoken, batch)", "loss = criterion(output, target)"),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "target = target.to(model_output.device)",
           "target = target.to(model_output.device).float()", "loss = F.nll_loss("),
    Mutant("cpp/transfer-learning/convert.py", "list(model.children())[:-1]", "list(model.children())[:-1][::-1]",
           "script_module = torch.jit.trace("),
    Mutant("vae/main.py", "args.batch_size, 1, 28, 28)", "args.batch_size // 3, 1, 28, 28)", "recon_batch.view(args.batch_size // 3"),
    Mutant(RPC + "pipeline/main.py", "nn.Conv2d(3, self.inplanes, kernel_size=7", "nn.Conv2d(1, self.inplanes, kernel_size=7", "out =  self.seq(x)"),
    Mutant("gat/main.py", "h_transformed.view(n_nodes, self.n_heads, self.n_hidden)", "h_transformed.view(self.n_heads, self.n_hidden)",
           "h_transformed = h_transformed.view("),
    Mutant("gat/main.py", "in_features=n_hidden, out_features=num_classes, n_heads=1",
           "in_features=2 * n_hidden, out_features=num_classes, n_heads=1", "h_transformed = torch.mm(h, self.W)"),
    Mutant("gat/main.py", "torch.mm(h, self.W)", "torch.mm(h, self.W.t())", "h_transformed = torch.mm(h, self.W.t())"),
    Mutant("gcn/main.py", "F.log_softmax(x, dim=1)", "F.log_softmax(x, dim=-3)", "return F.log_softmax("),
    Mutant("vae/main.py", "nn.Linear(784, 400)", "nn.Linear(784, 40)", "return self.fc21(h1), self.fc22(h1)"),
    Mutant("vae/main.py", "self.fc22 = nn.Linear(400, 20)", "self.fc22 = nn.Linear(400, 2)", "return mu + eps*std"),
    Mutant("vae/main.py", "torch.randn(64, 20)", "torch.randn(64, 20, dtype=torch.float64)", "h3 = F.relu(self.fc3(z))"),
    Mutant("mnist/main.py", "output = model(data)", "output = model(data.double())", "x = self.conv1(x)"),
    Mutant("mnist/main.py", "nn.Conv2d(1, 32, 3, 1)", "nn.Conv2d(1, 32, 3, 1, padding=1)", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "for batch_idx, (data, target) in enumerate(train_loader)", "for batch_idx, (target, data) in enumerate(train_loader)",
           "x = self.conv1(x)"),
    Mutant("mnist_hogwild/main.py", "x = x.view(-1, 320)", "pass", "x = F.relu(self.fc1(x))"),
    Mutant("mnist_rnn/main.py", "output, hidden = self.rnn(input)", "hidden, output = self.rnn(input)", "output = output[:, -1, :]"),
    Mutant(FORWARD, "Lambda(lambda x: torch.flatten(x)),", "Lambda(lambda x: torch.flatten(x)[:700]),", RESIDUAL_GOODNESS),
    Mutant(FORWARD, "h_pos, h_neg = layer.train(h_pos, h_neg)", "h_pos, h_neg = layer.train(h_pos[0], h_neg)", "x_direction = x / ("),
    Mutant(SIAMESE, "kernel_size=(7, 7), stride=(2, 2), padding=(3, 3)", "kernel_size=(29, 29), stride=(2, 2), padding=(0, 0)",
           "output = self.resnet(x)"),
    Mutant(SIAMESE, "targets = images_1.to(device), images_2.to(device), targets.to(device)",
           "targets = images_1.to(device), images_2.to(device), targets.long().to(device)", "loss = criterion(outputs, targets)"),
    Mutant("time_sequence_prediction/train.py", "h_t = torch.zeros(input.size(0), 51, dtype=torch.double)", "h_t = torch.zeros(input.size(0), 51)",
           "h_t, c_t = self.lstm1(input_t"),
    Mutant("time_sequence_prediction/train.py", "h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))", "h_t2, c_t2 = self.lstm2(input_t, (h_t2, c_t2))",
           "h_t2, c_t2 = self.lstm2(input_t"),
    Mutant(LANGUAGE, "self.nhid = nhid", "self.nhid = 2 * nhid", RECURRENT),
    Mutant("word_language_model/main.py", "data = source[i:i+seq_len]", "data = source[i:i+seq_len].view(-1)", RECURRENT, at=LANGUAGE),
    Mutant(LANGUAGE, "d_model=ninp, nhead=nhead", "d_model=ninp + 1, nhead=nhead", "super(TransformerModel, self).__init__("),
    Mutant("language_translation/src/model.py", "nn.Linear(embed_size, tgt_vocab_size)", "nn.Linear(2 * embed_size, tgt_vocab_size)",
           "return self.ff(outs)"),
    Mutant("language_translation/src/data.py", "torch.ones((size, size), device=device)", "torch.ones(size, device=device)", "mask = (torch.triu("),
    Mutant("language_translation/main.py", "dim=0)", "dim=2)", "ys = torch.cat("),
    Mutant("super_resolution/model.py", "nn.Conv2d(64, 32, (3, 3), (1, 1), (1, 1))", "nn.Conv2d(64, 32, (3, 3), (2, 2), (1, 1))",
           "loss = criterion(model(input), target)", at="super_resolution/main.py"),
    Mutant("super_resolution/model.py", "nn.PixelShuffle(upscale_factor)", "nn.PixelShuffle(2 * upscale_factor)",
           "x = self.pixel_shuffle(self.conv4(x))"),
    Mutant("super_resolution/main.py", "input, target = batch[0].to(device), batch[1].to(device)",
           "target, input = batch[0].to(device), batch[1].to(device)", "loss = criterion(model(input), target)"),
    Mutant(STYLE + "transformer_net.py", "self.conv3 = ConvLayer(64, 128", "self.conv3 = ConvLayer(128, 64", "out = self.conv2d(out)",
           after="class ConvLayer"),
    Mutant(STYLE + "transformer_net.py", "self.in5 = torch.nn.InstanceNorm2d(32", "self.in5 = torch.nn.InstanceNorm2d(3",
           "y = self.relu(self.in5(self.deconv2(y)))"),
    Mutant("dcgan/main.py", "nn.BatchNorm2d(ngf * 8)", "nn.BatchNorm2d(ngf)", "output = self.main(input)", after="class Generator"),
    Mutant("dcgan/main.py", "dtype=real_cpu.dtype", "dtype=torch.long", "errD_real = criterion(output, label)"),
    Mutant("legacy/snli/model.py", "input_size=input_size, hidden_size=config.d_hidden", "input_size=config.d_embed, hidden_size=config.d_hidden",
           "outputs, (ht, ct) = self.rnn("),
    Mutant("legacy/snli/train.py", "torch.max(answer, 1)[1]", "torch.max(answer, 0)[1]", "n_correct += "),
    Mutant("regression/main.py", "torch.randn(POLY_DEGREE, 1) * 5", "torch.randn(1, POLY_DEGREE) * 5", "return x.mm(W_target)"),
    Mutant("reinforcement_learning/reinforce.py", "nn.Linear(128, 2)", "nn.Linear(2, 128)", "action_scores = self.affine2(x)"),
    Mutant("imagenet/main.py", "transforms.ToTensor(),", "transforms.ToTensor(), transforms.Grayscale(1),",
           "for i, (images, target) in enumerate(train_loader)"),
    Mutant("imagenet/main.py", "acc1, acc5 = accuracy(output, target, topk=(1, 5))", "acc1, acc5 = accuracy(output, target, topk=(1,))",
           "acc1, acc5 = accuracy(output, target, topk=(1,))"),
    Mutant("distributed/ddp/example.py", "torch.randn(20, 10)", "torch.randn(20, 10).double()", "return self.net2(self.relu(self.net1(x)))"),
    Mutant(DDP + "datautils.py", "torch.rand(20)", "torch.rand(20, dtype=torch.float64)", "output = self.model(source)", at=DDP + "single_gpu.py"),
    Mutant("distributed/FSDP2/model.py", "output.transpose(1, 2).contiguous().view(bsz, seq_len, -1)", "output",
           "return self.resid_dropout(self.wo(output))"),
    Mutant("distributed/FSDP2/model.py", "nn.Embedding(args.max_seq_len, args.dim)", "nn.Embedding(args.dim, args.max_seq_len)", "h = h + p"),
    Mutant("distributed/FSDP2/model.py", "keys.view(bsz, seq_len, self.n_heads, self.head_dim)", "keys.view(bsz, seq_len, self.n_heads, -1, 3)",
           "keys = keys.view("),
    Mutant(LLAMA, "self.w3 = nn.Linear(dim, hidden_dim", "self.w3 = nn.Linear(dim, dim", "return self.w2(F.silu("),
    Mutant(LLAMA, "self.weight = nn.Parameter(torch.ones(dim))", "self.weight = nn.Parameter(torch.ones(dim + 1))", "return output * self.weight"),
    Mutant("distributed/tensor_parallelism/sequence_parallel_example.py", "inp = torch.rand(20, 10", "inp = torch.rand(20, 32",
           "return self.out_proj("),
    Mutant(GPT + "model.py", "logits.view(-1, logits.size(-1))", "logits.view(logits.size(-1), -1)", "loss = F.cross_entropy("),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "nn.Linear(128, 10)", "nn.Linear(64, 10)", "x = self.fc2(x)"),
    Mutant(RPC + "ddp_rpc/main.py", "self.remote_emb_module.forward(indices, offsets)", "self.remote_emb_module.forward(indices)",
           "emb_lookup = self.remote_emb_module.forward("),
    Mutant(RPC + "rl/main.py", "nn.Linear(4, 128)", "nn.Linear(128, 4)", "x = self.affine1(x)"),
    Mutant(RPC + "pipeline/main.py", "nn.AdaptiveAvgPool2d((1, 1))", "nn.AdaptiveAvgPool2d((2, 1))", "out = self.fc(torch.flatten("),
    Mutant("vae/main.py", "args.batch_size, 1, 28, 28)", "args.batch_size, 28, 1, 28)", "comparison = torch.cat([data[:n]"),
    Mutant("mnist_rnn/main.py", "F.nll_loss(output, target)", "F.cross_entropy(output.t(), target)", "loss = F.cross_entropy(output.t()"),
    Mutant(GPT + "model.py", "self.head = nn.Linear(config.n_embd,", "self.head = nn.Linear(config.block_size,", "logits = self.head(x)"),
    Mutant(RPC + "batch/reinforce.py", "nn.Linear(128, 2)", "nn.Linear(12, 2)", "action_scores = self.affine2(x)"),
    Mutant(STYLE + "transformer_net.py", "self.deconv3 = ConvLayer(32, 3,", "self.deconv3 = ConvLayer(64, 3,", "out = self.conv2d(out)",
           after="class ConvLayer"),
    Mutant("imagenet/main.py", "criterion(output, target)", "criterion(target, output)", "loss = criterion(target, output)"),
    Mutant("language_translation/src/model.py", "d_model=embed_size,", "d_model=embed_size // 2,", "outs = self.transformer("),
    Mutant("reinforcement_learning/reinforce.py", "torch.cat(policy_loss)", "torch.stack(policy_loss, 2)",
           "policy_loss = torch.stack(policy_loss, 2)"),
    Mutant("distributed/FSDP2/example.py", "(batch_size, seq_len), device=device)", "(batch_size, seq_len), device=device).float()",
           "h = self.tok_embeddings(tokens)", at="distributed/FSDP2/model.py"),
    Mutant(LANGUAGE, "nn.Embedding(ntoken, ninp)\n        if", "nn.Embedding(ninp, ntoken)\n        if", RECURRENT),
    Mutant("mnist/main.py", "x = F.max_pool2d(x, 2)", "x = F.max_pool2d(x, 2, 1)", "x = self.fc1(x)"),
    Mutant("mnist/main.py", "x = F.max_pool2d(x, 2)", "x = F.max_pool2d(2, x)", "x = F.max_pool2d(2, x)"),
    Mutant("mnist/main.py", "torch.flatten(x, 1)", "torch.flatten(x, start=1)", "torch.flatten(x, start=1)"),
    Mutant("mnist/main.py", "F.nll_loss(output, target)", "F.nll_loss(output, target.unsqueeze(1))", "loss = F.nll_loss(output"),
    Mutant("mnist/main.py", "target, reduction='sum'", "target, reductions='sum'", "test_loss += F.nll_loss("),
    Mutant("mnist/main.py", "data, target = data.to(device), target.to(device)", "data, target = data.to(device), F.one_hot(target).to(device)",
           "loss = F.nll_loss(output"),
    Mutant("vae/main.py", "return self.decode(z), mu, logvar", "return self.decode(z), (mu, logvar)", "recon_batch, mu, logvar = model(data)"),
    Mutant("vae/main.py", "loss_function(recon_batch, data, mu, logvar)", "loss_function(mu, data, recon_batch, logvar)",
           "BCE = F.binary_cross_entropy("),
    Mutant("vae/main.py", "model.decode(sample)", "model(sample)", "mu, logvar = self.encode("),
    Mutant("vae/main.py", "return self.fc21(h1), self.fc22(h1)", "return self.fc21(x), self.fc22(h1)", "return self.fc21(x), self.fc22(h1)"),
    Mutant("dcgan/main.py", "nn.Conv2d(ndf * 8, 1, 4, 1, 0", "nn.Conv2d(ndf * 8, 1, 5, 1, 0", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "output = netD(fake.detach())", "output = netD(noise)", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "nz, ngf * 8, 4, 1, 0", "nz, ngf * 8, 3, 1, 0", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "netG = Generator(ngpu)", "netG = Generator()", "netG = Generator()"),
    Mutant("super_resolution/super_resolve.py", ".view(1, -1, y.size[1], y.size[0])", ".view(1, 3, y.size[1], y.size[0])",
           "input = img_to_tensor(y).view(1, 3"),
    Mutant("super_resolution/data.py", "Resize(crop_size // upscale_factor),\n        ToTensor(),", "Resize(crop_size // upscale_factor),",
           "for iteration, batch in enumerate(training_data_loader, 1):", at="super_resolution/main.py"),
    Mutant("super_resolution/main.py", "prediction = model(input)", "prediction = model(target)", "mse = criterion(prediction, target)"),
    Mutant("regression/main.py", "return torch.cat([x ** i", "return torch.stack([x ** i", "return x.mm(W_target)"),
    Mutant(LANGUAGE, "self.pe[:x.size(0), :]", "self.pe[:x.size(1), :]", "x = x + self.pe["),
    Mutant("word_language_model/main.py", "batchify(corpus.test, eval_batch_size)", "batchify(corpus.test, args.batch_size)", RECURRENT, at=LANGUAGE),
    Mutant("word_language_model/main.py", "data.view(bsz, -1).t().contiguous()", "data.view(bsz, -1).contiguous()", RECURRENT, at=LANGUAGE),
    Mutant("word_language_model/main.py", "output, hidden = model(data, hidden)\n        loss", "hidden, output = model(data, hidden)\n        loss",
           "loss = criterion(output, targets)"),
    Mutant("word_language_model/main.py", "'--nhead', type=int, default=2", "'--nhead', type=int, default=3", "super(TransformerModel, self).__init__(",
           at=LANGUAGE),
    Mutant("word_language_model/generate.py", "torch.randint(ntokens, (1, 1)", "torch.randint(ntokens, (1,)", RECURRENT, at=LANGUAGE),
    Mutant("mnist_rnn/main.py", "output[:, -1, :]", "output[:, -1:, :]", "output = self.batchnorm(output)"),
    Mutant("mnist_rnn/main.py", "F.nll_loss(output, target)", "F.nll_loss(output, target.float())", "loss = F.nll_loss("),
    Mutant("mnist_hogwild/main.py", "self.conv2_drop(self.conv2(x)), 2)", "self.conv2_drop(self.conv2(x)), 3)", "loss = F.nll_loss(output, target",
           at="mnist_hogwild/train.py"),
    Mutant("mnist_hogwild/main.py", "test(args, model, device, dataset2, kwargs)", "test(args, model, device, kwargs, dataset2)",
           "test_loader = torch.utils.data.DataLoader(", at="mnist_hogwild/train.py"),
    Mutant("time_sequence_prediction/train.py", "out = seq(input)", "out = seq(test_input)", "loss = criterion(out, target)"),
    Mutant(SIAMESE, "output.view(output.size()[0], -1)", "output.view(output.size()[1], -1)", "output = self.fc(output)"),
    Mutant(SIAMESE, "stride=(2, 2), padding=(3, 3), bias=False)", "strides=(2, 2), padding=(3, 3), bias=False)", "self.resnet.conv1 = nn.Conv2d("),
    Mutant(FORWARD, "Layer(dims[d], dims[d + 1])", "Layer(dims[0], dims[d + 1])", RESIDUAL_GOODNESS),
    Mutant(FORWARD, "return self.forward(x_pos).detach(), self.forward(x_neg).detach()", "return self.forward(x_pos).detach()",
           "h_pos, h_neg = layer.train("),
    Mutant(FORWARD, "x_[range(x.shape[0]), y]", "x_[range(x.shape[1]), y]", "x_[range(x.shape[1]), y]"),
    Mutant("gat/main.py", "self.a[:, :self.n_hidden, :]", "self.a[:self.n_hidden, :, :]", "source_scores = torch.matmul("),
    Mutant("gat/main.py", "self.n_heads, self.n_hidden).permute(1, 0, 2)", "self.n_heads, self.n_hidden)", "source_scores = torch.matmul("),
    Mutant("gat/main.py", "in_features=features.shape[1]", "in_features=features.shape[0]", "h_transformed = torch.mm(h, self.W)"),
    Mutant("gat/main.py", "output, target = output[mask], target[mask]", "output = output[mask]", "loss = criterion(output, target)"),
    Mutant("gcn/main.py", "x = self.gc2(x, adj_mat)", "x = self.gc2(adj_mat, x)", "support = torch.mm("),
    Mutant("gcn/main.py", "GraphConv(hidden_dim, output_dim", "GraphConv(input_dim, output_dim", "support = torch.mm("),
    Mutant("gcn/main.py", "features = scale_vector @ features", "features = features @ scale_vector", "features = features @ scale_vector"),
    Mutant(STYLE + "vgg.py", "range(9, 16)", "range(11, 16)", "h = self.slice3(h)"),
    Mutant(STYLE + "transformer_net.py", "UpsampleConvLayer(64, 32, kernel_size=3, stride=1, upsample=2)",
           "UpsampleConvLayer(64, 32, kernel_size=3, stride=1)", "content_loss = args.content_weight", at=STYLE + "neural_style.py"),
    Mutant(ACTOR, "probs, state_value = model(state)", "state_value, probs = model(state)", "advantage = R - value.item()"),
    Mutant(ACTOR, "return action_prob, state_values", "return action_prob", "m = Categorical(probs)"),
    Mutant("legacy/snli/model.py", "torch.cat([premise, hypothesis], 1)", "torch.stack([premise, hypothesis], 1)",
           "out = super(Bottle, self).forward(input.view("),
    Mutant("legacy/snli/model.py", "seq_in_size = 2*config.d_hidden", "seq_in_size = config.d_hidden", "return super(Bottle, self).forward(input)"),
    Mutant("imagenet/main.py", "transforms.RandomResizedCrop(224),", "", "for i, (images, target) in enumerate(train_loader)"),
    Mutant("distributed/ddp/example.py", "torch.randn(20, 5)", "torch.randn(20)", "loss_fn(outputs, labels).backward()"),
    Mutant(DDP + "datautils.py", "torch.rand(1)", "torch.rand(5)", "loss = F.cross_entropy(output, targets)", at=DDP + "single_gpu.py"),
    Mutant(DDP + "multigpu_torchrun.py", "output = self.model(source)", "output = self.model(targets)", "output = self.model(targets)"),
    Mutant(DDP + "multinode.py", "for source, targets in self.train_data", "for targets, source in self.train_data", "output = self.model(source)"),
    Mutant("distributed/FSDP2/model.py", "_bsz, seq_len = tokens.size()", "seq_len, _bsz = tokens.size()", "h = h + p"),
    Mutant("distributed/FSDP2/model.py", "self.w2 = nn.Linear(hidden_dim, dim)", "self.w2 = nn.Linear(hidden_dim, hidden_dim)", "out = h + self.feed_forward("),
    Mutant("distributed/FSDP2/model.py", "queries = queries.transpose(1, 2)", "pass", "output = F.scaled_dot_product_attention("),
    Mutant(GPT + "model.py", "nn.Linear(4 * config.n_embd, config.n_embd)", "nn.Linear(4 * config.n_embd, 4 * config.n_embd)",
           "x = x + self.mlp(self.ln2(x))"),
    Mutant(GPT + "trainer.py", "self.model(source, targets)", "self.model(source, targets.float())", "loss = F.cross_entropy(", at=GPT + "model.py"),
    Mutant(GPT + "gpt2_train_cfg.yaml", "n_head: 8", "n_head: 7", "assert config.n_embd % config.n_head == 0", at=GPT + "model.py"),
    Mutant(RPC + "rnn/rnn.py", "self.decoder_rref, output)", "self.decoder_rref, hidden)", "return self.decoder(self.drop(output))"),
    Mutant(RPC + "rnn/rnn.py", "nlayers, dropout=dropout)", "nlayers, drop_out=dropout)", "self.rnn = nn.LSTM("),
    Mutant(RPC + "batch/parameter_server.py", "torch.zeros(batch_size, num_classes)", "torch.zeros(num_classes, batch_size)", "self.loss_fn(m(inputs), labels)"),
    Mutant(RPC + "batch/reinforce.py", "torch.zeros(len(self.ob_rrefs), 1, 4)", "torch.zeros(len(self.ob_rrefs), 4)", "self.states[ob_id].copy_(state)"),
    Mutant(RPC + "batch/reinforce.py", "for ret in rets]).cuda().t()", "for ret in rets]).cuda()", "policy_loss = -probs * rewards"),
    Mutant(RPC + "ddp_rpc/main.py", "EMBEDDING_DIM = 16", "EMBEDDING_DIM = 8", "return self.fc(emb_lookup"),
    Mutant(RPC + "rl/main.py", "torch.cat(policy_loss)", "torch.cat(policy_loss, 1)", "policy_loss = torch.cat(policy_loss, 1)"),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "torch.flatten(x, 1)", "torch.flatten(x)", "x = self.fc1(x)"),
    Mutant(LLAMA, "self.freqs_cis[0:seqlen]", "self.freqs_cis", "assert freqs_cis.shape == (x.shape[1], x.shape[-1])"),
    Mutant(LLAMA, "xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)", "xq_out = torch.view_as_real(xq_ * freqs_cis)",
           "output = F.scaled_dot_product_attention("),
    Mutant(LLAMA, "xq.float().reshape(*xq.shape[:-1], -1, 2)", "xq.float().reshape(*xq.shape[:-1], 2, -1)", "xq_ = torch.view_as_complex("),
    Mutant("distributed/tensor_parallelism/tensor_parallel_example.py", "nn.Linear(32, 5)", "nn.Linear(10, 5)", "return self.out_proj("),
    Mutant("language_translation/main.py", "torch.ones(1, 1).type_as", "torch.ones(1).type_as", "ys = torch.cat([ys"),
    Mutant("language_translation/main.py", "tgt_out = tgt[1:, :]", "tgt_out = tgt[:, 1:]", "loss = loss_fn("),
    Mutant("distributed/FSDP/summarization_dataset.py", 'source["input_ids"].squeeze()', 'source["input_ids"]', "output = model(input_ids=",
           at="distributed/FSDP/utils/train_utils.py"),
    Mutant("vae/main.py", "save_image(sample.view(64, 1, 28, 28)", "save_image(sample.view(args.batch_size, 1, 28, 28)", "save_image(sample.view(args.batch"),
    Mutant("mnist/main.py", "train(args, model, device, train_loader, optimizer, epoch)\n        test", "train(args, model, train_loader, device, optimizer, epoch)\n        test",
           "for batch_idx, (data, target) in enumerate(train_loader)"),
    Mutant("mnist_forward_forward/main.py", "x_pos = overlay_y_on_x(x, y)", "x_pos = overlay_y_on_x(y, x)", "x_[:, :classes] *= 0.0"),
    Mutant("dcgan/main.py", "fixed_noise = torch.randn(opt.batchSize, nz, 1, 1", "fixed_noise = torch.randn(opt.batchSize, nz", "output = self.main(input)",
           after="class Generator"),
    Mutant("siamese_network/main.py", "model(images_1, images_2).squeeze()", "model(images_1).squeeze()", "outputs = model(images_1).squeeze()"),
    Mutant("word_language_model/main.py", "return data, target\n", "return target, data\n", "output, hidden = self.rnn(emb, hidden)", at=LANGUAGE),
    Mutant("distributed/FSDP2/example.py", "(batch_size, seq_len), device", "(batch_size, seq_len, 1), device", "_bsz, seq_len = tokens.size()",
           at="distributed/FSDP2/model.py"),
    Mutant("imagenet/main.py", "transforms.Normalize(mean=[0.485, 0.456, 0.406]", "transforms.Normalize(mean=[0.485, 0.456]",
           "for i, (images, target) in enumerate(train_loader)"),
    Mutant("dcgan/main.py", "dset.FakeData(image_size=(3, opt.imageSize", "dset.FakeData(image_size=(1, opt.imageSize", "output = self.main(input)",
           after="class Discriminator"),
    Mutant("dcgan/main.py", "nc=1", "nc=3", "output = self.main(input)", after="class Discriminator"),
    Mutant("dcgan/main.py", "nc=3", "nc=1", "output = self.main(input)", since="== 'cifar10'", after="class Discriminator"),
    Mutant("dcgan/main.py", "transforms.CenterCrop(opt.imageSize),", "", "for i, data in enumerate(dataloader, 0):"),
    Mutant("distributed/FSDP2/model.py", "self.wk = nn.Linear(args.dim, args.dim", "self.wk = nn.Linear(args.dim, args.n_heads", "keys = keys.view("),
    Mutant("distributed/FSDP2/model.py", "values.view(bsz, seq_len, self.n_heads, self.head_dim)", "values.view(bsz, self.n_heads, seq_len, self.head_dim)",
           "output = F.scaled_dot_product_attention("),
    Mutant(GPT + "model.py", ".view(1, 1, config.block_size, config.block_size))", ".view(1, config.block_size, config.block_size))", "y = self.attn("),
    Mutant(GPT + "model.py", "self.ln1 = nn.LayerNorm(config.n_embd)", "self.ln1 = nn.LayerNorm(config.block_size)", "x = x + self.attn(self.ln1(x))"),
    Mutant(GPT + "model.py", "b, t = idx.size()", "t, b = idx.size()", "assert t <= self.block_size"),
    Mutant(GPT + "model.py", "nn.Embedding(config.vocab_size, config.n_embd", "nn.Embedding(config.vocab_size, config.block_size",
           "return self.drop(token_embeddings + position_embeddings)"),
    Mutant(RPC + "batch/parameter_server.py", ".scatter_(1, self.one_hot_indices, 1)", ".scatter_(2, self.one_hot_indices, 1)",
           ".scatter_(2, self.one_hot_indices, 1)"),
    Mutant(RPC + "batch/reinforce.py", "rewards = torch.zeros(n_steps)", "rewards = torch.zeros(n_steps, 1)", "rewards = torch.stack([ret[0]"),
    Mutant(RPC + "batch/reinforce.py", "self.policy(self.states.cuda())", "self.policy(self.states[ob_id].cuda())", "return F.softmax(action_scores, dim=self.dim)"),
    Mutant(RPC + "ddp_rpc/main.py", "torch.LongTensor(num_indices).random_(", "torch.LongTensor(num_indices, 1).random_(",
           "emb_lookup = self.remote_emb_module.forward("),
    Mutant(RPC + "ddp_rpc/main.py", "criterion(output, target)", "criterion(target, output)", "loss = criterion(target, output)"),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "nn.Conv2d(1, 32, 3, 1)", "nn.Conv2d(3, 32, 3, 1)", "x = self.conv1(x)"),
    Mutant(RPC + "parameter_server/rpc_parameter_server.py", "F.nll_loss(model_output, target)", "F.nll_loss(target, model_output)", "loss = F.nll_loss(target"),
    Mutant(RPC + "pipeline/main.py", "self._block(self.inplanes, planes, groups=", "self._block(planes, planes, groups=", "out =  self.seq(x)"),
    Mutant(RPC + "pipeline/main.py", "self._norm_layer(self.inplanes),", "self._norm_layer(self.base_width * 2),", "out =  self.seq(x)"),
    Mutant(RPC + "rl/main.py", "x = self.affine1(x)", "x = self.affine2(x)", "x = self.affine2(x)"),
    Mutant(RPC + "rnn/main.py", "'ps', ntoken, ninp, nhid, nlayers", "'ps', ntoken, nhid, ninp, nlayers", RECURRENT, at=RPC + "rnn/rnn.py"),
    Mutant(LLAMA, "[: (dim // 2)].float()", "[: (dim // 4)].float()", "assert freqs_cis.shape =="),
    Mutant(LLAMA, "else 1 for i, d in enumerate(x.shape)]", "else 1 for i, d in enumerate(x.shape[1:])]", "return freqs_cis.view(*shape)"),
    Mutant(LLAMA, "x.pow(2).mean(-1, keepdim=True)", "x.pow(2).mean(-1)", "return x * torch.rsqrt("),
    Mutant(LLAMA, "xv = xv.view(bsz, seqlen, self.n_kv_heads, self.head_dim)", "xv = xv.view(bsz, self.n_kv_heads, seqlen, self.head_dim)",
           "output = F.scaled_dot_product_attention("),
    Mutant(LLAMA, "xk = keys.transpose(1, 2)", "xk = keys.transpose(2, 3)", "output = F.scaled_dot_product_attention("),
    Mutant(LLAMA, "self.head_dim = model_args.dim // model_args.n_heads", "self.head_dim = model_args.dim // model_args.n_layers",
           "assert freqs_cis.shape =="),
    Mutant(STYLE + "transformer_net.py", "self.in1 = torch.nn.InstanceNorm2d(channels", "self.in1 = torch.nn.InstanceNorm2d(channels * 2",
           "out = self.relu(self.in1(self.conv1(x)))"),
    Mutant(STYLE + "transformer_net.py", "y = self.relu(self.in2(self.conv2(y)))", "y = self.relu(self.in2(self.conv2(X)))", "out = self.conv2d(out)",
           after="class ConvLayer"),
    Mutant(STYLE + "transformer_net.py", "out = self.in2(self.conv2(out))", "out = self.in2(self.conv1(x)).flatten(2)", "out = out + residual"),
    Mutant(STYLE + "transformer_net.py", "torch.nn.Conv2d(in_channels, out_channels, kernel_size, stride)", "torch.nn.Conv2d(out_channels, in_channels, kernel_size, stride)",
           "out = self.conv2d(out)", after="class ConvLayer"),
    Mutant(STYLE + "vgg.py", "h = self.slice3(h)", "h = self.slice3(h_relu1_2)", "h = self.slice3(h_relu1_2)"),
    Mutant(STYLE + "utils.py", "img.transpose(1, 2, 0)", "img.transpose(0, 2, 3, 1)", "img = img.transpose(0, 2, 3, 1)"),
    Mutant("gat/main.py", "self.a[:, self.n_hidden:, :]", "self.a[:, self.n_hidden + 1:, :]", "target_scores = torch.matmul("),
    Mutant("gat/main.py", "n_nodes = h.shape[0]", "n_nodes = h.shape[1]", "h_transformed = h_transformed.view(n_nodes"),
    Mutant("gat/main.py", "return features.to(device), labels.to(device), adj_mat.to(device)", "return features.to(device), adj_mat.to(device), labels.to(device)",
           "criterion(output[mask_train], target[mask_train])"),
    Mutant("gcn/main.py", "np.unique(content_tensor[:, -1], return_inverse=True)", "np.unique(content_tensor[:, -1])", "classes, labels = np.unique("),
    Mutant("imagenet/main.py", "batch_size = target.size(0)", "batch_size = target.size(1)", "batch_size = target.size(1)"),
    Mutant("imagenet/main.py", "acc1, acc5 = accuracy(output, target, topk=(1, 5))", "acc1, acc5 = accuracy(target, output, topk=(1, 5))",
           "_, pred = output.topk(maxk, 1, True, True)", since="def validate"),
    Mutant("imagenet/main.py", "_, pred = output.topk(maxk, 1, True, True)", "pred = output.topk(maxk, 1, True, True)", "pred = pred.t()"),
    Mutant("language_translation/main.py", "ys = torch.ones(1, 1).fill_(start_symbol)", "ys = torch.ones(1).fill_(start_symbol)", "ys = torch.cat([ys"),
    Mutant("language_translation/main.py", "torch.zeros(num_tokens, num_tokens)", "torch.zeros(num_tokens)", "return self.transformer.encoder(",
           at="language_translation/src/model.py"),
    Mutant("language_translation/main.py", "generate_square_subsequent_mask(ys.size(0), DEVICE)", "generate_square_subsequent_mask(memory.size(0), DEVICE)",
           "return self.transformer.decoder(", at="language_translation/src/model.py"),
    Mutant("language_translation/src/data.py", '(torch.tensor([special_symbols["<bos>"]]),', '(torch.tensor(special_symbols["<bos>"]),', "return torch.cat("),
    Mutant("legacy/snli/model.py", "input.view(size[0]*size[1], -1)", "input.view(size[0], -1)", "out = super(Bottle, self).forward("),
    Mutant("distributed/rpc/rnn/rnn.py", "self.emb_table_rref, input)", "self.emb_table_rref, hidden)", "return self.drop(self.encoder(input)).cpu()"),
    Mutant("distributed/FSDP/utils/train_utils.py", 'labels=batch["target_ids"] )', 'labels=batch["target_ids"][0] )', "output = model(input_ids=",),
    Mutant("fx/subgraph_rewriter_basic_use.py", "torch.cat([val1, a2]).sum()", "torch.cat(val1, a2).sum()", "return torch.cat(val1, a2).sum()"),
    Mutant("cpp/transfer-learning/convert.py", "torch.rand(1, 3, 224, 224)", "torch.rand(3, 224)", "script_module = torch.jit.trace("),
]


def position(text, fragment, behind):
    """Where a fragment begins behind another; it must be there."""
    start = text.index(behind) if behind else 0
    return text.index(fragment, start)


def line_of(text, fragment, behind):
    return text.count("\n", 0, position(text, fragment, behind)) + 1


def findings(harp, folder, project):
    """What `harp check` says of a project: (file, line, rule), errors and warnings alone, of rules that speak of shapes."""
    run = subprocess.run([harp, "check", project, "--format", "json"], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{harp} check failed: {run.stderr}")
    found = json.loads(run.stdout)["findings"]
    return {
        (finding["place"]["file"], finding["place"]["start"]["line"], finding["rule"])
        for finding in found
        if finding["severity"] != "note" and finding["rule"].startswith("shape/")
    }


def copied(checkout, project, folder):
    """A copy of a project of the checkout in a folder."""
    copy = Path(folder) / "examples"
    shutil.copytree(checkout / project, copy / project, ignore=shutil.ignore_patterns("*.jpg", "*.png", "*.gif"))
    return copy


@lru_cache(maxsize=None)
def unmodified(harp, checkout, project):
    """What is said of a project as it is."""
    with tempfile.TemporaryDirectory() as folder:
        return findings(harp, copied(checkout, project, folder), project)


def outcome(mutant, checkout, harp):
    """What becomes of one mutant, in a copy of the checkout."""
    before = unmodified(harp, checkout, mutant.project)
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(checkout, mutant.project, folder)
        path = copy / mutant.file
        text = path.read_text()
        start = position(text, mutant.old, mutant.since)
        path.write_text(text[:start] + mutant.new + text[start + len(mutant.old) :])
        place = mutant.at or mutant.file
        failing = line_of((copy / place).read_text(), mutant.fails, mutant.after)
        own = sorted(findings(harp, copy, mutant.project) - before)
    if any((file, line) == (place, failing) for file, line, _ in own):
        return "exact", f"{place}:{failing}"
    if own:
        others = ", ".join(f"{file}:{line} {rule}" for file, line, rule in own)
        return "other line", f"{place}:{failing}, said of {others}"
    return "missed", f"{place}:{failing}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    checkout, harp, parts = Path(sys.argv[1]), str(Path(sys.argv[2]).resolve()), sys.argv[3:]
    named = [(f"{index:2} {mutant.file}", mutant) for index, mutant in enumerate(MUTANTS, 1)]
    chosen = [(name, mutant) for name, mutant in named if not parts or any(part in name for part in parts)]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda pair: outcome(pair[1], checkout, harp), chosen))
    for (name, mutant), (kind, text) in zip(chosen, results):
        print(f"{kind:10} {name}: {mutant.old!r} → {mutant.new!r}: {text}")
    kinds = [kind for kind, _ in results]
    exact, other = kinds.count("exact"), kinds.count("other line")
    print(f"{len(kinds)} errors: {exact + other} found, {exact} at the exact line, {other} at another line, {kinds.count('missed')} missed")


if __name__ == "__main__":
    main()
