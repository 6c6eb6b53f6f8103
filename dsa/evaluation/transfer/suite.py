"""The tasks of the suite, with their files."""

import dataclasses


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


_SICK = tuple(f"sick/SICK_{part}.txt" for part in ("train", "trial", "test_annotated"))


SUITE = {
    each.name: each
    for each in (
        Transfer("CR", "cr", "sentence_classification/custrev.all"),
        Transfer("MPQA", "mpqa", "sentence_classification/mpqa.all"),
        Transfer("SUBJ", "subj", "sentence_classification/subj.all"),
        Transfer("TREC", "trec", "trec/train_5500.label", None, "trec/TREC_10.label"),
        Transfer(
            "SST-5", "sst", *(f"sst/trees/{s}.txt" for s in ("train", "dev", "test"))
        ),
        Transfer("SICK-R", "sick", *_SICK),
        Transfer("SICK-E", "sick_entailment", *_SICK),
        Transfer(
            "STS-B",
            "stsb",
            *(f"stsbenchmark/sts-{s}.csv" for s in ("train", "dev", "test")),
            unsupervised=True,
        ),
        Transfer(
            "MSRP",
            "msrp",
            "msrp/msr_paraphrase_train.txt",
            None,
            "msrp/msr_paraphrase_test.txt",
        ),
    )
}
