# `timm`: models of images by name. How wide their features are, the name decides.
import torch
import harp_library as _harp
from torch import nn


class _Model(nn.Module):
    default_cfg = pretrained_cfg = blocks = patch_embed = pos_embed = cls_token = norm = feature_info = embed_dim = (
        _harp.outside("a part of a model"))
    conv_stem = conv1 = layer1 = layer2 = layer3 = layer4 = bn1 = act1 = maxpool = stem = stages = global_pool = num_prefix_tokens = (
        _harp.outside("a part of a model"))

    def __init__(self, num_classes, in_chans):
        super().__init__()
        self.num_classes, self._taken = num_classes, in_chans
        self.num_features = _harp.free_size("features", 1)
        self._is_changed = False
        self._head = nn.Linear(self.num_features, num_classes) if not isinstance(num_classes, int) or num_classes > 0 else nn.Identity()

    def __getattr__(self, name):
        return _harp.outside("a part of a model")

    def reset_classifier(self, num_classes, global_pool=None):
        self.num_classes = num_classes
        self._head = nn.Linear(self.num_features, num_classes) if not isinstance(num_classes, int) or num_classes > 0 else nn.Identity()

    def get_classifier(self):
        return self._part()

    def _part(self):
        # Who asks for the last layer may change it.
        self._is_changed = True
        return _harp.outside("a part of a model")

    def _replaced(self, module):
        self._is_changed = not isinstance(module, nn.Linear)
        self._head = module

    fc = property(_part, _replaced)
    head = property(_part, _replaced)
    classifier = property(_part, _replaced)

    def forward_features(self, x):
        return _harp.outside("features of a model")

    def forward_head(self, x, pre_logits=False):
        return _harp.outside("what a model gives")

    def forward(self, x):
        if _harp.is_known(x.ndim) and x.ndim == 4 and _harp.is_known(x.shape[1]):
            _harp.judge(x.shape[1] == self._taken, "the model takes pictures with another number of channels")
        if self._is_changed:
            return _harp.tensor(None, torch.float32)
        return self._head(x.new_zeros((x.shape[0], self.num_features)))


class _Backbone(nn.Module):
    """A model whose parts are asked for: which there are, its name decides."""

    feature_info = default_cfg = pretrained_cfg = head = fc = classifier = num_features = embed_dim = _harp.outside("a part of a model")

    def __getattr__(self, name):
        return _harp.outside("a part of a model")

    def forward(self, x):
        return _harp.outside("features of a model")


def create_model(model_name, pretrained=False, pretrained_cfg=None, pretrained_cfg_overlay=None, checkpoint_path="", *arguments, num_classes=1000,
                 in_chans=3, features_only=False, global_pool=None, **options):
    if features_only or global_pool == "":
        return _Backbone()
    return _Model(1000 if num_classes is None else num_classes, in_chans)


def list_models(*arguments, **options):
    return _harp.some_of([str(_harp.outside("the name of a model"))])


def _known(*arguments, **options):
    return _harp.outside("what is known of a model")


list_pretrained = is_model = list_modules = model_entrypoint = list_models
