_base_ = ["_base_/small.py"]
model = dict(
    backbone=dict(widths=[8, 16, 48]),  #! [8, 16, 48] => [8, 16]
    neck=dict(in_channels=[16, 48]),  #! [16, 48] => [16, 32]
    head=dict(num_classes=7, dropout=0.1),  #! num_classes=7 => in_channels=32, num_classes=7
)
