"""Speed-up of DSA's training if each premise of a batch is encoded once.

    DSA_DATA=<corpora> python benchmarks/premises_once.py [--steps 20] [--set KEY=VALUE]
      [--out FILE]

The published model (`configs/snli/dsa.yaml`, 300-d vectors) trains by `fit` at its own
batch size on `KERAS_BACKEND`, with `training.premises_once` and without it. Rows:

    file   the available training file's (SNLI's, else the bundled corpus's): a part of
           SNLI can have fewer hypotheses a premise than the whole
    snli   as many rows as all of SNLI has, drawn from this file: every premise has 3
           hypotheses, one of each label, or 6: as often as gives SNLI's mean, 3.6.
           Lengths are real, pairs are not

Each side is a process that stays. It trains on all its batches once to warm up, and
once more in each round; the sides take turns within a round. A ratio is pairs a second
with each premise once against those without, in the same round. Token ids are random.
"""

import json
import os

import measuring
import train_step

HYPOTHESES = 3.6  # a premise, in SNLI's training file
SIDES = {
    f"{rows}, {form}": (rows, form == "once")
    for rows in ("file", "snli")
    for form in ("each", "once")
}


def draw_texts(texts, rows, random):
    """Texts of so many pairs, `(rows, 2)`, whose premises have 3 or 6 hypotheses each,
    drawn from the premises and hypotheses of `texts`, `(N, 2)`."""
    import numpy as np

    twice = random.random(rows // 3 + 1) < HYPOTHESES / 3 - 1
    premises = random.permutation(np.unique(texts[:, 0]))
    premises = np.resize(premises, len(twice))
    premises = np.repeat(premises, 3 * (1 + twice))[:rows]
    return np.stack([premises, random.choice(texts[:, 1], rows)], axis=1)


def prepare_batches(experiment, rows):
    """The `TrainingBatches` of a side's rows, "file" or "snli"."""
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
    texts, labels = corpus.texts[corpus.labelled], corpus.labels[corpus.labelled]
    if rows == "snli":
        texts = draw_texts(texts, train_step.SNLI, random)
        labels = np.resize(np.arange(3), len(texts))
        # a premise that is drawn twice counts as two premises
        again = np.cumsum(np.diff(texts[:, 0], prepend=-1) != 0) - 1
        premises = texts[np.flatnonzero(np.diff(again, prepend=-1)), 0]
        texts[:, 0] = len(sentences) + again
        sentences = sentences.join(sentences.select(premises))
        offsets = sentences.offsets
    ids = random.integers(2, train_step.VOCABULARY, len(sentences.ids), np.int32)
    return TrainingBatches(
        TrainingRows(
            ModelRows(Sentences(ids, offsets), texts, snli.task.inputs), labels
        ),
        experiment.training.batch_size,
        seed=1,
        shapes=experiment.training.shapes if compiles_each_shape() else None,
        premises_once=experiment.training.premises_once,
    )


def run_side(name, steps, overrides, orders):
    """Prepare a side in this process; train and print the figures for each of the
    orders, which are lines of text."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras

    from dsa.experiment.yaml_file import load_experiment

    rows, once = SIDES[name]
    overrides = {**overrides, "training.premises_once": once}
    experiment = load_experiment("configs/snli/dsa.yaml", overrides)
    keras.utils.set_random_seed(0)
    batches = prepare_batches(experiment, rows)
    made = [batches.make_batch(step) for step in range(steps)]
    tokens = sum(
        ids[side].size for ids, _ in made for side in ("premise", "hypothesis")
    )
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
    """The ratios of pairs a second, of "file" and of "snli"."""
    pairs = {name: of_side["pairs_per_second"] for name, of_side in figures.items()}
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
