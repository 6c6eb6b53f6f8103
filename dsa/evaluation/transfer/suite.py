"""The tasks of the suite, with their files."""

import dataclasses

from dsa.data.corpora.catalogue import corpus_named


@dataclasses.dataclass(frozen=True)
class Transfer:
    """A task of the suite: its corpus, and its files by split, below the data root; a
    corpus with `train` alone is cross-validated. `unsupervised`: the cosine of the two
    vectors is the score, nothing is trained."""

    name: str
    corpus: str
    train: str
    dev: str | None = None
    test: str | None = None
    unsupervised: bool = False

    def files(self):
        """`{split: file}` of those that are read."""
        read = ("test",) if self.unsupervised else ("train", "dev", "test")
        return {split: getattr(self, split) for split in read if getattr(self, split)}


def _of_corpus(name, corpus, **settings):
    """A task with the official files of its corpus."""
    return Transfer(name, corpus, **corpus_named(corpus).splits, **settings)


SUITE = {
    transfer.name: transfer
    for transfer in (
        _of_corpus("CR", "cr"),
        _of_corpus("MPQA", "mpqa"),
        _of_corpus("SUBJ", "subj"),
        _of_corpus("TREC", "trec"),
        _of_corpus("SST-5", "sst"),
        _of_corpus("SICK-R", "sick"),
        _of_corpus("SICK-E", "sick_entailment"),
        _of_corpus("STS-B", "stsb", unsupervised=True),
        _of_corpus("MSRP", "msrp"),
    )
}
