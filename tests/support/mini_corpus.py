"""The bundled mini corpus and its generator, for the tests of both."""

import functools
import gzip
import importlib.util
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "data" / "mini"
TOOL = ROOT / "tools" / "mini_corpus"
SPLITS = ("train", "dev", "test")


def load_generator():
    """`tools/mini_corpus/generate.py` as a module; it imports its neighbors by name."""
    path = TOOL / "generate.py"
    spec = importlib.util.spec_from_file_location("mini_generate", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(TOOL))
    try:
        spec.loader.exec_module(module)
        import lexicon
        import semantics
    finally:
        sys.path.remove(str(TOOL))
    return module, lexicon, semantics


generate, lexicon, semantics = load_generator()


def read_text(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read()


@functools.cache
def mini_corpus():
    """The rows of the bundled files, by split."""
    texts = {split: read_text(FOLDER / f"{split}.jsonl.gz") for split in SPLITS}
    return {
        split: [json.loads(line) for line in text.splitlines()]
        for split, text in texts.items()
    }


def words(sentence):
    return sentence.lower().rstrip(".").replace(",", "").split()
