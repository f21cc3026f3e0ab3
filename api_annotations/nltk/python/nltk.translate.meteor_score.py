# `nltk.translate.meteor_score`.
from nltk.translate.bleu_score import sentence_bleu as meteor_score

single_meteor_score = meteor_score
