# Models of Transformers, as far as the sizes of tensors go through them. What a checkpoint decides is not known, but for the width of the best known ones.
import torch
import harp_library as _harp
import transformers
from torch import nn

_WIDTHS = {
    "bert-base-uncased": 768, "bert-base-cased": 768, "bert-base-multilingual-cased": 768, "bert-base-multilingual-uncased": 768,
    "bert-base-chinese": 768, "bert-base-german-cased": 768, "bert-large-uncased": 1024, "bert-large-cased": 1024, "roberta-base": 768,
    "roberta-large": 1024, "distilbert-base-uncased": 768, "distilbert-base-cased": 768, "distilroberta-base": 768, "xlm-roberta-base": 768,
    "xlm-roberta-large": 1024, "gpt2": 768, "gpt2-medium": 1024, "gpt2-large": 1280, "gpt2-xl": 1600, "distilgpt2": 768, "albert-base-v2": 768,
    "microsoft/deberta-base": 768, "microsoft/deberta-v3-base": 768, "microsoft/deberta-v3-large": 1024, "microsoft/deberta-v3-small": 768,
    "google/electra-base-discriminator": 768, "google/electra-small-discriminator": 256, "microsoft/codebert-base": 768,
}


class PretrainedConfig:
    vocab_size = num_hidden_layers = num_attention_heads = intermediate_size = max_position_embeddings = _harp.free_size("setting", 1)
    n_embd = n_layer = n_head = n_positions = d_model = d_ff = num_layers = num_heads = type_vocab_size = embedding_size = _harp.free_size("setting", 1)
    pad_token_id = bos_token_id = eos_token_id = decoder_start_token_id = _harp.free_size("token", 0)
    hidden_dropout_prob = attention_probs_dropout_prob = layer_norm_eps = initializer_range = dropout = _harp.outside("a setting of a checkpoint")
    id2label = label2id = model_type = architectures = name_or_path = _name_or_path = problem_type = _harp.outside("a setting of a checkpoint")
    output_hidden_states = output_attentions = use_cache = use_return_dict = return_dict = is_decoder = is_encoder_decoder = torch_dtype = (
        _harp.outside("a setting of a checkpoint"))
    classifier_dropout = hidden_act = chunk_size_feed_forward = tie_word_embeddings = max_length = gradient_checkpointing = pretraining_tp = (
        _harp.outside("a setting of a checkpoint"))

    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, **options):
        self.num_labels = options["num_labels"] if "num_labels" in options else 2
        self.hidden_size = options["hidden_size"] if "hidden_size" in options else _harp.free_size("hidden_size", 1)
        for name, value in options.items():
            setattr(self, name, value)

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path=None, **options):
        known = pretrained_model_name_or_path
        if "hidden_size" not in options and isinstance(known, str) and _harp.is_known(known) and known in _WIDTHS:
            return PretrainedConfig(hidden_size=_WIDTHS[known], **options)
        return PretrainedConfig(**options)

    from_dict = from_json_file = for_model = from_pretrained

    def __getattr__(self, name):
        return transformers._outside()

    def save_pretrained(self, save_directory, **options):
        return None

    def update(self, config_dict):
        for name, value in config_dict.items():
            setattr(self, name, value)


class AutoConfig(PretrainedConfig):
    pass


BertConfig = RobertaConfig = DistilBertConfig = ElectraConfig = AlbertConfig = XLMRobertaConfig = DebertaConfig = DebertaV2Config = AutoConfig
GPT2Config = GPTNeoConfig = GPTNeoXConfig = LlamaConfig = MistralConfig = OPTConfig = BartConfig = T5Config = MBartConfig = ViTConfig = AutoConfig
CLIPConfig = CLIPTextConfig = CLIPVisionConfig = Wav2Vec2Config = HubertConfig = WhisperConfig = XLNetConfig = LongformerConfig = AutoConfig
CamembertConfig = MPNetConfig = BigBirdConfig = ReformerConfig = BloomConfig = Qwen2Config = GemmaConfig = EncoderDecoderConfig = AutoConfig
PreTrainedConfig = AutoConfig


class ModelOutput:
    """What a model gives, by name and by place."""

    past_key_values = hidden_states = attentions = cross_attentions = encoder_last_hidden_state = decoder_hidden_states = (
        _harp.outside("what a model gives"))
    encoder_hidden_states = encoder_attentions = decoder_attentions = sequences = scores = loss = logits = (
        _harp.outside("what a model gives"))

    def __init__(self, **values):
        self.values_by_name = {name: value for name, value in values.items() if value is not None}
        for name, value in self.values_by_name.items():
            setattr(self, name, value)

    def __getitem__(self, key):
        values = self.values_by_name
        if isinstance(key, (int, slice)):
            listed = tuple(values.values())
            if isinstance(key, int) and (key >= len(listed) or key < 0):
                return transformers._outside()
            return listed[key]
        return values[key] if key in values else transformers._outside()

    def __setitem__(self, key, value):
        self.values_by_name[key] = value
        setattr(self, key, value)

    def __getattr__(self, name):
        return transformers._outside()

    def __contains__(self, key):
        return key in self.values_by_name

    def __iter__(self):
        return iter(_harp.some_of([transformers._outside()]))

    def __len__(self):
        return _harp.free_size("outputs", 1)

    def keys(self):
        return self.values_by_name.keys()

    def values(self):
        return self.values_by_name.values()

    def items(self):
        return self.values_by_name.items()

    def get(self, key, default=None):
        return self.values_by_name[key] if key in self.values_by_name else default

    def to_tuple(self):
        return tuple(self.values_by_name.values())


BaseModelOutput = BaseModelOutputWithPooling = BaseModelOutputWithPoolingAndCrossAttentions = SequenceClassifierOutput = ModelOutput
TokenClassifierOutput = MaskedLMOutput = CausalLMOutput = CausalLMOutputWithPast = CausalLMOutputWithCrossAttentions = Seq2SeqLMOutput = ModelOutput
QuestionAnsweringModelOutput = Seq2SeqModelOutput = BaseModelOutputWithPast = ModelOutput


class PreTrainedModel(nn.Module):
    bert = roberta = distilbert = electra = albert = deberta = transformer = encoder = decoder = embeddings = pooler = base_model = (
        _harp.outside("a part of a checkpoint"))
    generation_config = wte = h = model = vision_model = text_model = is_parallelizable = (
        _harp.outside("a part of a checkpoint"))
    name_or_path = hf_device_map = model_parallel = _harp.outside("a part of a checkpoint")

    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, config=None, *inputs, **options):
        super().__init__()
        self.config = config if config is not None else PretrainedConfig(**options)
        self._words = nn.Embedding(transformers._count(), self.config.hidden_size)

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path=None, *model_args, config=None, **options):
        if config is None:
            labels = {"num_labels": options["num_labels"]} if "num_labels" in options else {}
            config = PretrainedConfig.from_pretrained(pretrained_model_name_or_path, **labels)
        model = cls(config, *model_args)
        if options.get("output_loading_info"):
            return model, transformers._outside()
        return model

    @classmethod
    def from_config(cls, config, **options):
        return cls(config)

    def __getattr__(self, name):
        return transformers._outside()

    def _nothing(self, *arguments, **options):
        return None

    init_weights = post_init = save_pretrained = push_to_hub = gradient_checkpointing_enable = gradient_checkpointing_disable = _nothing
    enable_input_require_grads = tie_weights = prune_heads = print_trainable_parameters = _init_weights = _nothing

    def resize_token_embeddings(self, new_num_tokens=None, *arguments, **options):
        return self._words

    def get_input_embeddings(self):
        return self._words

    def num_parameters(self, only_trainable=False, exclude_embeddings=False):
        return _harp.free_size("parameters", 1)

    @property
    def device(self):
        return torch.device(str(transformers._outside()))

    @property
    def dtype(self):
        return torch.float32

    def generate(self, *arguments, **options):
        if len(arguments) == 0 and "input_ids" not in options or "return_dict_in_generate" in options:
            return transformers._outside()
        given = arguments[0] if arguments else options["input_ids"]
        count = options["num_return_sequences"] if "num_return_sequences" in options else 1
        return given.new_zeros((given.shape[0] * count, transformers._count()))

    def _states(self, arguments, options):
        if "inputs_embeds" in options:
            return options["inputs_embeds"]
        words = arguments[0] if arguments else options["input_ids"]
        states = self._words(words)
        # Models take mini-batches of texts.
        if _harp.is_known(states.ndim):
            return states
        return states.new_zeros((words.shape[0], words.shape[1], self.config.hidden_size)) + self._words.weight.sum()

    def _is_asked(self, arguments, options):
        return len(arguments) > 0 or "input_ids" in options or "inputs_embeds" in options

    def forward(self, *arguments, **options):
        if not self._is_asked(arguments, options):
            return transformers._outside()
        states = self._states(arguments, options)
        answer = self._answer(states, options["labels"] if "labels" in options else None)
        if "output_hidden_states" in options and options["output_hidden_states"]:
            answer["hidden_states"] = _harp.some_of([states])
        if "output_attentions" in options and options["output_attentions"]:
            tokens = states.shape[1]
            answer["attentions"] = _harp.some_of([_harp.tensor((states.shape[0], _harp.free_size("heads", 1), tokens, tokens), torch.float32)])
        return self._outputs(answer, options["return_dict"] if "return_dict" in options else None)

    def _outputs(self, answer, return_dict):
        given = ModelOutput(**answer)
        return given if return_dict is None or return_dict else given.to_tuple()

    def _answer(self, states, labels):
        return {"last_hidden_state": states}


class _Pooling(PreTrainedModel):
    def _answer(self, states, labels):
        return {"last_hidden_state": states, "pooler_output": states[:, 0]}


class _OfAnyModel(ModelOutput):
    """What stands second depends on the model, but it has a name."""

    @property
    def pooler_output(self):
        return self.values_by_name["last_hidden_state"][:, 0]


class AutoModel(PreTrainedModel):
    def _outputs(self, answer, return_dict):
        if return_dict is not None and not return_dict:
            return transformers._outside()
        return _OfAnyModel(last_hidden_state=answer["last_hidden_state"])


class BertPreTrainedModel(PreTrainedModel):
    pass


RobertaPreTrainedModel = DistilBertPreTrainedModel = ElectraPreTrainedModel = AlbertPreTrainedModel = GPT2PreTrainedModel = BertPreTrainedModel
XLMRobertaPreTrainedModel = DebertaPreTrainedModel = DebertaV2PreTrainedModel = LlamaPreTrainedModel = BertPreTrainedModel


class BertModel(_Pooling):
    pass


RobertaModel = AlbertModel = XLMRobertaModel = CamembertModel = BertModel


class DistilBertModel(PreTrainedModel):
    pass


ElectraModel = DebertaModel = DebertaV2Model = GPT2Model = GPTNeoModel = LlamaModel = MistralModel = OPTModel = T5EncoderModel = DistilBertModel


def _loss(states, labels):
    return None if labels is None else states.mean()


class _WithHead(PreTrainedModel):
    """A model with a last layer: who asks for it may change it, and what it gives is not known any more."""

    _own = None
    _is_changed = False

    def _part(self):
        self._is_changed = True
        return _harp.outside("a part of a checkpoint") if self._own is None else self._own

    def _replaced(self, module):
        self._is_changed = True
        self._own = module

    classifier = property(_part, _replaced)
    lm_head = property(_part, _replaced)
    score = property(_part, _replaced)
    qa_outputs = property(_part, _replaced)
    cls = property(_part, _replaced)

    def _answer(self, states, labels):
        logits = _harp.tensor(None, torch.float32) if self._is_changed else self._logits(states)
        return {"loss": _loss(states, labels), "logits": logits}


class _OfSequences(_WithHead):
    def _logits(self, states):
        return states[:, 0, :1].expand(states.shape[0], self.config.num_labels)


class AutoModelForSequenceClassification(_OfSequences):
    pass


BertForSequenceClassification = RobertaForSequenceClassification = DistilBertForSequenceClassification = AutoModelForSequenceClassification
ElectraForSequenceClassification = AlbertForSequenceClassification = XLMRobertaForSequenceClassification = AutoModelForSequenceClassification
DebertaForSequenceClassification = DebertaV2ForSequenceClassification = XLNetForSequenceClassification = AutoModelForSequenceClassification
GPT2ForSequenceClassification = CamembertForSequenceClassification = LongformerForSequenceClassification = AutoModelForSequenceClassification


class AutoModelForTokenClassification(_WithHead):
    def _logits(self, states):
        return states[:, :, :1].expand(states.shape[0], states.shape[1], self.config.num_labels)


BertForTokenClassification = RobertaForTokenClassification = DistilBertForTokenClassification = AutoModelForTokenClassification
ElectraForTokenClassification = XLMRobertaForTokenClassification = AutoModelForTokenClassification


class AutoModelForMaskedLM(_WithHead):
    def _logits(self, states):
        return states @ self._words.weight.T


BertForMaskedLM = RobertaForMaskedLM = DistilBertForMaskedLM = XLMRobertaForMaskedLM = AutoModelForCausalLM = AutoModelForMaskedLM
GPT2LMHeadModel = GPTNeoForCausalLM = GPTNeoXForCausalLM = LlamaForCausalLM = MistralForCausalLM = OPTForCausalLM = AutoModelForMaskedLM
BloomForCausalLM = AutoModelWithLMHead = OpenAIGPTLMHeadModel = GPTJForCausalLM = BertLMHeadModel = Qwen2ForCausalLM = AutoModelForMaskedLM


class AutoModelForQuestionAnswering(PreTrainedModel):
    def _answer(self, states, labels):
        return {"start_logits": states[:, :, 0], "end_logits": states[:, :, 0]}

    def forward(self, *arguments, **options):
        if not self._is_asked(arguments, options):
            return transformers._outside()
        states = self._states(arguments, options)
        answer = self._answer(states, None)
        if "start_positions" in options:
            answer = {"loss": states.mean(), "start_logits": answer["start_logits"], "end_logits": answer["end_logits"]}
        return self._outputs(answer, options["return_dict"] if "return_dict" in options else None)


BertForQuestionAnswering = RobertaForQuestionAnswering = DistilBertForQuestionAnswering = AutoModelForQuestionAnswering


class _OfAnything(PreTrainedModel):
    """A model whose outputs the checkpoint decides."""

    def forward(self, *arguments, **options):
        return transformers._outside()

    def generate(self, *arguments, **options):
        return transformers._outside()


AutoModelForSeq2SeqLM = AutoModelForImageClassification = AutoModelForVision2Seq = AutoModelForSpeechSeq2Seq = AutoModelForCTC = _OfAnything
AutoModelForAudioClassification = AutoModelForSemanticSegmentation = AutoModelForObjectDetection = AutoModelForMultipleChoice = _OfAnything
AutoModelForNextSentencePrediction = AutoModelForPreTraining = AutoModelForImageTextToText = AutoModelForDepthEstimation = _OfAnything
BartModel = BartForConditionalGeneration = BartForSequenceClassification = MBartForConditionalGeneration = PegasusForConditionalGeneration = _OfAnything
MarianMTModel = M2M100ForConditionalGeneration = EncoderDecoderModel = MT5ForConditionalGeneration = T5Model = XLNetModel = XLNetLMHeadModel = _OfAnything
CLIPModel = CLIPTextModel = CLIPVisionModel = CLIPTextModelWithProjection = CLIPVisionModelWithProjection = ViTModel = _OfAnything
ViTForImageClassification = DeiTModel = DeiTForImageClassification = SwinModel = SwinForImageClassification = BeitModel = ViTMAEModel = _OfAnything
Wav2Vec2Model = Wav2Vec2ForCTC = Wav2Vec2ForSequenceClassification = HubertModel = WhisperModel = WhisperForConditionalGeneration = _OfAnything
LongformerModel = BigBirdModel = ReformerModel = TransfoXLModel = CTRLModel = XLMModel = FlaubertModel = MPNetModel = Blip2ForConditionalGeneration = _OfAnything
BlipForConditionalGeneration = VisionEncoderDecoderModel = BertForPreTraining = BertForNextSentencePrediction = BertForMultipleChoice = _OfAnything
SegformerForSemanticSegmentation = DetrForObjectDetection = DPTForDepthEstimation = SamModel = LlavaForConditionalGeneration = _OfAnything
SpeechT5ForTextToSpeech = SpeechT5HifiGan = VitsModel = MusicgenForConditionalGeneration = _OfAnything
