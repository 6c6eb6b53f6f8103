"""Time of one prediction, and of the first prediction of a process.

    python benchmarks/latency.py [--models dsa esim] [--out FILE]

Published models with random weights and a vocabulary of 40,000 words answer pairs of
the available training file (SNLI's, else the bundled corpus's). Each process loads a
run folder, warms up, and then times all questions in turn: one pair, one sentence,
1,000 pairs, `explain`; and for comparison Keras's `predict_on_batch` on the bare model,
with prepared ids. Because alternating questions evict each other from the processor's
caches, one pair and one sentence are also predicted many times in a row (`in_a_row`).
Further processes are timed from their start to their first prediction, and from their
start until Keras is imported.
"""

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measuring

VOCABULARY, PAIRS, REPETITIONS = 40_000, 1_000, 100
IN_A_ROW = {"pair", "sentence"}
NO_FIGURES = "; print('{}')"  # wall time is measured from outside
FIRST_ANSWER = (
    "import sys, dsa; dsa.load(sys.argv[1]).predict([tuple(sys.argv[2:])])" + NO_FIGURES
)


def read_texts():
    """The first pairs of the available corpus."""
    from dsa.data.corpora.catalogue import get_corpus

    examples = get_corpus("snli").read_examples(measuring.find_corpus())
    return [example.texts for example in itertools.islice(examples, PAIRS)]


def write_run(name, folder):
    """Write a run folder of a published model with random weights."""
    import keras
    import numpy as np

    from dsa.backends.weight_files import save_weights
    from dsa.data.prepared.tokenizer import Tokenizer, tokenize_all
    from dsa.data.words.vocabulary import Vocabulary
    from dsa.experiment.yaml_file import load_experiment
    from dsa.models.building import build_model
    from dsa.runs.run_folder import RunFolder
    from dsa.runs.run_records import FORMAT

    experiment = load_experiment(f"configs/snli/{name}.yaml")
    tokenizer = Tokenizer(**experiment.tokenizer.model_dump())
    words, _ = tokenize_all(tokenizer, [text for pair in read_texts() for text in pair])
    more = [f"word {number}" for number in range(VOCABULARY - len(words))]
    vocabulary = Vocabulary([*words, *more])
    keras.utils.set_random_seed(0)
    model = build_model(experiment, len(vocabulary))
    size = (len(vocabulary), experiment.embedding.units)
    model.embedding.set_vectors(np.random.default_rng(0).normal(0, 0.3, size))
    run = RunFolder(folder)
    run.path.mkdir(parents=True)
    save_weights(run.weights, model)
    (run.path / "config.yaml").write_text(experiment.to_yaml())
    (run.path / "vocabulary.txt").write_text(vocabulary.to_text(), encoding="utf-8")
    environment = {
        "run_format": FORMAT,
        "sha256": {},
        "vocabulary_size": len(vocabulary),
    }
    (run.path / "environment.json").write_text(json.dumps(environment))


def list_questions(trained, pairs):
    """Returns the timed functions: `{name: function of the repetition's number}`."""
    from dsa.data.corpora.example import Example
    from dsa.data.prepared.corpus import from_examples

    examples = [Example(pair, None, "1", None, None, 1) for pair in pairs[:REPETITIONS]]
    prepared = from_examples(examples, trained.tokenizer, trained.task, "benchmark")
    rows = trained.reader.read(prepared, trained.vocabulary)
    ready = [rows.pad([row], rows.lengths[row]) for row in range(len(rows))]
    questions = {
        "pair": lambda turn: trained.predict([pairs[turn]]),
        "bare_pair": lambda turn: trained.model.predict_on_batch(ready[turn]),
        "explain": lambda turn: trained.explain(*pairs[turn]),
    }
    if trained.experiment.family.encodes:
        questions["sentence"] = lambda turn: trained.encode(pairs[turn][0])
    return questions | {"1000_pairs": lambda turn: trained.predict(pairs)}


def run_side(folder):
    """Loads a run, times all questions in turn, and prints the medians."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import dsa

    trained, pairs = dsa.load(folder), read_texts()
    questions = list_questions(trained, pairs)
    times = {name: [] for name in questions}
    for turn in range(-2, REPETITIONS):  # the first two turns warm up
        for name, ask in questions.items():
            if name == "1000_pairs" and turn >= 3:
                continue
            began = time.perf_counter()
            ask(max(turn, 0))
            times[name].append(time.perf_counter() - began)
    for name in sorted(questions.keys() & IN_A_ROW):
        row = times[f"{name}_in_a_row"] = []
        for turn in range(-2, REPETITIONS):
            began = time.perf_counter()
            questions[name](max(turn, 0))
            row.append(time.perf_counter() - began)
    figures = {
        f"{name}_ms": 1000 * statistics.median(t[2:]) for name, t in times.items()
    }
    figures["ran_on"] = measuring.describe_process()
    print(json.dumps(figures))


def make_commands(models, folder):
    """The commands of all sides, by name; writes a run folder for each model."""
    commands = {"keras": [sys.executable, "-c", f"import keras{NO_FIGURES}"]}
    texts = read_texts()[0]
    for name in models:
        run = str(Path(folder, name))
        write = [sys.executable, __file__, "--side", f"write {name}", "--run", run]
        subprocess.run(write, check=True)
        commands[f"{name} first answer"] = [
            *(sys.executable, "-c", FIRST_ANSWER, run),
            *texts,
        ]
        commands[name] = [sys.executable, __file__, "--side", name, "--run", run]
    return commands


def summarize(models, figures):
    """Seconds to the first answer beyond those to import Keras, by model."""
    imported = figures["keras"]["wall_seconds"]
    return {
        f"{name}_first_answer_after_keras_seconds": round(
            statistics.median(
                answer - keras
                for answer, keras in zip(
                    figures[f"{name} first answer"]["wall_seconds"],
                    imported,
                    strict=True,
                )
            ),
            3,
        )
        for name in models
    }


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument("--models", nargs="+", default=["dsa"], help="of configs/snli")
    parser.add_argument("--run", help="(for --side)")
    options = parser.parse_args()
    if options.side and options.side.startswith("write "):
        return write_run(options.side.removeprefix("write "), options.run)
    if options.side:
        return run_side(options.run)
    with tempfile.TemporaryDirectory() as folder:
        commands = make_commands(options.models, folder)
        measuring.compare(
            __file__,
            options,
            commands,
            {name: {"TF_CPP_MIN_LOG_LEVEL": "3"} for name in commands},
            lambda figures: summarize(options.models, figures),
        )


if __name__ == "__main__":
    main()
