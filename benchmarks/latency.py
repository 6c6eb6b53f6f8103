"""Time of a single prediction, and of the first prediction of a process.

    python benchmarks/latency.py [--models dsa esim] [--out FILE]

Published models with random weights and a vocabulary of 40,000 words predict pairs of
the available training file (SNLI, else the bundled corpus). Each process loads a run
folder, warms up, and then times all calls in turn: one pair, one sentence, 1,000 pairs,
`explain`, and for comparison `predict_on_batch` of the Keras model with prepared ids.
Because alternating calls evict each other from the processor's caches, one pair and one
sentence are also predicted many times in a row (`in_a_row`). A process with the suffix
`onnx` uses the ONNX export of the same run, without `explain` and `predict_on_batch`.
`_ms` are medians, `_p99_ms` 99th percentiles. Further processes are
timed from their start to their first prediction, and from their start to the end of the
Keras import.
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
WARM_UP = 2  # turns before the timed repetitions
IN_A_ROW = {"pair", "sentence"}
NO_FIGURES = "; print('{}')"  # only the wall time is measured, by `measuring`
FIRST_ANSWER = (
    "import sys, dsa; "
    "dsa.load(sys.argv[1], runtime='keras').predict([tuple(sys.argv[2:])])" + NO_FIGURES
)


def read_texts():
    """Returns the texts of the first pairs of the available corpus."""
    from dsa.data.corpora.catalogue import get_corpus

    examples = get_corpus("snli").read_examples(measuring.find_corpus())
    return [example.texts for example in itertools.islice(examples, PAIRS)]


def write_run(name, folder):
    """Writes a run folder of a published model with random weights."""
    import keras
    import numpy as np

    from dsa.backends.weight_files import save_weights
    from dsa.data.prepared.tokenizer import Tokenizer, tokenize_all
    from dsa.data.words.vocabulary import Vocabulary
    from dsa.experiment.yaml_file import load_experiment
    from dsa.models.building import build_model
    from dsa.runs.run_folder import RunFolder
    from dsa.runs.run_records import RUN_FORMAT

    experiment = load_experiment(f"configs/snli/{name}.yaml")
    tokenizer = Tokenizer(**experiment.tokenizer.model_dump())
    words, _ = tokenize_all(tokenizer, [text for pair in read_texts() for text in pair])
    filler = [f"word {number}" for number in range(VOCABULARY - len(words))]
    vocabulary = Vocabulary([*words, *filler])
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
        "run_format": RUN_FORMAT,
        "sha256": {},
        "vocabulary_size": len(vocabulary),
    }
    (run.path / "environment.json").write_text(json.dumps(environment))


def list_onnx_calls(trained, pairs):
    """Returns the timed calls of a run that is loaded with `runtime="onnx"`."""
    return {
        "pair": lambda turn: trained.predict([pairs[turn]]),
        "sentence": lambda turn: trained.encode(pairs[turn][0]),
        "1000_pairs": lambda turn: trained.predict(pairs),
    }


def list_calls(trained, pairs):
    """Returns the timed calls: `{name: function of the number of the repetition}`."""
    from dsa.data.corpora.example import Example
    from dsa.data.prepared.corpus import from_examples

    examples = [Example(pair, None, "1", None, None, 1) for pair in pairs[:REPETITIONS]]
    prepared = from_examples(examples, trained.tokenizer, trained.task, "benchmark")
    rows = trained.reader.convert(prepared, trained.vocabulary)
    batches = [rows.pad([row], rows.lengths[row]) for row in range(len(rows))]
    for batch in batches:  # the program of a new shape is compiled in its first call
        trained.model.predict_on_batch(batch)
    calls = {
        "pair": lambda turn: trained.predict([pairs[turn]]),
        "bare_pair": lambda turn: trained.model.predict_on_batch(batches[turn]),
        "explain": lambda turn: trained.explain(*pairs[turn]),
    }
    if trained.experiment.family.encodes:
        calls["sentence"] = lambda turn: trained.encode(pairs[turn][0])
    calls["1000_pairs"] = lambda turn: trained.predict(pairs)
    return calls


def time_call(call, turn):
    """Returns the seconds of a call; a warm-up turn (below 0) uses the first pair."""
    began = time.perf_counter()
    call(max(turn, 0))
    return time.perf_counter() - began


def run_side(folder, runtime):
    """Loads a run, times all calls in turn, and prints the figures as JSON."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import dsa

    trained, pairs = dsa.load(folder, runtime=runtime), read_texts()
    make_calls = list_onnx_calls if runtime == "onnx" else list_calls
    calls = make_calls(trained, pairs)
    seconds = {name: [] for name in calls}
    for turn in range(-WARM_UP, REPETITIONS):
        for name, call in calls.items():
            if name == "1000_pairs" and turn >= 3:
                continue
            seconds[name].append(time_call(call, turn))
    for name in sorted(calls.keys() & IN_A_ROW):
        seconds[f"{name}_in_a_row"] = [
            time_call(calls[name], turn) for turn in range(-WARM_UP, REPETITIONS)
        ]
    figures = {}
    for name, values in seconds.items():
        figures[f"{name}_ms"] = 1000 * statistics.median(values[WARM_UP:])
        if len(values) > REPETITIONS:
            percentiles = statistics.quantiles(values[WARM_UP:], n=100)
            figures[f"{name}_p99_ms"] = 1000 * percentiles[-1]
    if runtime == "keras":  # it would import Keras otherwise
        figures["ran_on"] = measuring.describe_process()
    print(json.dumps(figures))


def make_commands(models, folder):
    """Writes a run folder for each model. Returns the commands of all sides by name."""
    commands = {"keras": [sys.executable, "-c", f"import keras{NO_FIGURES}"]}
    texts = read_texts()[0]
    for name in models:
        run = str(Path(folder, name))
        write = [sys.executable, __file__, "--side", f"write {name}", "--run", run]
        subprocess.run(write, check=True)
        export = [sys.executable, "-m", "dsa", "export", run, "--in-run"]
        subprocess.run(export, check=True, stdout=subprocess.DEVNULL)
        first_answer = [sys.executable, "-c", FIRST_ANSWER, run, *texts]
        commands[f"{name} first answer"] = first_answer
        commands[name] = [sys.executable, __file__, "--side", name, "--run", run]
        commands[f"{name} onnx"] = [*commands[name], "--runtime", "onnx"]
    return commands


def summarize(models, figures):
    """Returns, by model, the seconds from the Keras import to the first prediction."""
    import_seconds = figures["keras"]["wall_seconds"]
    facts = {}
    for name in models:
        answer_seconds = figures[f"{name} first answer"]["wall_seconds"]
        differences = [
            answer - keras
            for answer, keras in zip(answer_seconds, import_seconds, strict=True)
        ]
        median = round(statistics.median(differences), 3)
        facts[f"{name}_first_answer_after_keras_seconds"] = median
    return facts


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument(
        "--models", nargs="+", default=["dsa"], help="names of configs in configs/snli"
    )
    parser.add_argument("--run", help="(for --side)")
    parser.add_argument("--runtime", default="keras", help="(for --side)")
    options = parser.parse_args()
    if options.side and options.side.startswith("write "):
        return write_run(options.side.removeprefix("write "), options.run)
    if options.side:
        return run_side(options.run, options.runtime)
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
