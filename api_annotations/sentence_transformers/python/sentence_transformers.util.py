# `sentence_transformers.util`: each row with each.
import torch
import harp_library as _harp


def _rows(a):
    if isinstance(a, list):
        return len(a) if len(a) > 0 and not isinstance(a[0], (int, float)) else 1
    return 1 if a.ndim == 1 else a.shape[0]


def cos_sim(a, b):
    return _harp.tensor((_rows(a), _rows(b)), None)


pytorch_cos_sim = dot_score = cos_sim


def _known(*arguments, **options):
    return _harp.outside("what texts have in common")


semantic_search = paraphrase_mining = community_detection = pairwise_cos_sim = pairwise_dot_score = normalize_embeddings = batch_to_device = _known
http_get = mine_hard_negatives = _known
