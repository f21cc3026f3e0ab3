# Tokenizers of Transformers. How many words a text has is not known.
import numpy as np
import torch
import harp_library as _harp
import transformers


class BatchEncoding(dict):
    def __init__(self, data=None, encoding=None, tensor_type=None, **options):
        super().__init__({} if data is None else data)

    @property
    def data(self):
        return self

    def __missing__(self, key):
        return transformers._outside()

    def __getattr__(self, name):
        return self[name] if name in self else transformers._outside()

    def to(self, device, non_blocking=False):
        return BatchEncoding({name: value.to(device) for name, value in self.items()})

    def word_ids(self, batch_index=0):
        return _harp.some_of([transformers._outside()])

    def convert_to_tensors(self, *arguments, **options):
        return self


def _ids():
    return _harp.some_of([_harp.free_size("token", 0)])


def encoded(count, padding=False, truncation=None, max_length=None, return_tensors=None, return_token_type_ids=None, **options):
    """What comes of `count` texts, or of a single one where that is `None`."""
    names = ["input_ids", "attention_mask"]
    if return_token_type_ids:
        names.append("token_type_ids")
    if options.get("return_offsets_mapping") or options.get("return_overflowing_tokens") or options.get("return_special_tokens_mask"):
        return transformers._outside()
    if return_tensors != "pt" and return_tensors != "np":
        if return_tensors is not None:
            return transformers._outside()
        return BatchEncoding({name: _ids() if count is None else [_ids() for text in range(count)] if _harp.is_known(count) else _harp.some_of([_ids()])
                              for name in names})
    length = max_length if padding == "max_length" and max_length is not None else transformers._count()
    size = (1 if count is None else count, length)
    make = torch.ones if return_tensors == "pt" else np.ones
    return BatchEncoding({name: make(size, dtype=torch.long if return_tensors == "pt" else np.int64) for name in names})


class PreTrainedTokenizerBase:
    pad_token_id = cls_token_id = sep_token_id = mask_token_id = unk_token_id = bos_token_id = eos_token_id = _harp.free_size("token", 0)
    pad_token = cls_token = sep_token = mask_token = unk_token = bos_token = eos_token = padding_side = truncation_side = name_or_path = (
        str(_harp.outside("a word")))
    model_max_length = max_len = max_len_single_sentence = max_len_sentences_pair = _harp.free_size("longest", 1)
    vocab = additional_special_tokens = all_special_ids = all_special_tokens = special_tokens_map = chat_template = is_fast = model_input_names = (
        _harp.outside("what a tokenizer knows"))
    encoder = decoder = added_tokens_encoder = backend_tokenizer = _tokenizer = sp_model = init_kwargs = (
        _harp.outside("what a tokenizer knows"))

    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, *arguments, **options):
        pass

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path=None, *inputs, **options):
        return cls()

    def __getattr__(self, name):
        return transformers._outside()

    def __len__(self):
        return transformers._count()

    def __call__(self, text=None, text_pair=None, text_target=None, text_pair_target=None, add_special_tokens=True, **options):
        if isinstance(text, (list, tuple)):
            return encoded(len(text), **options)
        if isinstance(text, str):
            return encoded(None, **options)
        return transformers._outside()

    def batch_encode_plus(self, batch_text_or_text_pairs, add_special_tokens=True, **options):
        return encoded(len(batch_text_or_text_pairs), **options)

    def encode_plus(self, text, text_pair=None, add_special_tokens=True, **options):
        return encoded(None, **options)

    def encode(self, text, text_pair=None, add_special_tokens=True, **options):
        return encoded(None, **options)["input_ids"]

    def tokenize(self, text, **options):
        return _harp.some_of([str(transformers._outside())])

    def decode(self, token_ids, skip_special_tokens=False, **options):
        return str(transformers._outside())

    def batch_decode(self, sequences, skip_special_tokens=False, **options):
        return _harp.some_of([str(transformers._outside())])

    def convert_ids_to_tokens(self, ids, skip_special_tokens=False):
        return str(transformers._outside()) if isinstance(ids, int) else _harp.some_of([str(transformers._outside())])

    def convert_tokens_to_ids(self, tokens):
        return _harp.free_size("token", 0) if isinstance(tokens, str) else _ids()

    def convert_tokens_to_string(self, tokens):
        return str(transformers._outside())

    def pad(self, *arguments, **options):
        return transformers._outside()

    build_inputs_with_special_tokens = num_special_tokens_to_add = prepare_for_model = truncate_sequences = pad
    apply_chat_template = get_vocab = create_token_type_ids_from_sequences = get_special_tokens_mask = pad

    def add_tokens(self, new_tokens, special_tokens=False):
        return _harp.free_size("added", 0)

    def add_special_tokens(self, special_tokens_dict, **options):
        return _harp.free_size("added", 0)

    def save_pretrained(self, save_directory, **options):
        return None

    save_vocabulary = push_to_hub = save_pretrained

    @property
    def vocab_size(self):
        return transformers._count()


class PreTrainedTokenizer(PreTrainedTokenizerBase):
    pass


class PreTrainedTokenizerFast(PreTrainedTokenizerBase):
    pass


class AutoTokenizer(PreTrainedTokenizerBase):
    pass


AlbertTokenizer = AlbertTokenizerFast = BartTokenizer = BartTokenizerFast = BertJapaneseTokenizer = BertTokenizer = AutoTokenizer
BertTokenizerFast = BertweetTokenizer = BigBirdTokenizer = BlenderbotTokenizer = BloomTokenizerFast = CLIPTokenizer = AutoTokenizer
CLIPTokenizerFast = CTRLTokenizer = CamembertTokenizer = CamembertTokenizerFast = CodeLlamaTokenizer = DebertaTokenizer = AutoTokenizer
DebertaTokenizerFast = DebertaV2Tokenizer = DebertaV2TokenizerFast = DistilBertTokenizer = DistilBertTokenizerFast = AutoTokenizer
ElectraTokenizer = ElectraTokenizerFast = FlaubertTokenizer = GPT2Tokenizer = GPT2TokenizerFast = GPTNeoXTokenizerFast = AutoTokenizer
LlamaTokenizer = LlamaTokenizerFast = LongformerTokenizer = LongformerTokenizerFast = M2M100Tokenizer = MBart50Tokenizer = AutoTokenizer
MBart50TokenizerFast = MBartTokenizer = MBartTokenizerFast = MPNetTokenizer = MT5Tokenizer = MarianTokenizer = NllbTokenizer = AutoTokenizer
OpenAIGPTTokenizer = PegasusTokenizer = PegasusTokenizerFast = Qwen2Tokenizer = Qwen2TokenizerFast = RobertaTokenizer = AutoTokenizer
RobertaTokenizerFast = SqueezeBertTokenizer = T5Tokenizer = T5TokenizerFast = TransfoXLTokenizer = XLMRobertaTokenizer = AutoTokenizer
XLMRobertaTokenizerFast = XLMTokenizer = XLNetTokenizer = XLNetTokenizerFast = WhisperTokenizer = Wav2Vec2CTCTokenizer = AutoTokenizer
GemmaTokenizer = GemmaTokenizerFast = AutoTokenizer
