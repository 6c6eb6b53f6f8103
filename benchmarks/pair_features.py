"""Time to compute the pair features of WikiQA, MSRP and SICK.

    DSA_DATA=<corpora> python benchmarks/pair_features.py [--out FILE]

Computes all features of the published settings (`configs/*/bcnn.yaml`) on train, dev
and test, as in training and evaluation. The time includes reading and tokenizing, but
not the start of TensorFlow. Word vectors, used only for antonyms, have 50 dimensions.
Sides: with an empty cache, and with a full cache.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import measuring

CORPORA = ("wikiqa", "msrp", "sick_entailment")


def read_features(name):
    """Reads all rows of a corpus with their features, as in training and evaluation.

    Returns: number of rows, and number of features per row.
    """
    from dsa.data.corpora.catalogue import get_corpus
    from dsa.data.corpora.files import find_file
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.tokenizer import Tokenizer
    from dsa.experiment.yaml_file import load_experiment
    from dsa.papers.presets import get_preset_overrides
    from dsa.system.folders import data_root
    from dsa.training.training_corpora import find_training_files
    from dsa.training.training_data import build_training_data

    experiment = load_experiment(
        f"configs/{name}/bcnn.yaml", get_preset_overrides("small", name)
    )
    data = build_training_data(experiment, find_training_files(experiment, data_root()))
    test = prepare(
        find_file(data_root(), experiment.data.test),
        get_corpus(name),
        Tokenizer(**experiment.tokenizer.model_dump()),
    )
    rows = len(data.rows)
    for corpus in (data.corpora["dev"], test):
        rows += len(data.reader.convert(corpus, data.vocabulary))
    return rows, experiment.feature_count


def run_side():
    """Reads all corpora in this process and prints the figures as JSON."""
    import dsa.training.training_data  # noqa: F401 (excludes the import from the time)

    figures = {}
    began = time.perf_counter()
    for name in CORPORA:
        corpus_began = time.perf_counter()
        rows, features = read_features(name)
        figures[f"{name}_seconds"] = time.perf_counter() - corpus_began
        figures[f"{name}_rows"] = rows
        figures[f"{name}_features"] = features
    print(json.dumps({"seconds": time.perf_counter() - began, **figures}))


def main():
    parser = measuring.make_parser(__doc__, rounds=3)
    options = parser.parse_args()
    if options.side:
        return run_side()
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder, "cache")
        command = [sys.executable, __file__, "--side", "features"]
        uncached = ["sh", "-c", f"rm -rf {cache}; exec " + " ".join(command)]
        commands = {"empty cache": uncached, "from cache": command}
        settings = {name: {"DSA_CACHE": str(cache)} for name in commands}
        measuring.compare(__file__, options, commands, settings)


if __name__ == "__main__":
    main()
