# `nltk`: texts become lists of words, of unknown length.
import harp_library as _harp


def _word():
    return str(_harp.outside("a word"))


def _words(*arguments, **options):
    return _harp.some_of([_word()])


def _known(*arguments, **options):
    return _harp.outside("what is known of a text")


def _pairs(*arguments, **options):
    return _harp.some_of([(_word(), _word())])


def download(*arguments, **options):
    return bool(_harp.outside("whether it was loaded"))


word_tokenize = sent_tokenize = wordpunct_tokenize = regexp_tokenize = casual_tokenize = blankline_tokenize = _words
pos_tag = bigrams = _pairs
ngrams = trigrams = everygrams = skipgrams = pos_tag_sents = ne_chunk = edit_distance = jaccard_distance = _known
FreqDist = ConditionalFreqDist = Text = TextCollection = Tree = RegexpParser = Prover9 = pad_sequence = _known
NaiveBayesClassifier = MaxentClassifier = collocations = BigramAssocMeasures = CFG = ChartParser = _known


class _Tool:
    """What cuts words, or looks at them."""

    def __init__(self, *arguments, **options):
        pass

    def _one(self, *arguments, **options):
        return _word()

    stem = lemmatize = _one

    def tokenize(self, text, *arguments, **options):
        return _words()

    def tag(self, tokens):
        return _pairs()

    def __getattr__(self, name):
        return _known


PorterStemmer = SnowballStemmer = LancasterStemmer = WordNetLemmatizer = RegexpStemmer = TweetTokenizer = RegexpTokenizer = _Tool
TreebankWordTokenizer = PunktSentenceTokenizer = WhitespaceTokenizer = SentimentIntensityAnalyzer = _Tool


class _Corpus:
    def __init__(self, *arguments, **options):
        pass

    def words(self, *arguments, **options):
        return _words()

    def __getattr__(self, name):
        return _known


class _Corpora:
    def __getattr__(self, name):
        return _Corpus()


corpus = _Corpora()


class _Data:
    def __init__(self):
        self.path = _words()

    def __getattr__(self, name):
        return _known


data = _Data()
