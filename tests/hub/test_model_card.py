"""Model cards are generated from the files of a run."""

import json
from pathlib import Path

import pytest
import yaml

from dsa.data.corpora.catalogue import CORPORA
from dsa.experiment.earlier_config import convert_earlier_settings
from dsa.experiment.yaml_file import load_experiment
from dsa.hub.data_terms import (
    UNKNOWN_TERMS,
    count_official_rows,
    find_licence,
    list_licences,
)
from dsa.hub.model_card import (
    describe_training_rows,
    format_body,
    list_results,
)
from dsa.runs.run_folder import RunFolder
from dsa.runs.studies import list_runs

METRIC_TYPES = {  # names of the `evaluate` library
    "accuracy": "accuracy",
    "macro_f1": "f1",
    "f1": "f1",
    "pearson": "pearsonr",
    "spearman": "spearmanr",
    "mse": "mse",
    "map": "map",
    "mrr": "mrr",
}
HANS = "hans/heuristics_evaluation_set.txt"


def change(run, name, edit):
    content = json.loads((run / name).read_text())
    edit(content)
    (run / name).write_text(json.dumps(content))


def set_config(run, **data):
    config = yaml.safe_load((run / "config.yaml").read_text())
    convert_earlier_settings(config)
    config["data"].update(data)
    (run / "config.yaml").write_text(yaml.safe_dump(config))


def body_of(run):
    return format_body(RunFolder(run), "maria/dsa")


def test_the_card_contains_model_paper_results_seed_terms_and_use(run):
    body = body_of(run)
    for words in (
        "# dsa, trained on the bundled corpus of dsa",
        "The model `dsa` (Im & Cho 2017), 98,403 trainable parameters",
        "- trained on: 30,000 rows of `mini/train.jsonl`\n- seed: 13\n",
        "- vocabulary: 110 words\n",
        "| test | mini/test.jsonl | 1,002 | accuracy 0.9261 +- 0.0083 | 1 |",
        "- `mini/train.jsonl`: Apache-2.0 (the bundled corpus)",
        'dsa.load("hf://maria/dsa")',
    ):
        assert words in body
    assert "partial" not in body and "None" not in body


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("snli/dsa_40k", "print(model.encode("),
        ("tasks/sst/dsa/seed-13", '.predict(["A man sleeps."])'),
        ("wikiqa/addition_features/seed-14", '.predict([("Who wrote it?"'),
        ("seeds/esim/seed-13", "print(model.explain("),
    ],
)
def test_the_example_is_valid_python_for_the_task_of_the_model(folder, words):
    (run,) = list_runs(Path("results") / folder)
    body = format_body(run, "maria/dsa")
    example = body.split("```python\n")[1].split("```")[0]
    assert words in example and len(example.split("\n")) == 8
    compile(example, "card", "exec")


def test_a_part_of_a_corpus_is_marked_as_partial(run):
    set_config(run, train="snli_1.0/train_40k.jsonl")
    body = body_of(run)
    assert "**5.5 % of the 549,367 rows of snli: partial data**" in body
    assert "`snli_1.0/train_40k.jsonl`: CC BY-SA 4.0" in body
    change(run, "environment.json", lambda e: e["pairs"].update(train=549_366))
    assert "**99.9 % of the 549,367 rows of snli: partial data**" in body_of(run)
    change(run, "environment.json", lambda e: e["pairs"].update(train=549_367))
    assert "partial" not in body_of(run)


def test_unknown_files_have_unknown_terms(run):
    set_config(run, train="mine/train.jsonl")
    body = body_of(run)
    assert (
        f"`mine/train.jsonl`: {UNKNOWN_TERMS}" in body and "trained on own data" in body
    )
    assert "partial" not in body


@pytest.mark.parametrize(
    ("path", "licence"),
    [
        ("glove/glove.6B.50d.nli.txt", "PDDL"),
        ("explosion/explosion.300d.nli.txt", "CC0"),
        ("word2vec/GoogleNews.300d.bolukbasi26k.txt", "Apache 2.0, as stated by its"),
        ("mine/vectors.txt", UNKNOWN_TERMS),
    ],
)
def test_word_vectors_have_the_licence_of_their_source(path, licence):
    assert find_licence(path).startswith(licence)


@pytest.mark.parametrize(
    ("source", "terms"), [("snli", "SNLI"), ("runs/mine", UNKNOWN_TERMS)]
)
def test_the_source_of_the_initial_weights_is_named_with_its_terms(run, source, terms):
    config = yaml.safe_load((run / "config.yaml").read_text())
    config["training"]["start_from"] = source
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    body = body_of(run)
    assert f"- initial weights: `{source}`" in body
    line = body[body.index(f"- initial weights, `{source}`: ") :].split("\n")[0]
    assert terms in line


def test_an_evaluation_of_another_file_is_not_one_of_the_training_corpus(run):
    def evaluate_file(content):
        first = content["evaluations"][0]
        other = {**first, "split": "file", "file": "other.jsonl", "sha256": "0"}
        hans = {**first, "split": "robustness: hans", "file": HANS, "sha256": "1"}
        view = {**first, "split": "dev (shuffled_words)", "sha256": "2"}
        content["evaluations"] += [other, hans, view]

    change(run, "metrics.json", evaluate_file)
    results = list_results(RunFolder(run))
    corpora = {r["dataset_name"]: r["dataset_type"] for r in results}
    assert corpora["other.jsonl"] == "own"
    assert corpora[HANS] == "hans"
    assert {r["dataset_type"] for r in results if "dev (" in r["dataset_split"]} == {
        "mini"
    }


def test_selection_on_test_and_training_on_dev_are_marked(run):
    set_config(run, dev=None, select_on_test=True)
    assert "selected on the test split" in body_of(run)
    set_config(run, dev="mini/dev.jsonl", select_on_test=False, train_on_dev=True)
    assert "dev was part of the training data" in body_of(run)
    change(run, "environment.json", lambda e: e.update(uncommitted_changes=True))
    assert "with uncommitted changes" in body_of(run)


def test_the_last_evaluation_of_a_file_is_shown_with_the_count_of_all(run):
    def evaluate_again(content):
        first = content["evaluations"][1]
        content["evaluations"] += [
            {**first, "accuracy": 0.5},
            {**first, "accuracy": 0.9, "verified": False},
            {**first, "accuracy": float("nan")},
            {"split": "test"},
        ]

    change(run, "metrics.json", evaluate_again)
    assert "| 1,002 | accuracy 0.5000 +- 0.0083 | 3 |" in body_of(run)


def test_results_show_the_metric_that_selected_the_weights(run):
    config = yaml.safe_load((run / "config.yaml").read_text())
    config["training"]["metric"] = "macro_f1"
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    entry = RunFolder(run).current_evaluations()[-1]
    assert entry["split"] == "test"
    assert f"| 1,002 | macro_f1 {entry['macro_f1']:.4f} | 1 |" in body_of(run)


def test_names_are_escaped_in_a_cell(run):
    name = "a|b\nc\x1b[2J"
    change(run, "metrics.json", lambda m: m["evaluations"][0].update(file=name))
    assert "| dev | a\\|b c\\x1b[2J | 1,002 |" in body_of(run)


def test_results_have_value_count_seed_and_standard_error(run):
    results = list_results(RunFolder(run))
    assert [(r["dataset_split"], r["metric_name"]) for r in results] == [
        (split, metric)
        for split in ("dev", "test")
        for metric in ("accuracy", "macro_f1")
    ]
    assert results[2]["metric_value"] == 0.9261477045908184
    assert results[2]["metric_args"] == {
        "pairs": 1002,
        "seed": 13,
        "standard_error": 0.008262058499591685,
    }
    assert results[3]["metric_type"] == "f1" and results[3]["dataset_type"] == "mini"


@pytest.mark.parametrize(
    "folder",
    [
        "snli/dsa_40k",
        "tasks/sick/dsa/seed-13",
        "tasks/mpqa/dsa/seed-13-fold-0",
        "wikiqa/addition_features/seed-14",
    ],
)
def test_runs_of_every_task_have_a_card(folder):
    (run,) = list_runs(Path("results") / folder)
    results = list_results(run)
    assert results and "| 1 |" in format_body(run, "maria/dsa")
    entries = {entry["split"]: entry for entry in run.current_evaluations()}
    for result in results:
        metric, entry = result["metric_name"], entries[result["dataset_split"]]
        assert result["metric_type"] == METRIC_TYPES[metric]
        assert result["metric_value"] == entry[metric]
        if metric in ("map", "mrr"):
            error = result["metric_args"]["standard_error"]
            assert error == entry[f"{metric}_standard_error"]


def test_every_corpus_has_terms():
    for corpus in CORPORA.values():
        assert find_licence(f"{corpus.folder}/file") == corpus.licence
    assert find_licence("elsewhere/file").startswith("unknown")
    assert find_licence("glove/glove.6B.50d.txt") == "PDDL"
    experiment = load_experiment("configs/multinli/cbow_williams.yaml")
    terms = list_licences(experiment.data, experiment.embedding.path)
    assert {"CC BY-SA 4.0", "PDDL"} < {*terms.values()}


@pytest.mark.parametrize(
    ("corpus", "rows"), [("snli", 549_367), ("multinli", 392_702), ("trec", 5452)]
)
def test_a_part_of_the_training_file_is_partial_unless_the_file_is_divided(
    corpus, rows
):
    data = load_experiment(f"configs/{corpus}/dsa.yaml").data
    assert count_official_rows(data) == rows

    def describe(data, count):
        return describe_training_rows(data, {"pairs": {"train": count}})

    is_divided = data.divided_file is not None
    assert "partial" not in describe(data, rows)
    assert ("partial" in describe(data, rows - 1)) != is_divided
    sampled = data.model_copy(update={"train_rows": 500})
    assert "partial" in describe(sampled, 500)


def test_a_part_is_partial_if_the_test_file_is_divided():
    settings = {
        "data.train": "quora/dev.tsv",
        "data.dev": None,
        "data.dev_share": 0.5,
        "data.dev_from": "test",
    }
    data = load_experiment("configs/quora/esim.yaml", settings).data
    text = describe_training_rows(data, {"pairs": {"train": 10_000}})
    assert "**2.6 % of the 384,348 rows of quora: partial data**" in text


def test_a_view_is_named(run):
    set_config(run, view="hypothesis_only")
    assert "- **view: hypothesis_only**: the model was trained" in body_of(run)


def test_pairs_mixed_into_train_are_named():
    settings = {"data.mix": {"corpus": "snli", "path": "snli.jsonl", "share": 0.15}}
    data = load_experiment("configs/multinli/dsa.yaml", settings).data
    text = describe_training_rows(data, {"pairs": {"train": 39_270, "mix": 82_405}})
    assert ", **10.0 % of the 392,702 rows of multinli: partial data**" in text
    assert text.endswith("**, and 82,405 of `snli.jsonl`")
