"""Time of an epoch of BCNN on WikiQA, compared with a BCNN in plain PyTorch.

    DSA_DATA=<corpora> python benchmarks/bcnn_step.py
      [--torch .venv-torch/bin/python] [--jax .venv-jax/bin/python] [--out FILE]

Trains BCNN (`configs/wikiqa/bcnn.yaml`, with 50-d vectors and batches of 32 pairs) in
float32 with `fit` on the backend of this environment, and `plain_bcnn.py` in an
environment with PyTorch. The data are all training pairs of WikiQA, or of the bundled
corpus if WikiQA is missing. Sides:

    ours                on the backend of this environment
    ours, JAX           on JAX, if `--jax` is given
    plain               shuffled batches, each padded to its longest sentences
    plain, our batches  batches of pairs with similar lengths, like "ours"

"Ours" prepares its batches during training, the plain sides in advance. Token ids are
random and features are 0, because the time does not depend on their values. Fitting the
final classifier and evaluating dev are excluded. Each process trains for a warm-up
epoch, followed by a timed epoch.
"""

import json
import os
import sys
import time

import measuring

WIKIQA = "wikiqa/WikiQA-train.tsv"
OVERRIDES = {"embedding.units": 50, "training.batch_size": 32}
PLAIN = ("plain", "plain, our batches")
JAX = "ours, JAX"


def find_corpus():
    """Returns the path of the training file and the name of its corpus."""
    from dsa.data.corpora.files import find_file
    from dsa.errors import InputError
    from dsa.system.folders import data_root

    try:
        return find_file(data_root(), WIKIQA), "wikiqa"
    except InputError:
        return measuring.find_corpus(), "snli"


def prepare_batches(experiment, vocabulary):
    """Returns the `TrainingBatches` of an experiment, with random words."""
    import numpy as np

    from dsa.backends.compilation import compiles_each_shape
    from dsa.data.batching.training_batches import TrainingBatches, TrainingRows
    from dsa.data.corpora.catalogue import get_corpus
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.sentences import Sentences
    from dsa.data.prepared.tokenizer import Tokenizer
    from dsa.data.rows.model_rows import ModelRows

    path, name = find_corpus()
    corpus = prepare(path, get_corpus(name), Tokenizer(max_tokens=40))
    rows = corpus.labelled
    random = np.random.default_rng(0)
    ids = random.integers(2, vocabulary, len(corpus.sentences.ids), np.int32)
    features = np.zeros((len(rows), experiment.feature_count), np.float32)
    return TrainingBatches(
        TrainingRows(
            ModelRows(
                Sentences(ids, corpus.sentences.offsets),
                corpus.sentence_indices[rows],
                experiment.inputs,
                features,
            ),
            np.minimum(corpus.labels[rows], 1),
        ),
        experiment.training.batch_size,
        seed=1,
        by_length=experiment.training.by_length,
        max_shapes=experiment.training.shapes if compiles_each_shape() else None,
    )


def train_plain(experiment, batches, vocabulary):
    """Trains the plain model for two epochs. Returns the seconds of the second."""
    import torch
    from plain_bcnn import PlainBCNN
    from torch.nn import functional

    settings = experiment.model
    model = PlainBCNN(
        vocabulary,
        experiment.embedding.units,
        settings.filters,
        settings.width,
        experiment.feature_count,
    )
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adagrad(
        trained, experiment.training.learning_rate, weight_decay=2 * settings.l2
    )
    names = (*experiment.inputs, "features")
    for _ in range(2):
        began = time.perf_counter()
        for inputs, labels in batches:
            logits = model(*(torch.from_numpy(inputs[name]) for name in names))
            loss = functional.cross_entropy(logits, torch.from_numpy(labels).long())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return time.perf_counter() - began


def run_side(name):
    """Trains in this process and prints the figures as JSON."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if name in PLAIN:
        os.environ["KERAS_BACKEND"] = "torch"  # the only backend of this environment
    import numpy as np
    import train_step

    from dsa.experiment.yaml_file import load_experiment

    experiment = load_experiment(
        "configs/wikiqa/bcnn.yaml",
        {**OVERRIDES, "training.by_length": name != "plain"},
    )
    training_batches = prepare_batches(experiment, train_step.VOCABULARY)
    steps = training_batches.steps_per_epoch
    batches = [training_batches.make_batch(step) for step in range(steps)]
    if name not in PLAIN:
        model = train_step.build_model(experiment)
        turns = train_step.train_turns(
            model, experiment, training_batches.make_batch, steps
        )
        seconds = turns.seconds[1]
    else:
        seconds = train_plain(experiment, batches, train_step.VOCABULARY)
    pairs = sum(len(labels) for _, labels in batches)
    arrays = [inputs[side] for inputs, _ in batches for side in experiment.inputs]
    real_tokens = sum(np.count_nonzero(ids) for ids in arrays)
    padding = 1 - real_tokens / sum(ids.size for ids in arrays)
    figures = {
        "epoch_seconds": seconds,
        "step_seconds": seconds / steps,
        "pairs_per_second": pairs / seconds,
        "padding_share": padding,
    }
    ran_on = {**measuring.describe_process(), "corpus": find_corpus()[0].name}
    print(json.dumps({**figures, "ran_on": {**ran_on, "pairs": pairs}}))


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument(
        "--torch", default=".venv-torch/bin/python", help="interpreter with PyTorch"
    )
    parser.add_argument("--jax", help="interpreter with JAX")
    options = parser.parse_args()
    if options.side:
        return run_side(options.side)
    pythons = {"ours": sys.executable, **dict.fromkeys(PLAIN, options.torch)}
    settings = {}
    if options.jax:
        pythons[JAX] = options.jax
        settings[JAX] = {"KERAS_BACKEND": "jax"}
    commands = {
        name: [python, __file__, "--side", name] for name, python in pythons.items()
    }

    def ratios(figures):
        rates = {name: figures[name]["pairs_per_second"] for name in commands}
        return {
            f"pairs_per_second_of_{ours}_against": {
                name: measuring.median_ratio(rates[ours], rates[name]) for name in PLAIN
            }
            for ours in commands
            if ours not in PLAIN
        }

    measuring.compare(__file__, options, commands, settings, ratios)


if __name__ == "__main__":
    main()
