"""Each number of a paragraph on results stands in a table of its section.

A number may also be a setting or a size of a committed run, such as how many pairs it
was trained on. Names with numbers, such as "Figure 9" and "50-d", are none.
"""

import functools
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from dsa.data.corpora.catalogue import get_corpus
from dsa.experiment.config_files import list_config_files
from dsa.experiment.strict_yaml import parse_yaml
from dsa.runs.run_names import flatten
from dsa.runs.studies import list_runs
from dsa.system.reading import read_text
from tools.answered_models import AnsweredModels
from tools.docs_tables.pivot import list_rows
from tools.docs_tables.records import read_run, read_runs

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs/results.md",
    ROOT / "docs/distance_mask.md",
    *sorted((ROOT / "docs/papers").glob("*.md")),
]
RESULTS = "Results"  # of the README: its other sections are of use, not of results
NO_RESULTS = (
    "Equations",
    "Choices that the paper leaves open",
    "Choices that the papers leave open",
    "Differences of the released code",
    "Differences of another implementation",
    "Run it again",
    "Open questions",
    "Intervals",  # of a simulation
)
TABLE = re.compile(r"<!-- table: .*?-->(.*?)<!-- end -->", re.S)
NUMBER = re.compile(r"(?<![\w.,-])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?!\w)")
NAMES = [
    r"!\[.*?\]\(.*?\)",  # pictures, targets of links, code, formulas, comments
    r"\]\(.*?\)",
    r"`[^`]*`",
    r"\$[^$]*\$",
    r"https?://\S+|arXiv:[\d.]+\d",
    r"(?m)^(?: {4}|#|\|).*$",  # code, headings, tables that are written by hand
    r"(?:Figures?|Tables?|equations?|sections?|Footnotes?)"
    r"(?: ?\d+(?:\.\d+)*,?(?: (?:to|and))?)+",
    r"[A-Za-z]+-\d+(?:(?:, -\d)* and -\d)?(?!\d*\.)|\d+-d\b",
    r"\b(?:19|20)\d\d\b",
    r"\b95 %",
]
SEEDS = {13, 14, 15}
SETTINGS = (
    "model.dropout",
    "model.units",
    "embedding.units",
    "embedding.projection",
    "training.batch_size",
    "training.epochs",
    "training.learning_rate",
    "training.steps",
)


def read_numbers(text):
    found = (match[0] for match in NUMBER.finditer(text))
    return {abs(float(n.replace(",", ""))) for n in found if n.strip("+-.")}


def read_prose(text):
    for name in [TABLE.pattern, *NAMES]:
        text = re.sub(name, " ", text, flags=re.S if name == TABLE.pattern else 0)
    return text


def read_sections(page):
    """`{heading: text}` of the parts on results."""
    parts = re.split(r"(?m)^## (.+)$", read_text(page))
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    if page.name == "README.md":
        return {RESULTS: sections[RESULTS]}
    sections = {"": parts[0]} | sections
    return {h: text for h, text in sections.items() if h not in NO_RESULTS}


@functools.cache
def read_run_facts():
    """Settings and sizes of the committed runs, and shares of SNLI and MultiNLI."""
    facts = {*SEEDS, *read_published_steps()}
    for run in read_runs(ROOT / "results"):
        values = (run.get(setting) for setting in SETTINGS)
        facts |= {value for value in values if isinstance(value, (int, float))}
        environment = flatten(
            {
                key: run["environment"].get(key, {})
                for key in ("pairs", "parameters", "unlabelled")
            }
        )
        facts |= {v for v in environment.values() if isinstance(v, int)}
        facts.add(run["environment"].get("steps"))
        for entry in run["evaluations"].values():
            facts |= {entry.get("count"), entry.get("questions")}
    for corpus in ("snli", "multinli"):
        whole = get_corpus(corpus).training_pairs
        facts |= {whole} | {
            float(f"{100 * n / whole:.0f}") for n in (40_000, 118_369, 141_511, 29_086)
        }
    return facts - {None}


def read_published_steps():
    for config in list_config_files(ROOT / "configs").values():
        yield parse_yaml(read_text(config), config).get("training", {}).get("steps")


GRAMMAR = "On a synthetic grammar it speeds up learning and raises accuracy"
# its other sections have tables that are written by hand
VIEWS = (ROOT / "docs/robustness.md", "Views")
CASES = [(page, heading) for page in PAGES for heading in read_sections(page)]
CASES.append(VIEWS)


@pytest.mark.parametrize(
    ("page", "heading"), CASES, ids=[f"{page.stem}: {h}" for page, h in CASES]
)
def test_a_number_of_a_paragraph_is_in_a_table_of_its_section(page, heading):
    assert list_unknown(read_sections(page)[heading]) == []


def list_unknown(text):
    """The numbers of a section's paragraphs that stand nowhere else, sorted.

    A number with a sign must have this sign in the table.
    """
    prose, tables = read_prose(text), " ".join(TABLE.findall(text))
    unknown = read_numbers(prose) - read_numbers(tables) - read_run_facts()
    signed = [match[0] for match in NUMBER.finditer(prose) if match[0][:1] in "+-"]
    signed = {float(number) for number in signed if number.strip("+-.")}
    with_sign = {
        float(match[0].replace(",", ""))
        for match in NUMBER.finditer(tables)
        if match[0].strip("+-.")
    }
    return sorted(unknown | (signed - with_sign))


@pytest.mark.parametrize(
    ("page", "heading", "number"),
    [
        ("results", "Six architectures compared", "2.46 points"),
        ("results", "Six architectures compared", "2.25 to"),
        ("results", "Which model to use", "331,803"),
        ("dsa", "The distance mask", "1.16 points"),
        ("distance_mask", GRAMMAR, "13.01 points"),
        ("esim", "Results on SNLI", "73.50 %"),
        ("robustness", "Views", "1.60 points"),
        ("abcnn", "Effect of attention", "1.36 points"),
    ],
)
def test_a_changed_number_is_found(page, heading, number):
    (path,) = {path for path, _ in CASES if path.stem == page}
    text = read_sections(path)[heading]
    prose, tables = TABLE.sub("", text), "\n".join(m[0] for m in TABLE.finditer(text))
    wrong = re.sub(r"[\d.,]+\d", "98.765", number)
    assert number in prose
    assert len(list_unknown(prose.replace(number, wrong, 1) + tables)) == 1


def test_a_changed_sign_is_found():
    text = "The difference is {} points.\n\n<!-- table: a -->\n| -2.5 |\n<!-- end -->\n"
    assert list_unknown(text.format("-2.5")) == list_unknown(text.format("2.5")) == []
    assert list_unknown(text.format("+2.5")) == [2.5]


@pytest.mark.parametrize("model", ["dsa", "transformer", "relative", "bilstm_max"])
def test_the_rates_of_the_criteria_are_chosen_by_their_runs(model):
    folder = ROOT / "results/distance_mask"
    accuracies = [
        100 * read_run(run)["evaluations"]["dev"]["accuracy"]
        for run in list_runs(folder / "learning_rates")
        if run.path.name.startswith(f"{model}_")
    ]
    low, middle, high = (f"{accuracy:.1f}" for accuracy in accuracies)
    text = " ".join(read_text(folder / "criteria.md").split())
    assert re.search(rf"{low}, {middle},? (?:and )?{high} %", text)


def test_the_readmes_range_of_a_first_training_is_that_of_its_runs():
    (dsa,) = (row for row in list_rows("alike", ROOT) if row.label == "DSA")
    values = [100 * value for value in dsa.values("dev.accuracy")]
    text = read_text(ROOT / "README.md")
    assert f"(dev {min(values):.1f} to {max(values):.1f} %)" in text


@pytest.mark.parametrize(
    ("corpus", "metric"),
    [("wikiqa", "map"), ("msrp", "accuracy"), ("sick_entailment", "accuracy")],
)
def test_no_gain_of_attention_is_significant_after_holms_correction(corpus, metric):
    p_values = []
    for vectors in ("word2vec", "explosion"):
        study = ROOT / "results/paper_sizes/convolutions"
        models = AnsweredModels(study / vectors / corpus)
        for depth, number in itertools.product(("", "_two"), (1, 2, 3)):
            names = (f"bcnn{depth}", f"abcnn{number}{depth}")
            bcnn, abcnn, *_ = models.read_pair(*names, "test")
            difference = (abcnn[metric] - bcnn[metric]).mean(axis=1)
            p_values.append(ttest_1samp(difference, 0).pvalue)
    assert len(p_values) == 12
    assert 12 * min(p_values) > 0.05


def test_the_p_values_of_the_gate_follow_from_its_kept_answers():
    models = AnsweredModels(ROOT / "results/distance_mask/seeds")
    dsa, raw, *_ = models.read_pair("dsa", "gate_normalized", "dev")
    difference = raw["accuracy"] - dsa["accuracy"]  # seeds, rows
    seeds, rows = difference.shape
    by_t = ttest_1samp(difference.mean(axis=1), 0).pvalue
    values, counts = np.unique(difference, axis=1, return_counts=True)
    random, resamples = np.random.default_rng(13), 20_000
    row_shares = random.multinomial(rows, counts / rows, resamples) / rows
    seed_shares = random.multinomial(seeds, np.full(seeds, 1 / seeds), resamples)
    means = ((seed_shares / seeds @ values) * row_shares).sum(axis=1)
    by_bootstrap = 2 * (means >= 0).mean()
    page = read_text(ROOT / "docs/papers/dsa.md")
    pattern = r"one of five tests \(p = (\.\d+) by t, (\.\d+) by bootstrap; (\.\d+) and"
    printed = re.search(rf"{pattern} (\.\d+) after Holm's correction\)", page).groups()
    t, bootstrap, holm_t, holm_bootstrap = map(float, printed)
    assert t == round(by_t, 3) and holm_t == round(5 * by_t, 3)
    assert bootstrap == pytest.approx(by_bootstrap, abs=0.002)
    assert holm_bootstrap == pytest.approx(5 * by_bootstrap, abs=0.01)
