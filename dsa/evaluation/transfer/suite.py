"""The tasks of the suite: corpus, files, and the function that measures each."""

import dataclasses
from collections.abc import Callable

from dsa.data.corpora.catalogue import corpus_named
from dsa.errors import InputError
from dsa.evaluation.transfer.protocol import (
    FOLDS,
    classify_test,
    correlate_cosines,
    cross_validate,
    regress_scores,
)
from dsa.evaluation.transfer.settings import OURS


@dataclasses.dataclass(frozen=True)
class Transfer:
    """A task of the suite.

    Args:
        name: as `--tasks` takes it.
        corpus: that it is made of.
        measure: a function of `dsa.evaluation.transfer.protocol`.
        files: `{split: file}`, those that `measure` reads, below the data root.
    """

    name: str
    corpus: str
    measure: Callable
    files: dict[str, str]

    def least_rows(self, protocol):
        """How many rows of train a label needs: one for each fold."""
        if "dev" in self.files:
            return 1
        return protocol.inner_folds if "test" in self.files else FOLDS


def _make_transfer(name, corpus, measure, reads=("train", "dev", "test")):
    """A task on the official files of its corpus, those of the splits that it reads."""
    splits = corpus_named(corpus).splits
    files = {split: file for split, file in splits.items() if split in reads}
    return Transfer(name, corpus, measure, files)


SUITE = {
    transfer.name: transfer
    for transfer in (
        _make_transfer("CR", "cr", cross_validate),
        _make_transfer("MPQA", "mpqa", cross_validate),
        _make_transfer("SUBJ", "subj", cross_validate),
        _make_transfer("TREC", "trec", classify_test),
        _make_transfer("SST-5", "sst", classify_test),
        _make_transfer("SICK-R", "sick", regress_scores),
        _make_transfer("SICK-E", "sick_entailment", classify_test),
        _make_transfer("STS-B", "stsb", correlate_cosines, reads=("test",)),
        _make_transfer("STS-B trained", "stsb", regress_scores),
        _make_transfer("MSRP", "msrp", classify_test),
    )
}


def choose_transfers(names, protocol=OURS):
    """The `Transfer`s of some names, of all of a protocol if `names` is `None`.

    Raises: `InputError` for an unknown name.
    """
    unknown = sorted(set(names or ()) - set(SUITE))
    if unknown:
        raise InputError(f"unknown task {unknown[0]!r}. Known: {', '.join(SUITE)}")
    return [SUITE[name] for name in names or _without_trained_scores(protocol)]


def _without_trained_scores(protocol):
    """The names of the suite: only SentEval's protocol trains on STS-B."""
    if protocol.trains_scores_by_adam:
        return list(SUITE)
    return [name for name in SUITE if name != "STS-B trained"]
