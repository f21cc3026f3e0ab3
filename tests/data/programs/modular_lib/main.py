"""Runs an experiment of the library: config → builder → runner with hooks."""
from lib.config import Config
from lib.registry import MODELS, build
from lib.runner import Runner
import lib.models  # noqa: F401

cfg = Config.fromdict(dict(
    model=dict(
        type="Segmentor",
        backbone=dict(type="StageNet", depths=(1, 2, 1), base=16, ratio=2.0, out_indices=(0, 1, 2)),
        neck=dict(type="PyramidNeck", in_channels=[16, 32, 64], out_channels=24),  #! [16, 32, 64] => [16, 32, 48]
        head=dict(type="SumHead", in_channels=24, num_classes=4, in_index=(0, 1, 2))),  #! in_channels=24 => in_channels=32
    data=dict(size=32, batch=2, classes=4),  #! size=32 => size=36
    runner=dict(max_iters=2, accumulate=2)))
cfg.merge(["model.head.dropout=0.2", "runner.log_every=1"])
runner = Runner(build(cfg.model, MODELS), cfg)
history = runner.run()
reveal_type(runner.outputs["logits"])
reveal_type(history[-1])
