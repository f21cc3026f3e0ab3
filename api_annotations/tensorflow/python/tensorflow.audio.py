# Sounds.
from typing import NamedTuple

from harp_library import free_size
from tensorflow._shared import made


class DecodeWav(NamedTuple):
    audio: object
    sample_rate: object


def decode_wav(contents, desired_channels=-1, desired_samples=-1, name=None):
    samples = free_size("samples", 0) if desired_samples == -1 else desired_samples
    channels = free_size("channels", 1) if desired_channels == -1 else desired_channels
    return DecodeWav(made((samples, channels), "float32"), made((), "int32"))


def encode_wav(audio, sample_rate, name=None):
    return made((), None)
