"""The sets of the suite: what they are, and where their files go."""

import dataclasses

from dsa.data.corpora.catalogue import corpus_named
from dsa.data.download.by_hand import MANUAL

STRESS = "nli_stress_tests"
# https://abhilasharavichander.github.io/NLI_StressTest/: title, file, its two parts
STRESS_FILES = (
    ("antonyms", "Antonym/multinli_0.9_antonym_{}"),
    ("word overlap", "Word_Overlap/multinli_0.9_taut2_{}"),
    ("negation", "Negation/multinli_0.9_negation_{}"),
    ("length mismatch", "Length_Mismatch/multinli_0.9_length_mismatch_{}"),
    ("spelling, swapped letters", "Spelling_Error/multinli_0.9_dev_gram_swap_{}"),
    ("spelling, keyboard", "Spelling_Error/multinli_0.9_dev_gram_keyboard_{}"),
    (
        "spelling, function words",
        "Spelling_Error/multinli_0.9_dev_gram_functionword_swap_perturbed_{}",
    ),
    (
        "spelling, content words",
        "Spelling_Error/multinli_0.9_dev_gram_contentword_swap_perturbed_{}",
    ),
)


@dataclasses.dataclass(frozen=True)
class RobustnessSet:
    """A set of the suite.

    Args:
        name: as `metrics.json` has it.
        title: as tables have it.
        corpus: that its file is of, as the catalogue names it.
        file: below the data root.
        licence: as the authors state it.
        download: what `dsa download` calls it.
        parsed: whether its parses are those of its texts.
        by_label: whether its groups are reported by gold label too.
    """

    name: str
    title: str
    corpus: str
    file: str
    licence: str
    download: str
    parsed: bool = False
    by_label: bool = False

    @property
    def described(self):
        """The `Corpus`."""
        return corpus_named(self.corpus)

    @property
    def official_rows(self):
        """How many rows the official file has; `None` where that is not known."""
        return self.described.official_rows.get(self.file.rpartition("/")[2])

    def tell_how_to_get(self):
        """A line for somebody who has not got it."""
        how = "by hand, as it says" if self.download in MANUAL else "fetches it"
        return f"`dsa download {self.download}` ({how}); file: {self.file}"


def _list_stress_tests():
    for title, file in STRESS_FILES:
        for part in ("matched", "mismatched"):
            path = f"{STRESS}/{file.format(part)}.jsonl"
            yield _make_stress_test(f"{title}, {part}", path)
    numbers = f"{STRESS}/Numerical_Reasoning/multinli_0.9_quant_hard.jsonl"
    yield _make_stress_test("numbers", numbers)


def _make_stress_test(title, path):
    name = "stress_" + title.replace(",", "").replace(" ", "_")
    return RobustnessSet(name, f"stress: {title}", STRESS, path, "not stated", STRESS)


SETS = (
    RobustnessSet(
        "snli_hard",
        "SNLI-hard",
        "snli_hard",
        "snli_hard/snli_1.0_test_hard.jsonl",
        "CC BY-SA 4.0",
        "snli_hard",
        parsed=True,
    ),
    RobustnessSet(
        "breaking_nli",
        "Breaking NLI",
        "breaking_nli",
        "breaking_nli/dataset.jsonl",
        "CC BY-SA 4.0",
        "breaking_nli",
    ),
    RobustnessSet(
        "hans",
        "HANS",
        "hans",
        "hans/heuristics_evaluation_set.txt",
        "MIT",
        "hans",
        parsed=True,
        by_label=True,
    ),
    *_list_stress_tests(),
    *(
        RobustnessSet(
            f"cad_revised_{sentence}",
            f"CAD, revised {sentence}",
            "cad",
            f"cad/revised_{sentence}/test.tsv",
            "not stated",
            "cad",
        )
        for sentence in ("premise", "hypothesis")
    ),
    *(
        RobustnessSet(
            f"anli_r{number}",
            f"ANLI, round {number}",
            "anli",
            f"anli_v1.0/R{number}/test.jsonl",
            "CC BY-NC 4.0",
            "anli",
        )
        for number in (1, 2, 3)
    ),
    RobustnessSet(
        "scitail",
        "SciTail",
        "scitail",
        "SciTailV1.1/tsv_format/scitail_1.0_test.tsv",
        "not stated",
        "scitail",
    ),
    RobustnessSet(
        "xnli_en",
        "XNLI, English",
        "xnli_en",
        "XNLI-1.0/xnli.test.tsv",
        "CC BY-NC 4.0",
        "xnli",
    ),
)
