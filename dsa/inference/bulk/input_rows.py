"""The rows of an input file, whatever its form.

Text and JSON lines are read as `dsa encode --file` and `dsa predict --file` read them.
CSV, TSV, Parquet, and JSON lines with other keys are read by the names of columns.
"""

from pathlib import Path

from dsa.data.corpora.example import check_examples
from dsa.data.corpora.input_files import read_pairs, read_sentences
from dsa.data.corpora.own import ID, OWN, has_own_columns, read_own_unlabelled
from dsa.data.corpora.question_files import read_questions
from dsa.errors import InputError
from dsa.inference.bulk.parquet import PARQUET, read_parquet
from dsa.tasks.task import PAIR, SINGLE

SENTENCES, PAIRS = "sentences", "pairs"
READERS = {
    SENTENCES: read_sentences,
    PAIRS: read_pairs,
    "questions": read_questions,
}
COLUMNS = {  # of a file whose columns always have names, if nothing else is said
    SENTENCES: dict(zip(SINGLE, SINGLE, strict=True)),
    PAIRS: dict(zip(PAIR, ("sentence1", "sentence2"), strict=True)),
}
NAMED = {SENTENCES: (".csv", ".tsv", PARQUET), PAIRS: (".csv", PARQUET)}


def parse_columns(texts, form):
    """`{input: column}` from texts such as `sentence=review`; `None` for no texts.

    Args:
        texts: of the command line.
        form: `sentences`, `pairs` or `questions`.

    Raises: `InputError` for an input that rows of this form do not have, or one that is
        missing.
    """
    if not texts:
        return None
    if form not in COLUMNS:
        raise InputError(f"--columns: a file of {form} has no columns to choose")
    needed = list(COLUMNS[form])
    columns = {}
    for text in texts:
        name, equal, column = text.partition("=")
        if not (equal and column) or name not in (*needed, ID) or name in columns:
            raise InputError(
                f"--columns: {'=NAME '.join(needed)}=NAME is needed, and {ID}=NAME if "
                f"there is one. Received: {text[:80]!r}"
            )
        columns[name] = column
    missing = [name for name in needed if name not in columns]
    if missing:
        raise InputError(f"--columns: {missing[0]}=NAME is missing")
    return columns


def find_columns(path, form, given, data=None):
    """The columns that a file is read by; `None` for a file without names.

    Args:
        path: the file.
        form: as of `parse_columns`.
        given: what the user has said, `{input: column}` or `None`.
        data: the `data` section of a run's config, whose own columns are used where the
            file has them; `None` for none.
    """
    if given is not None:
        return given
    if data is not None and data.corpus == OWN:
        inputs, names = tuple(COLUMNS[form]), data.columns.names
        if _suffix(path) == PARQUET or has_own_columns(path, inputs, names):
            return {name: names[name] for name in (*inputs, ID) if name in names}
    return COLUMNS[form] if _suffix(path) in NAMED.get(form, ()) else None


def read_examples(path, form, columns=None):
    """Yield an `Example` without label for every row of a file.

    Args:
        path: the file.
        form: as of `parse_columns`.
        columns: of `find_columns`.

    Raises: `InputError` with file, line and reason for a row that cannot be read, and
        for one with an empty text.
    """
    if columns is None:
        examples = READERS[form](path)
    elif _suffix(path) == PARQUET:
        examples = read_parquet(path, tuple(COLUMNS[form]), columns)
        examples = check_examples(examples, path, form)
    else:
        examples = read_own_unlabelled(path, tuple(COLUMNS[form]), columns)
    for example in examples:
        for text in example.texts:
            if not text.strip():
                raise InputError(f"{path}, line {example.line}: a text is empty")
        yield example


def guess_suffix(first, named):
    """The suffix of the form of standard input.

    Args:
        first: its first bytes.
        named: whether its columns are named by the user.
    """
    line = first.removeprefix(b"\xef\xbb\xbf").split(b"\n")[0]
    if first.startswith(b"PAR1"):
        return PARQUET
    if line.lstrip().startswith(b"{"):
        return ".jsonl"
    if not named:
        return ".txt"
    return ".tsv" if b"\t" in line else ".csv"


def _suffix(path):
    return Path(str(path).removesuffix(".gz")).suffix
