model = dict(
    type="Classifier",
    backbone=dict(type="ConvNet", in_channels=3, widths=[8, 16, 32], out_stages=(1, 2)),
    neck=dict(type="SumNeck", in_channels=[16, 32], out_channels=24),  #! [16, 32] => [8, 16]
    head=dict(type="LinearHead", in_channels=24, num_classes=10),
)
data = dict(samples_per_batch=6, image_size=(32, 32))
