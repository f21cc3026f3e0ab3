# What Transformers has beside models and tokenizers: schedules of learning rates, collators, processors of pictures and sounds, settings.
import torch
import harp_library as _harp
import transformers


def _schedule(optimizer, *arguments, **options):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)


get_linear_schedule_with_warmup = get_cosine_schedule_with_warmup = get_constant_schedule_with_warmup = get_constant_schedule = _schedule
get_cosine_with_hard_restarts_schedule_with_warmup = get_polynomial_decay_schedule_with_warmup = get_inverse_sqrt_schedule = _schedule


def get_scheduler(name, optimizer, num_warmup_steps=None, num_training_steps=None, scheduler_specific_kwargs=None):
    return _schedule(optimizer)


def AdamW(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0, correct_bias=True, no_deprecation_warning=False):
    return torch.optim.AdamW(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


def Adafactor(params, lr=None, *arguments, **options):
    return torch.optim.AdamW(params)


def set_seed(seed, deterministic=False):
    torch.manual_seed(seed)


def pipeline(task=None, model=None, *arguments, **options):
    return _Pipeline()


class _Pipeline:
    def __call__(self, *arguments, **options):
        return transformers._outside()

    def __getattr__(self, name):
        return transformers._outside()


class _Settings:
    """Settings that other parts are made with."""

    def __init__(self, *arguments, **options):
        for name, value in options.items():
            setattr(self, name, value)

    @classmethod
    def from_pretrained(cls, *arguments, **options):
        return cls()

    def __getattr__(self, name):
        return transformers._outside()


GenerationConfig = BitsAndBytesConfig = GPTQConfig = AwqConfig = TextStreamer = TextIteratorStreamer = AddedToken = Conversation = _Settings
LogitsProcessorList = StoppingCriteriaList = MaxLengthCriteria = _Settings


class StoppingCriteria:
    pass


class LogitsProcessor:
    pass


class _Collator:
    """What makes a mini-batch of samples that are not known."""

    def __init__(self, *arguments, **options):
        pass

    def __call__(self, features, return_tensors=None):
        return transformers._outside()

    def __getattr__(self, name):
        return transformers._outside()


DataCollatorWithPadding = DataCollatorForLanguageModeling = DataCollatorForSeq2Seq = DataCollatorForTokenClassification = _Collator
DataCollatorForWholeWordMask = DataCollatorForPermutationLanguageModeling = DataCollatorForMultipleChoice = _Collator


class _Processor:
    """What makes tensors of pictures, sounds and texts, as its checkpoint says."""

    def __init__(self, *arguments, **options):
        pass

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path=None, *arguments, **options):
        return cls()

    def __call__(self, *arguments, **options):
        return transformers._outside()

    def __getattr__(self, name):
        return transformers._outside()


AutoProcessor = AutoFeatureExtractor = AutoImageProcessor = CLIPProcessor = CLIPImageProcessor = CLIPFeatureExtractor = ViTImageProcessor = _Processor
ViTFeatureExtractor = Wav2Vec2Processor = Wav2Vec2FeatureExtractor = WhisperProcessor = WhisperFeatureExtractor = BlipProcessor = _Processor
Blip2Processor = SegformerImageProcessor = SegformerFeatureExtractor = DetrImageProcessor = DetrFeatureExtractor = DPTImageProcessor = _Processor
SamProcessor = LlavaProcessor = SpeechT5Processor = TrOCRProcessor = DeiTImageProcessor = BeitImageProcessor = LayoutLMv3Processor = _Processor


class TrainerCallback:
    pass


class EarlyStoppingCallback(TrainerCallback):
    def __init__(self, early_stopping_patience=1, early_stopping_threshold=0.0):
        pass


class ProgressCallback(TrainerCallback):
    pass


class PrinterCallback(TrainerCallback):
    pass


TrainerState = TrainerControl = _Settings


class _Log:
    def __getattr__(self, name):
        return transformers._outside()


logging = utils = _Log()
