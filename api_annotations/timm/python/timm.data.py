# `timm.data`: how a model's pictures are prepared.
import harp_library as _harp

IMAGENET_DEFAULT_MEAN = (0.485, 0.456, 0.406)
IMAGENET_DEFAULT_STD = (0.229, 0.224, 0.225)
IMAGENET_INCEPTION_MEAN = IMAGENET_INCEPTION_STD = (0.5, 0.5, 0.5)


def _known(*arguments, **options):
    return _harp.outside("how pictures are prepared")


resolve_data_config = resolve_model_data_config = create_transform = create_dataset = create_loader = Mixup = FastCollateMixup = _known
