"""Records the shapes that the models of torchvision and timm give.

    python models.py > ../models.jsonl
    python models.py --draw 60 --seed 1 --only timm >> ../models_drawn.jsonl

Models are made with their default arguments, without weights, and run in evaluation mode on the meta device, which computes shapes alone; what
does not run there runs on the CPU. Of timm at most `--each` models of every family are taken, spread over the family's sorted names, so that
small and large, plain and special ones are among them. An image is `[1, 3, 224, 224]`, or what the model demands. With `--draw`, so many models of
each library are drawn by chance, with options that programs give: other classes or channels, no head, the features of the stages.

A line has

    library, version          the library, and its version
    family, model             `family` is the module that defines the model
    code                      a Python expression that makes it
    input                     the shape of the input
    output                    a list of integers for a tensor, {"t": […]} for a tuple or list, {"d": {…}} for a dictionary
"""

import argparse
import contextlib
import json
import random
import sys
import warnings

import timm
import torch
import torchvision
from timm.models import _registry

VIDEO = [1, 3, 16, 224, 224]
ODD_INPUTS = {"mvit": VIDEO, "swin3d": VIDEO, "s3d": VIDEO, "r3d": [1, 3, 8, 112, 112], "mc3": [1, 3, 8, 112, 112], "r2plus1d": [1, 3, 8, 112, 112]}


def described(value):
    if isinstance(value, torch.Tensor):
        return list(value.shape)
    if isinstance(value, dict):
        return {"d": {str(key): described(item) for key, item in value.items()}}
    if isinstance(value, (list, tuple)):
        return {"t": [described(item) for item in value]}
    return None


def run(make, shape, device):
    with torch.device(device), torch.no_grad():
        model = make().eval().to(device)
        return described(model(torch.rand(shape, device=device)))


def record(library, family, name, code, make, shapes):
    for device in ("meta", "cpu"):
        for shape in shapes:
            with contextlib.suppress(Exception):
                output = run(make, shape, device)
                version = {"timm": timm, "torchvision": torchvision}[library].__version__.split("+")[0]
                line = {"library": library, "version": version, "family": family, "model": name, "code": code, "input": shape, "output": output}
                print(json.dumps(line), flush=True)
                return
    print(f"{library} {name} did not run", file=sys.stderr)


def torchvision_models(choose=lambda names: names, draw=lambda choices: ""):
    for name in choose(torchvision.models.list_models()):
        if name.startswith(("raft", "quantized")):
            continue
        builder = torchvision.models.get_model_builder(name)
        path = builder.__module__.removeprefix("torchvision.models.")
        kind = path.split(".")[0]
        if kind == "detection":
            continue
        public = kind if kind in ("segmentation", "video", "quantization") else ""
        family = path.split(".")[-1]
        owner = ".".join(part for part in ("torchvision.models", public) if part)
        keywords = "weights=None, weights_backbone=None" if kind == "segmentation" else ""
        keywords = ", ".join(filter(None, [keywords, draw(["", "num_classes=10"])]))
        code = f"{owner}.{builder.__name__}({keywords})"
        shape = next((shape for prefix, shape in ODD_INPUTS.items() if name.startswith(prefix)), [1, 3, 224, 224])
        record("torchvision", family, name, code, lambda: eval(code), [shape])


def spread(names, count):
    if len(names) <= count:
        return names
    return [names[round(index * (len(names) - 1) / (count - 1))] for index in range(count)]


def timm_models_drawn(chance, count):
    for name in chance.sample(sorted(timm.list_models()), count):
        family = _registry._model_to_module[name]
        size = timm.get_pretrained_cfg(name, allow_unregistered=True)
        _, *own = size.input_size if size is not None and size.input_size else [3, 224, 224]
        option, channels = chance.choice([("", 3), ("num_classes=10", 3), ("num_classes=0", 3), ("in_chans=1", 1), ("features_only=True", 3), ("num_classes=4, in_chans=5", 5)])
        code = f"timm.create_model({', '.join(filter(None, [repr(name), option]))})"
        batch = chance.choice([1, 2])
        record("timm", family, name, code, lambda: eval(code), [[batch, channels, 224, 224], [batch, channels, *own]])


def timm_models(each):
    for family in sorted(_registry._module_to_models):
        for name in spread(sorted(_registry._module_to_models[family]), each):
            size = timm.get_pretrained_cfg(name, allow_unregistered=True)
            own = list(size.input_size) if size is not None and size.input_size else [3, 224, 224]
            shapes = [[1, 3, 224, 224], [1, *own]]
            record("timm", family, name, f"timm.create_model({name!r})", lambda: timm.create_model(name), shapes)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--each", type=int, default=4)
    arguments.add_argument("--draw", type=int)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", default="timm torchvision", help="libraries")
    arguments = arguments.parse_args()
    warnings.simplefilter("ignore")
    chance = random.Random(arguments.seed)
    if arguments.draw is not None:
        if "torchvision" in arguments.only:
            torchvision_models(lambda names: chance.sample(names, min(arguments.draw, len(names))), chance.choice)
        if "timm" in arguments.only:
            timm_models_drawn(chance, arguments.draw)
        return
    if "torchvision" in arguments.only:
        torchvision_models()
    if "timm" in arguments.only:
        timm_models(arguments.each)


if __name__ == "__main__":
    main()
