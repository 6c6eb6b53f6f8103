"""Sizes of the measurements of `scripts/gpu_campaign.py`."""

import dataclasses

SEEDS = (13, 14, 15)
TINY_DATA = (  # the bundled corpus, random vectors
    "data.train=mini/train.jsonl",
    "data.dev=mini/dev.jsonl",
    "embedding.path=null",
    "embedding.projection=null",
    "embedding.units=10",
    "embedding.trainable=true",
    "embedding.outside=unknown",
)
TINY_MODEL = ("model.units=10",)


@dataclasses.dataclass(frozen=True)
class Size:
    """Size of a campaign.

    Args:
        batch_sizes: batch sizes of the speed table.
        precisions: precisions of the speed table.
        rounds: number of rounds of each benchmark.
        benchmark: additional arguments of `train_step.py`.
        plain: additional arguments of `plain_step.py`.
        encode: additional arguments of `encoding.py`.
        bulk: additional arguments of `bulk_encoding.py`.
        smoke: overrides of the smoke run.
        seeds: seeds of each row.
        preset: preset of the rows, see `dsa.papers.presets`.
        settings: additional overrides of the rows.
    """

    batch_sizes: tuple = (64, 512)
    precisions: tuple = ("float32", "mixed_bfloat16")
    rounds: int = 1
    benchmark: tuple = ()
    plain: tuple = ()
    encode: tuple = ("--sentences", "150000")
    bulk: tuple = ("--sentences", "1000000")
    smoke: tuple = ()
    seeds: tuple = SEEDS
    preset: str = "subset141k"
    settings: tuple = ("training.shapes=4",)  # fewer programs to compile on JAX


FULL = Size()
TINY = Size(
    batch_sizes=(4,),
    precisions=("float32",),
    benchmark=("--calls", "2", "--set", *TINY_MODEL),
    plain=("--steps", "2"),
    encode=("--sentences", "20", "--set", *TINY_MODEL),
    bulk=("--sentences", "60", "--shard-rows", "30"),
    smoke=("training.steps=4", "training.evaluate_every=2", *TINY_MODEL),
    seeds=SEEDS[:1],
    preset="full",
    settings=(
        *TINY_DATA,
        *TINY_MODEL,
        "tokenizer.name=treebank",
        "training.steps=4",
        "training.evaluate_every=2",
        "training.evaluate_from=0",
        "training.batch_size=4",
    ),
)
