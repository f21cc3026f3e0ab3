"""What each model of the zoo is trained with."""
BASE = dict(batch_size=16, num_classes=12, image_size=32)  #! num_classes=12 => num_classes=4

CONFIGS = {
    "tinyresnet": {**BASE, "model": {"layers": [1, 2, 1], "width": 8}},
    "mobile": {**BASE, "lr": 0.05, "model": {"settings": [(1, 16, 1, 1), (4, 24, 2, 2), (4, 32, 1, 2)]}},
    "vit": {**BASE, "image_size": 48, "model": {"image_size": 48, "patch": 8, "dim": 32, "depth": 2, "heads": 4}},  #! "image_size": 48, "model" => "image_size": 32, "model"
}
