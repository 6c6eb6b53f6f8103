"""Synonyms and hypernyms from WordNet 3.0, read by NLTK."""

import contextlib
import functools
import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.errors import InputError
from dsa.system.folders import data_root

if TYPE_CHECKING:
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

DEBIAN_FOLDER = Path("/usr/share/wordnet")  # installed by the package `wordnet-base`


def open_wordnet(root: Path | str | None = None) -> "WordNetCorpusReader | None":
    """Returns a WordNet reader, or `None` if WordNet is not installed.

    If the environment variable `DSA_WORDNET` is set, only its folder is searched.
    Otherwise, `wordnet/` in the data root, NLTK's data folders and the folder of
    Debian's package are searched in this order.

    Args:
        root: the data root.

    Raises: `InputError` if the folder in `DSA_WORDNET` does not contain WordNet, or a
        file is damaged.
    """
    from nltk import data

    folders = [data_root(root) / "wordnet"]
    folders += [Path(folder) / "corpora" / "wordnet" for folder in data.path]
    folders.append(DEBIAN_FOLDER)
    override = os.environ.get("DSA_WORDNET")
    if override:
        folders = [Path(override)]
    for folder in folders:
        if (folder / "data.noun").is_file():
            return _open_folder(str(folder.resolve()))
    if override:
        raise InputError(
            "DSA_WORDNET must be a WordNet folder with a file 'data.noun'. "
            f"Received: {override}"
        )
    return None


@functools.cache
def _open_folder(folder):
    """Returns a reader of the WordNet files in a folder."""
    from nltk import data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class EnglishWordNet(WordNetCorpusReader):
        """NLTK's reader. The file `lexnames` may be missing, as in Debian's package."""

        def open(self, file):
            opened.append(file)
            if file == "lexnames" and not Path(folder, file).is_file():
                # number, name and part of speech, which features do not use
                return io.StringIO("".join(f"{n:02} {n:02} 0\n" for n in range(45)))
            return streams.enter_context(super().open(file))

        def map_wn(self, version="wordnet"):
            """Disables the mapping to other languages, which requires a corpus."""

        def synset_from_pos_and_offset(self, pos, offset):
            location = (
                f"{folder}/data.{self._FILEMAP.get(pos, pos)}: damaged: byte {offset}"
            )
            try:
                synset = super().synset_from_pos_and_offset(pos, offset)
            except Exception as error:  # NLTK raises errors of many types
                raise InputError(f"{location}: {error}") from error
            if synset is None:
                raise InputError(f"{location}: no synset")
            return synset

    opened = []  # names of the opened files
    streams = contextlib.ExitStack()  # the reader keeps its files open
    if folder not in data.path:
        data.path.append(folder)  # NLTK only opens files below these folders
    try:
        for part in ("noun", "verb", "adj", "adv"):
            _check_files(Path(folder, f"data.{part}"), Path(folder, f"index.{part}"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "multilingual functions not available"
            return EnglishWordNet(folder, None)
    except Exception as error:
        streams.close()
        file = f"{opened[-1]}: " if opened else ""
        raise InputError(f"{folder}: damaged WordNet: {file}{error}") from error


def _check_files(data_file, index_file):
    """Raises `ValueError` unless the index lists exactly the synsets of a data file.

    NLTK only reads a synset, by its byte offset, when a word is looked up. Without this
    check, a truncated file or a file with other line ends would cause an error in the
    middle of a computation.
    """
    offsets = set()  # offsets of the synsets in the data file
    indexed_offsets = set()
    position = 0
    for line in data_file.read_bytes().splitlines(keepends=True):
        if not line.startswith(b" "):  # lines of the licence start with a space
            if line[:8] != b"%08d" % position or not line.endswith(b"\n"):
                raise ValueError(
                    f"{data_file.name}: no intact synset at byte {position}"
                )
            offsets.add(line[:8])
        position += len(line)
    for line in index_file.read_bytes().splitlines():
        if not line.startswith(b" "):
            # lemma, part of speech, number of offsets, ..., offsets
            fields = line.split()
            if len(fields) > 3 and fields[2].isdigit():
                indexed_offsets.update(fields[-int(fields[2]) :])
            else:  # malformed, so that the comparison fails
                indexed_offsets.update(fields)
    if indexed_offsets != offsets:
        raise ValueError(f"{index_file.name}: not the index of {data_file.name}")


class WordRelations:
    """Stems, synonyms and hypernyms of words. All results are cached.

    Args:
        reader: the result of `open_wordnet`. If it is `None`, words have no synonyms
            and hypernyms.
    """

    def __init__(self, reader: "WordNetCorpusReader | None"):
        from nltk.stem import PorterStemmer

        self.version = None if reader is None else reader.get_version()
        self._reader = reader
        self.stem = functools.cache(PorterStemmer().stem)
        self.synsets = functools.cache(self._read_synsets)
        self.synonyms = functools.cache(self._read_synonyms)
        self.hypernyms = functools.cache(self._read_hypernyms)

    def are_synonyms(self, word: str, other: str) -> bool:
        """Returns whether a synset of one word contains the other word."""
        if other.lower() in self.synonyms(word):
            return True
        return word.lower() in self.synonyms(other)

    def has_hypernym(self, word: str, other: str) -> bool:
        """Returns whether `other` is a hypernym of `word`."""
        return other.lower() in self.hypernyms(word)

    def _read_synsets(self, word):
        if self._reader is None:
            return []
        return self._reader.synsets(word)

    def _read_synonyms(self, word):
        """Returns the lower-cased lemmas of all synsets of a word."""
        return _list_lemmas(self.synsets(word))

    def _read_hypernyms(self, word):
        """Returns the lower-cased lemmas of all direct and indirect hypernyms of the
        first synset of a word."""
        hypernyms, queue = set(), self.synsets(word)[:1]
        while queue:
            synset = queue.pop()
            new = set(synset.hypernyms()) - hypernyms  # hypernyms of verbs form cycles
            hypernyms |= new
            queue += new
        return _list_lemmas(hypernyms)


def _list_lemmas(synsets):
    return frozenset(
        name.lower() for synset in synsets for name in synset.lemma_names()
    )
