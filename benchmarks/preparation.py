"""Time to prepare a corpus of the size of SNLI, and to evaluate a run.

    DSA_DATA=<corpora> python benchmarks/preparation.py [--run RUN] [--out FILE]

The corpus has 550,000 pairs as `.jsonl` with all fields of SNLI. The pairs of the
available training file (partial SNLI, else the bundled corpus) are repeated with
invented words, which preserves the share of distinct sentences. Sides: one core with an
empty cache (the baseline), all cores with an empty cache, and a full cache. `--run`
also measures `evaluate.py` of this run on dev, including start-up.
"""

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

import machine_load
import measuring

PAIRS = 550_000


def write_corpus(source, path):
    """Writes `PAIRS` rows of `source`. Repeated rows get an additional word."""
    from dsa.data.corpora.files import read_lines

    rows = [json.loads(line) for _, line in read_lines(source)]
    with open(path, "w", encoding="utf-8") as file:
        for number in range(PAIRS):
            repetition, position = divmod(number, len(rows))
            row = rows[position]
            suffix = f" zz{repetition}q" if repetition else ""
            texts = row["sentence1"] + suffix, row["sentence2"] + suffix
            file.write(write_row(number, row["gold_label"], texts) + "\n")


def write_row(number, label, texts):
    """Returns a row as a line of `.jsonl` with all fields of SNLI.

    Args:
        number: number of the row, used in its ids.
        label: label as text, "-" for none.
        texts: premise and hypothesis.
    """
    fields = {
        "annotator_labels": [label],
        "captionID": f"{number}.jpg#0",
        "gold_label": label,
        "pairID": f"{number}.jpg#0r1e",
    }
    for side, text in zip(("sentence1", "sentence2"), texts, strict=True):
        words = text.split()
        fields[side] = text
        fields[f"{side}_binary_parse"] = "( " + " ".join(words) + " )"
        leaves = " ".join(f"(NN {word})" for word in words)
        fields[f"{side}_parse"] = f"(ROOT (S (NP {leaves})))"
    return json.dumps(fields)


def run_side(path):
    """Prepares the corpus in this process and prints the figures as JSON."""
    from dsa.data.corpora.catalogue import get_corpus
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.tokenizer import Tokenizer

    began = time.perf_counter()
    corpus = prepare(path, get_corpus("snli"), Tokenizer())
    figures = {
        "seconds": round(time.perf_counter() - began, 3),
        "pairs": len(corpus),
        "distinct_sentences": len(corpus.sentences),
        "words": len(corpus.words),
    }
    print(json.dumps(figures))


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument("--run", type=Path, help="run on SNLI to evaluate")
    parser.add_argument("file", nargs="?", help="(for --side)")
    options = parser.parse_args()
    if options.side:
        return run_side(options.file)
    load = machine_load.refuse_load(options.anyway)
    source = measuring.find_corpus()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.jsonl")
        write_corpus(source, path)
        command = [sys.executable, __file__, "--side", "prepare", str(path)]
        cache = Path(folder, "cache")
        uncached = ["sh", "-c", f"rm -rf {cache}; exec " + " ".join(command)]
        commands = {"one core": uncached, "all cores": uncached, "from cache": command}
        settings = {name: {"DSA_CACHE": str(cache)} for name in commands}
        settings["one core"]["LOKY_MAX_CPU_COUNT"] = "1"
        figures = measuring.run_in_turn(commands, options.rounds, settings)
        size = path.stat().st_size
    if options.run:
        figures["evaluate dev"] = measure_evaluation(options)
    measuring.report(
        __file__,
        options,
        load,
        figures,
        source=source.name,
        corpus_bytes=size,
        time_ratio_all_cores_to_one=measuring.median_ratio(
            figures["all cores"]["seconds"], figures["one core"]["seconds"]
        ),
    )


def measure_evaluation(options):
    """Returns the figures of `scripts/evaluate.py` on a copy of the run.

    The command runs once before the measurement, so that dev is in the cache.
    """
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder, "run")
        shutil.copytree(options.run, run)
        script = Path(__file__).parent.parent / "scripts" / "evaluate.py"
        shell_line = f"{sys.executable} {script} {run} > {folder}/out && echo '{{}}'"
        commands = {"evaluate dev": ["sh", "-c", shell_line]}
        settings = {"evaluate dev": {"DSA_CACHE": f"{folder}/cache"}}
        measuring.run_in_turn(commands, 1, settings)
        figures = measuring.run_in_turn(commands, options.rounds, settings)
        return figures["evaluate dev"]


if __name__ == "__main__":
    main()
