# `peft`: a model with adapters computes what the model computes, as far as sizes go.
import harp_library as _harp
from torch import nn


class _Settings:
    def __init__(self, *arguments, **options):
        for name, value in options.items():
            setattr(self, name, value)

    @classmethod
    def from_pretrained(cls, *arguments, **options):
        return cls()

    def __getattr__(self, name):
        return _harp.outside("a setting of an adapter")


LoraConfig = PeftConfig = PromptTuningConfig = PrefixTuningConfig = PromptEncoderConfig = AdaLoraConfig = IA3Config = LoHaConfig = _Settings
LoKrConfig = AdaptionPromptConfig = VeraConfig = BOFTConfig = OFTConfig = _Settings


class TaskType:
    SEQ_CLS, SEQ_2_SEQ_LM, CAUSAL_LM, TOKEN_CLS, QUESTION_ANS, FEATURE_EXTRACTION = (
        "SEQ_CLS", "SEQ_2_SEQ_LM", "CAUSAL_LM", "TOKEN_CLS", "QUESTION_ANS", "FEATURE_EXTRACTION")


class PeftModel(nn.Module):
    def __init__(self, model, peft_config=None, adapter_name="default", **options):
        super().__init__()
        self.base_model = model

    @classmethod
    def from_pretrained(cls, model, model_id, adapter_name="default", **options):
        return cls(model)

    def __getattr__(self, name):
        return getattr(self.base_model, name)

    def forward(self, *arguments, **options):
        return self.base_model(*arguments, **options)

    def generate(self, *arguments, **options):
        return self.base_model.generate(*arguments, **options)

    def _nothing(self, *arguments, **options):
        return None

    print_trainable_parameters = save_pretrained = set_adapter = load_adapter = add_adapter = push_to_hub = delete_adapter = _nothing
    enable_adapter_layers = disable_adapter_layers = _nothing

    def get_base_model(self):
        return self.base_model

    def merge_and_unload(self, *arguments, **options):
        return self.base_model

    unload = merge_and_unload

    def get_nb_trainable_parameters(self):
        return _harp.free_size("parameters", 0), _harp.free_size("parameters", 1)


PeftModelForCausalLM = PeftModelForSequenceClassification = PeftModelForSeq2SeqLM = PeftModelForTokenClassification = PeftModel
PeftModelForFeatureExtraction = PeftModelForQuestionAnswering = PeftMixedModel = PeftModel


def get_peft_model(model, peft_config, adapter_name="default", **options):
    return PeftModel(model)


def prepare_model_for_kbit_training(model, *arguments, **options):
    return model


prepare_model_for_int8_training = inject_adapter_in_model = prepare_model_for_kbit_training


def get_peft_model_state_dict(model, *arguments, **options):
    return model.state_dict()


def set_peft_model_state_dict(model, peft_model_state_dict, *arguments, **options):
    return _harp.outside("names of parameters")
