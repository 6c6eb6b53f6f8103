"""Speed-up of DSA training by encoding each premise of a batch only once.

    DSA_DATA=<corpora> python benchmarks/premises_once.py [--steps 20] [--set KEY=VALUE]
      [--out FILE]

The published model (`configs/snli/dsa.yaml`, 300-d vectors) trains with `fit` at its
configured batch size on `KERAS_BACKEND`, with and without `training.premises_once`, on
two sets of rows:

    file   rows of the available training file (SNLI, else the bundled corpus). A part
           of SNLI can have fewer hypotheses per premise than the complete file
    snli   as many rows as SNLI, drawn from this file. Every premise has 3 or 6
           hypotheses, the same number of each label, on average 3.6 as in SNLI. The
           sentence lengths are real, the pairs are not

Each side is a process that runs for all rounds. It trains on all its batches once to
warm up, and then once in each round; the sides alternate within a round. A ratio is the
pairs per second with `premises_once` divided by the pairs per second without, in the
same round. Token ids are random.
"""

import json
import os

import measuring
import train_step

HYPOTHESES = 3.6  # mean number per premise in SNLI's training file
SIDES = {
    f"{rows}, {form}": (rows, form == "once")
    for rows in ("file", "snli")
    for form in ("each", "once")
}


def draw_texts(texts, rows, random):
    """Draws pairs with 3 or 6 hypotheses per premise.

    Args:
        texts: `(N, 2)`, sentence indices of the available pairs.
        rows: number of pairs to draw.
        random: NumPy random generator.

    Returns: `(rows, 2)`, sentence indices of the drawn pairs.
    """
    import numpy as np

    has_six = random.random(rows // 3 + 1) < HYPOTHESES / 3 - 1
    premises = random.permutation(np.unique(texts[:, 0]))
    premises = np.resize(premises, len(has_six))
    premises = np.repeat(premises, np.where(has_six, 6, 3))[:rows]
    return np.stack([premises, random.choice(texts[:, 1], rows)], axis=1)


def prepare_batches(experiment, rows):
    """Returns the `TrainingBatches` of a set of rows, "file" or "snli"."""
    import numpy as np

    from dsa.backends.compilation import compiles_each_shape
    from dsa.data.batching.training_batches import TrainingBatches, TrainingRows
    from dsa.data.corpora.catalogue import get_corpus
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.sentences import Sentences
    from dsa.data.prepared.tokenizer import Tokenizer
    from dsa.data.rows.model_rows import ModelRows

    snli = get_corpus("snli")
    corpus = prepare(measuring.find_corpus(), snli, Tokenizer())
    random = np.random.default_rng(0)
    sentences, offsets = corpus.sentences, corpus.sentences.offsets
    labelled = corpus.labelled
    indices, labels = corpus.sentence_indices[labelled], corpus.labels[labelled]
    if rows == "snli":
        indices = draw_texts(indices, train_step.SNLI, random)
        labels = np.resize(np.arange(3), len(indices))
        # each drawn premise gets a new sentence index, also if it was drawn before
        positions = np.cumsum(np.diff(indices[:, 0], prepend=-1) != 0) - 1
        premises = indices[np.flatnonzero(np.diff(positions, prepend=-1)), 0]
        indices[:, 0] = len(sentences) + positions
        sentences = sentences.join(sentences.select(premises))
        offsets = sentences.offsets
    ids = random.integers(2, train_step.VOCABULARY, len(sentences.ids), np.int32)
    return TrainingBatches(
        TrainingRows(
            ModelRows(Sentences(ids, offsets), indices, snli.task.inputs), labels
        ),
        experiment.training.batch_size,
        seed=1,
        max_shapes=experiment.training.shapes if compiles_each_shape() else None,
        premises_once=experiment.training.premises_once,
    )


def run_side(name, steps, overrides, orders):
    """Trains in this process once per line of `orders`, and prints the figures of each
    line as JSON."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras

    from dsa.experiment.yaml_file import load_experiment

    rows, once = SIDES[name]
    overrides = {**overrides, "training.premises_once": once}
    experiment = load_experiment("configs/snli/dsa.yaml", overrides)
    keras.utils.set_random_seed(0)
    batches = prepare_batches(experiment, rows)
    tokens = 0
    for step in range(steps):
        inputs, _ = batches.make_batch(step)
        tokens += inputs["premise"].size + inputs["hypothesis"].size
    model = train_step.build_model(experiment)
    train_step.train_turns(model, experiment, batches.make_batch, steps, turns=1)
    print(json.dumps({"ran_on": measuring.describe_process()}), flush=True)
    for _ in orders:
        turns = train_step.train_turns(
            model, experiment, batches.make_batch, steps, turns=1
        )
        pairs = experiment.training.batch_size * steps
        figures = {
            "step_seconds": turns.seconds[0] / steps,
            "pairs_per_second": pairs / turns.seconds[0],
            "padded_tokens_a_pair": tokens / pairs,
        }
        print(json.dumps(figures), flush=True)


def list_ratios(figures):
    """Returns the ratios of pairs per second of "file" and "snli"."""
    pairs = {
        name: side_figures["pairs_per_second"] for name, side_figures in figures.items()
    }
    return {
        f"pairs_per_second_with_each_premise_once_{rows}": measuring.median_ratio(
            pairs[f"{rows}, once"], pairs[f"{rows}, each"]
        )
        for rows in ("file", "snli")
    }


def main():
    measuring.compare_trainings(
        __file__, __doc__, SIDES, run_side, list_ratios, steps=20
    )


if __name__ == "__main__":
    main()
