"""The bundled mini corpus and its generator."""

import functools
import gzip
import importlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "data" / "mini"
TOOL = ROOT / "tools" / "mini_corpus"
MODULES = ("generate", "lengths", "lexicon", "semantics")
SPLITS = ("train", "dev", "test")


def load_generator():
    """Imports the modules of `tools/mini_corpus`, which import each other by name."""
    sys.path.insert(0, str(TOOL))
    try:
        return [importlib.import_module(name) for name in MODULES]
    finally:
        sys.path.remove(str(TOOL))


generate, lengths, lexicon, semantics = load_generator()


def read_text(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read()


@functools.cache
def mini_corpus():
    """Returns the rows of the bundled files, by split."""
    texts = {split: read_text(FOLDER / f"{split}.jsonl.gz") for split in SPLITS}
    return {
        split: [json.loads(line) for line in text.splitlines()]
        for split, text in texts.items()
    }


def words(sentence):
    return sentence.lower().rstrip(".").replace(",", "").split()
