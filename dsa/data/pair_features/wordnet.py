"""WordNet, where it is, and the relations of words that it knows."""

import functools
import io
import os
import warnings
from pathlib import Path

from dsa.data.pair_features.wordnet_files import check_wordnet
from dsa.errors import InputError
from dsa.system.folders import data_root
from dsa.system.reading import check_regular

DEBIAN_FOLDER = Path("/usr/share/wordnet")  # of its package `wordnet-base`
FILE = "data.noun"  # a folder with it is a WordNet

# The lexicographer files in the order of their numbers, of the manual page lexnames(5).
LEXNAMES = """
adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute
noun.body noun.cognition noun.communication noun.event noun.feeling noun.food noun.group
noun.location noun.motive noun.object noun.person noun.phenomenon noun.plant
noun.possession noun.process noun.quantity noun.relation noun.shape noun.state
noun.substance noun.time verb.body verb.change verb.cognition verb.communication
verb.competition verb.consumption verb.contact verb.creation verb.emotion verb.motion
verb.perception verb.possession verb.social verb.stative verb.weather adj.ppl
""".split()
PARTS_OF_SPEECH = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


def find_wordnet(root=None):
    """NLTK's reader of WordNet, or `None` where there is no WordNet.

    It is looked for in the folder that `DSA_WORDNET` names, in `wordnet/` below the
    data root, as given on the command line, in NLTK's own folders, and where Debian's
    package puts it.

    Raises: `InputError` if `DSA_WORDNET` names a folder without WordNet, or if a
        WordNet cannot be read.
    """
    folder = _find_folder(root)
    return None if folder is None else _open(str(folder))


def _find_folder(root):
    named = os.environ.get("DSA_WORDNET")
    if named and not _is_wordnet(Path(named)):
        raise InputError(f"DSA_WORDNET: {named}: no WordNet, it has no file '{FILE}'")
    from nltk import data

    candidates = [
        Path(named or data_root(root) / "wordnet"),
        data_root(root) / "wordnet",
        *(Path(folder) / "corpora" / "wordnet" for folder in data.path),
        DEBIAN_FOLDER,
    ]
    return next((folder for folder in candidates if _is_wordnet(folder)), None)


def _is_wordnet(folder):
    return (folder / FILE).is_file()


@functools.cache
def _open(folder):
    from nltk import data

    folder = str(Path(folder).resolve())
    if folder not in data.path:
        data.path.append(folder)  # NLTK reads nothing outside these folders
    try:
        check_wordnet(Path(folder))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it has English only
            reader = _make_reader_class()(folder, None)
            names = [synset.name() for synset in reader.synsets("animals")]
    except InputError as error:
        raise InputError(f"{error}. It is no readable WordNet") from error
    except Exception as error:  # NLTK raises many kinds
        raise InputError(f"{folder}: not a readable WordNet: {error}") from error
    if "animal.n.01" not in names:
        raise InputError(f"{folder}: not a readable WordNet: it lacks common words")
    return reader


@functools.cache
def _make_reader_class():
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class EnglishWordNet(WordNetCorpusReader):
        """NLTK's reader, for folders without `lexnames`, as Debian's is, and without
        the map to WordNets of other languages, which reads NLTK's own folder."""

        def open(self, file):
            if file == "lexnames" and not (Path(self.root) / file).is_file():
                return io.StringIO(write_lexnames())
            check_regular(Path(self.root) / file)
            return super().open(file)

        def map_wn(self, version="wordnet"):
            return None

    return EnglishWordNet


def write_lexnames():
    """The text of WordNet's file `lexnames`: number, name and part of speech."""
    return "".join(
        f"{number:02}\t{name}\t{PARTS_OF_SPEECH[name.split('.')[0]]}\n"
        for number, name in enumerate(LEXNAMES)
    )


class WordRelations:
    """Stems, synonyms and hypernyms of words, each looked up once. With the `reader`
    `None` a word has no synonyms and no hypernyms."""

    def __init__(self, reader):
        from nltk.stem import PorterStemmer

        self.version = None if reader is None else reader.get_version()
        self._reader = reader
        self.stem = functools.cache(PorterStemmer().stem)
        self.synsets = functools.cache(self._look_up_synsets)
        self.synonyms = functools.cache(self._look_up_synonyms)
        self.hypernyms = functools.cache(self._look_up_hypernyms)

    def are_synonyms(self, word, other):
        """Whether one is a name in some synset of the other."""
        pairs = ((word, other), (other, word))
        return any(name.lower() in self.synonyms(of) for of, name in pairs)

    def has_hypernym(self, word, other):
        """Whether the second is a hypernym of the first."""
        return other.lower() in self.hypernyms(word)

    def _look_up_synsets(self, word):
        return [] if self._reader is None else self._reader.synsets(word)

    def _look_up_synonyms(self, word):
        """The names in all synsets of a word, in lower case."""
        return _lower_names(self.synsets(word))

    def _look_up_hypernyms(self, word):
        """The names in all synsets above the first synset of a word, in lower case."""
        above, below = set(), self.synsets(word)[:1]
        while below:
            new = {*below.pop().hypernyms()} - above  # verbs have a circle of them
            above |= new
            below += new
        return _lower_names(above)


def _lower_names(synsets):
    return frozenset(
        name.lower() for synset in synsets for name in synset.lemma_names()
    )
