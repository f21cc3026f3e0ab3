"""Networks written as strings of blocks: decoded with regular expressions, scaled by width and depth."""
import collections
import math
import re
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

GlobalParams = collections.namedtuple("GlobalParams", ["width_coefficient", "depth_coefficient", "image_size", "dropout_rate", "num_classes", "depth_divisor", "drop_connect_rate"])
BlockArgs = collections.namedtuple("BlockArgs", ["num_repeat", "kernel_size", "stride", "expand_ratio", "input_filters", "output_filters", "se_ratio", "id_skip"])
GlobalParams.__new__.__defaults__ = (None,) * len(GlobalParams._fields)
BlockArgs.__new__.__defaults__ = (None,) * len(BlockArgs._fields)


def round_filters(filters, params):
    multiplier, divisor = params.width_coefficient, params.depth_divisor
    if not multiplier:
        return filters
    filters *= multiplier
    new_filters = max(divisor, int(filters + divisor / 2) // divisor * divisor)
    if new_filters < 0.9 * filters:
        new_filters += divisor
    return int(new_filters)


def round_repeats(repeats, params):
    return int(math.ceil(params.depth_coefficient * repeats)) if params.depth_coefficient else repeats


def drop_connect(inputs, p, training):
    if not training:
        return inputs
    keep = 1 - p
    random = keep + torch.rand([inputs.shape[0], 1, 1, 1], dtype=inputs.dtype)
    return inputs / keep * torch.floor(random)


class Conv2dSamePadding(nn.Conv2d):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, dilation=1, groups=1, bias=True):
        super().__init__(in_channels, out_channels, kernel_size, stride, 0, dilation, groups, bias)
        self.stride = self.stride if len(self.stride) == 2 else [self.stride[0]] * 2

    def forward(self, x):
        ih, iw = x.size()[-2:]
        kh, kw = self.weight.size()[-2:]
        sh, sw = self.stride
        oh, ow = math.ceil(ih / sh), math.ceil(iw / sw)
        pad_h = max((oh - 1) * self.stride[0] + (kh - 1) * self.dilation[0] + 1 - ih, 0)
        pad_w = max((ow - 1) * self.stride[1] + (kw - 1) * self.dilation[1] + 1 - iw, 0)
        if pad_h > 0 or pad_w > 0:
            x = F.pad(x, [pad_w // 2, pad_w - pad_w // 2, pad_h // 2, pad_h - pad_h // 2])
        return F.conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class BlockDecoder:
    @staticmethod
    def _decode_block_string(block_string):
        options = {}
        for op in block_string.split("_"):
            splits = re.split(r"(\d.*)", op)
            if len(splits) >= 2:
                key, value = splits[:2]
                options[key] = value
        return BlockArgs(num_repeat=int(options["r"]), kernel_size=int(options["k"]), stride=[int(options["s"][0])], expand_ratio=int(options["e"]),
                         input_filters=int(options["i"]), output_filters=int(options["o"]), se_ratio=float(options["se"]) if "se" in options else None,
                         id_skip=("noskip" not in block_string))

    @staticmethod
    def decode(strings):
        assert isinstance(strings, list)
        return [BlockDecoder._decode_block_string(s) for s in strings]


class MBConvBlock(nn.Module):
    def __init__(self, block_args):
        super().__init__()
        self._block_args = block_args
        self.has_se = block_args.se_ratio is not None and 0 < block_args.se_ratio <= 1
        inp, oup = block_args.input_filters, block_args.input_filters * block_args.expand_ratio
        bn = partial(nn.BatchNorm2d, momentum=0.01, eps=1e-3)
        if block_args.expand_ratio != 1:
            self._expand_conv, self._bn0 = Conv2dSamePadding(inp, oup, 1, bias=False), bn(oup)
        k, s = block_args.kernel_size, block_args.stride
        self._depthwise_conv = Conv2dSamePadding(oup, oup, k, stride=s[0] if len(s) == 1 else s, groups=oup, bias=False)  #! (oup, oup, k, => (oup, inp, k,
        self._bn1 = bn(oup)
        if self.has_se:
            squeezed = max(1, int(block_args.input_filters * block_args.se_ratio))
            self._se_reduce, self._se_expand = nn.Conv2d(oup, squeezed, 1), nn.Conv2d(squeezed, oup, 1)  #! nn.Conv2d(squeezed, oup, 1) => nn.Conv2d(squeezed, inp, 1)
        final = block_args.output_filters
        self._project_conv, self._bn2 = Conv2dSamePadding(oup, final, 1, bias=False), bn(final)

    def forward(self, inputs, drop_connect_rate=None):
        x = inputs
        if self._block_args.expand_ratio != 1:
            x = F.silu(self._bn0(self._expand_conv(inputs)))
        x = F.silu(self._bn1(self._depthwise_conv(x)))
        if self.has_se:
            s = F.adaptive_avg_pool2d(x, 1)
            x = torch.sigmoid(self._se_expand(F.silu(self._se_reduce(s)))) * x
        x = self._bn2(self._project_conv(x))
        i, o = self._block_args.input_filters, self._block_args.output_filters
        if self._block_args.id_skip and self._block_args.stride in (1, [1]) and i == o:
            if drop_connect_rate:
                x = drop_connect(x, p=drop_connect_rate, training=self.training)
            x = x + inputs
        return x


class EfficientNet(nn.Module):
    def __init__(self, blocks_args, global_params):
        super().__init__()
        self._global_params, self._blocks_args = global_params, blocks_args
        out = round_filters(16, global_params)
        self._conv_stem = Conv2dSamePadding(3, out, 3, stride=2, bias=False)
        self._blocks = nn.ModuleList([])
        for args in blocks_args:
            args = args._replace(input_filters=round_filters(args.input_filters, global_params), output_filters=round_filters(args.output_filters, global_params),
                                 num_repeat=round_repeats(args.num_repeat, global_params))
            self._blocks.append(MBConvBlock(args))
            if args.num_repeat > 1:
                args = args._replace(input_filters=args.output_filters, stride=[1])  #! input_filters=args.output_filters, stride => stride
            for _ in range(args.num_repeat - 1):
                self._blocks.append(MBConvBlock(args))
        self._conv_head = Conv2dSamePadding(args.output_filters, round_filters(64, global_params), 1, bias=False)
        self._fc = nn.Linear(round_filters(64, global_params), global_params.num_classes)  #! nn.Linear(round_filters(64, global_params) => nn.Linear(round_filters(60, global_params)

    def forward(self, inputs):
        x = self._conv_stem(inputs)
        for idx, block in enumerate(self._blocks):
            rate = self._global_params.drop_connect_rate
            if rate:
                rate *= float(idx) / len(self._blocks)
            x = block(x, drop_connect_rate=rate)
        x = self._conv_head(x)
        return self._fc(F.dropout(F.adaptive_avg_pool2d(x, 1).flatten(start_dim=1), self._global_params.dropout_rate, self.training))

    @classmethod
    def from_name(cls, name, **override):
        width, depth, res, dropout = {"b0": (1.0, 1.0, 64, 0.2), "b3": (1.2, 1.4, 96, 0.3)}[name]
        blocks = ["r1_k3_s1_e1_i16_o8_se0.25", "r2_k3_s2_e6_i8_o16_se0.25", "r2_k5_s2_e6_i16_o24_se0.25", "r1_k3_s1_e6_i24_o40_noskip"]
        params = GlobalParams(width, depth, res, dropout, 10, 8, 0.2)
        return cls(BlockDecoder.decode(blocks), params._replace(**override))


if __name__ == "__main__":
    small, large = EfficientNet.from_name("b0"), EfficientNet.from_name("b3", num_classes=7)
    reveal_type(small(torch.rand(2, 3, 65, 63)))
    reveal_type(large(torch.rand(2, 3, 96, 96)))
    reveal_type(large._conv_head.weight)
    reveal_type(len(large._blocks))
    loss = F.cross_entropy(large(torch.rand(4, 3, 50, 50)), torch.tensor([0, 1, 6, 3]))
    loss.backward()
