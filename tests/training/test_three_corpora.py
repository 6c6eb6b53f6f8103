"""ABCNN-3 with two convolutions as it is on each of its corpora, on small files: both
stages, the final classifier, evaluation and prediction."""

import json

import numpy as np
import pytest
import yaml

import dsa
from dsa.inference.loading import load
from tests.support.questions import write_wikiqa
from tests.support.runs import write_experiment
from tests.training.test_stage_runs import SECTIONS, TRAINING, VECTORS

pytestmark = pytest.mark.slow
MODEL = {"name": "abcnn3", "convolutions": 2, "filters": 3, "width": 3}
LINGUISTIC = ["negation", "synonyms", "hypernyms", "antonyms", "nonoverlap_lengths"]
CORPORA = {
    "wikiqa": {
        "features": {"names": ["lengths", "word_count", "weighted_word_count"]},
        "model": {"similarity": ["cosine"]},
    },
    "msrp": {
        "features": {"names": ["mt", "lengths", "rouge"], "standardize": True},
        "model": {"similarity": ["euclid"], "pooled_attention": 4},
        "data": {"both_orders": True},
    },
    "sick_entailment": {
        "features": {
            "names": ["mt", *LINGUISTIC, "lengths"],
            "nonoverlap": True,
            "standardize": True,
        },
        "model": {"similarity": ["cosine", "euclid"], "share_copies": False},
    },
}
FEATURES = {"wikiqa": 3 + 4, "msrp": 3 * 17 + 20, "sick_entailment": 2 * 3 * 2 + 24}


def write_config(folder, corpus):
    """The config of small files: of questions, or of pairs with three labels."""
    (folder / "vectors.txt").write_text(VECTORS)
    settings = CORPORA[corpus]
    config = write_experiment(
        folder,
        **{**SECTIONS, "features": settings["features"], "training": TRAINING},
        model={**MODEL, **settings["model"]},
    )
    content = yaml.safe_load(config.read_text())
    content["data"] |= settings.get("data", {})
    if corpus == "wikiqa":
        files = {split: f"{split}.tsv" for split in ("train", "dev", "test")}
        for number, file in enumerate(files.values()):
            questions = {f"Q{number}{n}": ("010", "1", "0110")[n % 3] for n in range(9)}
            write_wikiqa(folder / file, questions)
        content["data"] = {"corpus": "wikiqa", **files}
    config.write_text(yaml.safe_dump(content))
    return config


def read_pairs(folder, corpus):
    """The pairs of the test file and their labels, those without label left out."""
    if corpus == "wikiqa":
        lines = (folder / "test.tsv").read_text().splitlines()[1:]
        rows = [line.split("\t") for line in lines]
        return [((row[1], row[5]), ("wrong", "right")[int(row[6])]) for row in rows]
    rows = map(json.loads, (folder / "test.jsonl").read_text().splitlines())
    return [
        ((row["sentence1"], row["sentence2"]), row["gold_label"])
        for row in rows
        if row["gold_label"] != "-"
    ]


@pytest.mark.parametrize(
    "corpus",
    [
        "wikiqa",
        *(
            pytest.param(name, marks=pytest.mark.exhaustive)
            for name in ("sick_entailment", "msrp")
        ),
    ],
)
def test_both_stages_are_trained_evaluated_and_predict(tmp_path, corpus):
    run = tmp_path / "run"
    dsa.train(write_config(tmp_path, corpus), run, data_root=tmp_path)
    entry = dsa.evaluate(run, "test", data_root=tmp_path)
    trained = load(run, root=tmp_path)
    assert trained.model.feature_count == FEATURES[corpus]
    environment = trained.run.environment()
    assert ("wordnet" in environment) == (corpus != "wikiqa")
    if corpus != "wikiqa":
        assert environment["wordnet"] == trained.reader.feature_statistics.wordnet
    pairs, gold = zip(*read_pairs(tmp_path, corpus), strict=True)
    # raw texts have the features that the rows of the file have
    answers = trained.predict(pairs)
    losses = [
        -np.log(answer.probabilities[label])
        for answer, label in zip(answers, gold, strict=True)
    ]
    assert np.mean(losses) == pytest.approx(entry["loss"], abs=1e-4)
