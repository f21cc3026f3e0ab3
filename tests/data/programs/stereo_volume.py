"""Stereo matching with a concatenated cost volume, 3D hourglass, and soft argmin over disparities."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def convbn(in_planes, out_planes, kernel_size, stride, pad, dilation):
    return nn.Sequential(
        nn.Conv2d(in_planes, out_planes, kernel_size=kernel_size, stride=stride, padding=dilation if dilation > 1 else pad, dilation=dilation, bias=False),
        nn.BatchNorm2d(out_planes))


def convbn_3d(in_planes, out_planes, kernel_size, stride, pad):
    return nn.Sequential(nn.Conv3d(in_planes, out_planes, kernel_size=kernel_size, padding=pad, stride=stride, bias=False), nn.BatchNorm3d(out_planes))


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes, planes, stride, downsample, pad, dilation):
        super(BasicBlock, self).__init__()
        self.conv1 = nn.Sequential(convbn(inplanes, planes, 3, stride, pad, dilation), nn.ReLU(inplace=True))
        self.conv2 = convbn(planes, planes, 3, 1, pad, dilation)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x):
        out = self.conv2(self.conv1(x))
        if self.downsample is not None:
            x = self.downsample(x)
        out += x
        return out


class DisparityRegression(nn.Module):
    def __init__(self, maxdisp):
        super(DisparityRegression, self).__init__()
        self.register_buffer("disp", torch.arange(maxdisp, dtype=torch.float32).reshape(1, maxdisp, 1, 1))  #! reshape(1, maxdisp, 1, 1) => reshape(1, 1, maxdisp, 1)

    def forward(self, x):
        return torch.sum(x * self.disp.expand_as(x), 1)  #! self.disp.expand_as(x) => self.disp.repeat(x.size(0), 1, x.size(2), x.size(1))


class FeatureExtraction(nn.Module):
    def __init__(self):
        super(FeatureExtraction, self).__init__()
        self.inplanes = 16
        self.firstconv = nn.Sequential(convbn(3, 16, 3, 2, 1, 1), nn.ReLU(inplace=True), convbn(16, 16, 3, 1, 1, 1), nn.ReLU(inplace=True))
        self.layer1 = self._make_layer(BasicBlock, 16, 2, 1, 1, 1)
        self.layer2 = self._make_layer(BasicBlock, 32, 2, 2, 1, 1)
        self.layer4 = self._make_layer(BasicBlock, 32, 2, 1, 1, 2)
        for size in (8, 4):
            setattr(self, f"branch{size}", nn.Sequential(nn.AvgPool2d((size, size), stride=(size, size)), convbn(32, 8, 1, 1, 0, 1), nn.ReLU(inplace=True)))
        self.lastconv = nn.Sequential(convbn(80, 32, 3, 1, 1, 1), nn.ReLU(inplace=True), nn.Conv2d(32, 8, kernel_size=1, padding=0, stride=1, bias=False))  #! convbn(80, => convbn(64,

    def _make_layer(self, block, planes, blocks, stride, pad, dilation):
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(nn.Conv2d(self.inplanes, planes * block.expansion, kernel_size=1, stride=stride, bias=False), nn.BatchNorm2d(planes * block.expansion))  #! stride=stride => stride=1
        layers = [block(self.inplanes, planes, stride, downsample, pad, dilation)]
        self.inplanes = planes * block.expansion
        for i in range(1, blocks):
            layers.append(block(self.inplanes, planes, 1, None, pad, dilation))
        return nn.Sequential(*layers)

    def forward(self, x):
        output = self.firstconv(x)
        output = self.layer1(output)
        raw = self.layer2(output)
        skip = self.layer4(raw)
        size = (skip.size()[2], skip.size()[3])
        branches = [F.interpolate(getattr(self, f"branch{s}")(skip), size, mode="bilinear", align_corners=False) for s in (8, 4)]
        return self.lastconv(torch.cat((raw, skip, *branches), 1))  #! (raw, skip, *branches) => (raw, *branches)


class Hourglass(nn.Module):
    def __init__(self, inplanes):
        super().__init__()
        self.conv1 = nn.Sequential(convbn_3d(inplanes, inplanes * 2, kernel_size=3, stride=2, pad=1), nn.ReLU(inplace=True))
        self.conv2 = convbn_3d(inplanes * 2, inplanes * 2, kernel_size=3, stride=1, pad=1)
        self.conv5 = nn.Sequential(nn.ConvTranspose3d(inplanes * 2, inplanes, kernel_size=3, padding=1, output_padding=1, stride=2, bias=False), nn.BatchNorm3d(inplanes))  #! output_padding=1 => output_padding=0

    def forward(self, x, presqu=None):
        pre = self.conv2(self.conv1(x))
        pre = F.relu(pre + presqu, inplace=True) if presqu is not None else F.relu(pre, inplace=True)
        return self.conv5(pre), pre


class StereoNet(nn.Module):
    def __init__(self, maxdisp):
        super().__init__()
        self.maxdisp = maxdisp
        self.feature_extraction = FeatureExtraction()
        self.dres0 = nn.Sequential(convbn_3d(16, 16, 3, 1, 1), nn.ReLU(inplace=True))  #! convbn_3d(16, => convbn_3d(8,
        self.dres2, self.dres3 = Hourglass(16), Hourglass(16)
        self.classif1 = nn.Conv3d(16, 1, kernel_size=3, padding=1, stride=1, bias=False)
        self.classif2 = nn.Conv3d(16, 1, kernel_size=3, padding=1, stride=1, bias=False)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                n = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
                m.weight.data.normal_(0, math.sqrt(2.0 / n))
            elif isinstance(m, (nn.BatchNorm2d, nn.BatchNorm3d)):
                m.weight.data.fill_(1)
                m.bias.data.zero_()
        self.regression = DisparityRegression(maxdisp)

    def forward(self, left, right):
        ref, target = self.feature_extraction(left), self.feature_extraction(right)
        cost = ref.new_zeros(ref.size(0), ref.size(1) * 2, self.maxdisp // 4, ref.size(2), ref.size(3))
        for i in range(self.maxdisp // 4):
            if i > 0:
                cost[:, : ref.size(1), i, :, i:] = ref[:, :, :, i:]
                cost[:, ref.size(1) :, i, :, i:] = target[:, :, :, :-i]  #! target[:, :, :, :-i] => target[:, :, :-i, :]
            else:
                cost[:, : ref.size(1), i, :, :] = ref
                cost[:, ref.size(1) :, i, :, :] = target
        reveal_type(cost)
        cost0 = self.dres0(cost)
        out1, pre1 = self.dres2(cost0)
        out2, _ = self.dres3(out1 + cost0, pre1)
        cost1 = self.classif1(out1)
        cost2 = self.classif2(out2) + cost1
        size = [self.maxdisp, left.size()[2], left.size()[3]]
        preds = []
        for c in (cost1, cost2):
            c = F.interpolate(c, size, mode="trilinear", align_corners=False)  #! F.interpolate(c, size => F.interpolate(c.squeeze(1), size
            c = torch.squeeze(c, 1)
            preds.append(self.regression(F.softmax(c, dim=1)))
        return preds if self.training else preds[-1]


model = StereoNet(32)
optimizer = torch.optim.Adam(model.parameters(), lr=0.001, betas=(0.9, 0.999))
for batch_idx in range(2):
    imgL, imgR, disp_true = torch.rand(2, 3, 32, 64), torch.rand(2, 3, 32, 64), torch.rand(2, 32, 64) * 40
    model.train()
    mask = disp_true < model.maxdisp
    mask.detach_()
    optimizer.zero_grad()
    output1, output2 = model(imgL, imgR)
    reveal_type(output2)
    loss = 0.5 * F.smooth_l1_loss(output1[mask], disp_true[mask]) + F.smooth_l1_loss(output2[mask], disp_true[mask])
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    output = model(imgL[:1], imgR[:1])
reveal_type(output)
end_point_error = (output - disp_true[:1]).abs().mean()
