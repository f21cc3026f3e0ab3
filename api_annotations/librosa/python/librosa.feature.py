# `librosa.feature`: features of each hop.
import numpy as np
import harp_library as _harp
from librosa._sounds import framed


def melspectrogram(y=None, sr=22050, S=None, n_fft=2048, hop_length=512, win_length=None, window="hann", center=True, pad_mode="constant",
                   power=2.0, n_mels=128, **options):
    return framed(y, n_mels, hop_length, S, None, center, n_fft)


def mfcc(y=None, sr=22050, S=None, n_mfcc=20, dct_type=2, norm="ortho", lifter=0, mel_norm="slaney", hop_length=512, center=True, n_fft=2048,
         **options):
    return framed(y, n_mfcc, hop_length, S, None, center, n_fft)


def spectral_centroid(y=None, sr=22050, S=None, n_fft=2048, hop_length=512, center=True, **options):
    return framed(y, 1, hop_length, S, None, center, n_fft)


spectral_bandwidth = spectral_rolloff = spectral_flatness = spectral_centroid


def rms(y=None, S=None, frame_length=2048, hop_length=512, center=True, pad_mode="constant", dtype=None):
    return framed(y, 1, hop_length, S, None, center, frame_length)


rmse = rms


def zero_crossing_rate(y, frame_length=2048, hop_length=512, center=True, **options):
    return framed(y, 1, hop_length, None, None, center, frame_length)


def chroma_stft(y=None, sr=22050, S=None, n_fft=2048, hop_length=512, n_chroma=12, center=True, **options):
    return framed(y, n_chroma, hop_length, S, None, center, n_fft)


def chroma_cqt(y=None, sr=22050, hop_length=512, n_chroma=12, **options):
    return framed(y, n_chroma, hop_length)


chroma_cens = chroma_cqt


def spectral_contrast(y=None, sr=22050, S=None, n_fft=2048, hop_length=512, n_bands=6, center=True, **options):
    return framed(y, n_bands + 1, hop_length, S, None, center, n_fft)


def poly_features(y=None, sr=22050, S=None, n_fft=2048, hop_length=512, order=1, center=True, **options):
    return framed(y, order + 1, hop_length, S, None, center, n_fft)


def tonnetz(y=None, sr=22050, chroma=None, hop_length=512, **options):
    return _harp.array(None)


def delta(data, width=9, order=1, axis=-1, mode="interp", **options):
    return _harp.array(data.shape if isinstance(data, np.ndarray) else None)


def stack_memory(data, **options):
    return _harp.array(None)


def _numbers(*arguments, **options):
    return _harp.outside("numbers of a sound")


tempo = tempogram = fourier_tempogram = _numbers


class inverse:
    @staticmethod
    def mel_to_audio(M, *arguments, **options):
        return _harp.array((_harp.free_size("samples", 1),))

    mfcc_to_audio = mel_to_stft = mfcc_to_mel = mel_to_audio
