"""Training on a view of the rows; without any network."""

import numpy as np
import pytest

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder
from dsa.system.folders import get_cache_folder
from dsa.training.run_state import open_run
from dsa.training.training_corpora import find_training_files
from dsa.training.training_data import build_training_data
from tests.support.corpora import rows, write_jsonl
from tests.support.runs import SETTINGS, write_experiment


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("views")
    write_experiment(folder)
    write_jsonl(folder / "dev.jsonl", [*rows(11), *rows(1, sentence1="A new premise.")])
    return folder


def build(folder, view, run=None, **settings):
    overrides = {"data.view": view, **settings}
    experiment = load_experiment(folder / "small.yaml", overrides)
    files = find_training_files(experiment, folder)
    return build_training_data(experiment, files, run)


def test_train_and_dev_are_seen_in_the_view(folder):
    data = build(folder, "hypothesis_only")
    plain = build(folder, None)
    batch = data.rows.pad(np.arange(4), [9, 9])
    np.testing.assert_array_equal(batch["premise"][:, 0], 1)  # the unknown word
    np.testing.assert_array_equal(batch["premise"][:, 1:], 0)
    expected = plain.rows.pad(np.arange(4), [9, 9])["hypothesis"]
    np.testing.assert_array_equal(batch["hypothesis"], expected)
    assert (
        data.corpora["dev"].sentence_indices[:, 0]
        == len(plain.corpora["dev"].sentences)
    ).all()


def test_a_run_has_the_same_words_and_vectors_in_every_view(folder):
    plain = build(folder, None)
    for view in ("hypothesis_only", "bag_of_words"):
        data = build(folder, view)
        assert data.vocabulary.words == plain.vocabulary.words
        assert data.words.sha256 == plain.words.sha256
        assert data.describe()["sha256"] == plain.describe()["sha256"]


def test_also_where_rows_of_another_file_are_learned(folder):
    """Their order is by how often they come, also in sentences that are not shown."""
    more = [dict(row, sentence1="the dog the dog runs") for row in rows(12)]
    write_jsonl(folder / "more.jsonl", more)
    settings = {"data.mix.path": "more.jsonl", "data.mix.share": 1.0}
    plain = build(folder, None, **settings)
    data = build(folder, "hypothesis_only", **settings)
    assert data.vocabulary.words == plain.vocabulary.words
    assert len(data.train_corpus) == len(plain.train_corpus) > 30


def test_what_train_and_dev_share_is_counted_on_whole_rows(folder):
    """Of dev's hypotheses alone, train has all."""
    data = build(folder, "hypothesis_only")
    assert data.shared_with_train == {"dev": round(11 / 12, 6)}


def test_a_view_needs_no_prepared_corpus_of_its_own(folder):
    build(folder, None)
    before = sorted(get_cache_folder().iterdir())
    build(folder, "shuffled_words")
    assert sorted(get_cache_folder().iterdir()) == before


def test_a_run_that_goes_on_has_the_same_rows(folder, tmp_path):
    new = build(folder, "shuffled_words")
    run = RunFolder(tmp_path)
    experiment = load_experiment(folder / "small.yaml", {"data.view": "shuffled_words"})
    run.write("config.yaml", experiment.to_yaml())
    new.write(run)
    run.write_json("environment.json", {"run_format": 1, **new.describe()})
    again = build(folder, "shuffled_words", run)
    np.testing.assert_array_equal(again.rows.sentences.ids, new.rows.sentences.ids)
    np.testing.assert_array_equal(
        again.rows.sentence_indices, new.rows.sentence_indices
    )
    plain = build(folder, None)
    assert not np.array_equal(plain.rows.sentences.ids, new.rows.sentences.ids)


def test_a_run_does_not_go_on_in_another_view(tmp_path):
    def experiment(view):
        data = {**SETTINGS["data"], "view": view}
        return Experiment.model_validate({**SETTINGS, "data": data})

    run = RunFolder(tmp_path / "run")
    with open_run(experiment("bag_of_words"), run):
        run.write("history.csv", "begun")
        run.write_json("environment.json", {"run_format": 1, "sha256": {}})
    for view in (None, "shuffled_words"):
        with pytest.raises(InputError, match="different settings.*: data"):
            with open_run(experiment(view), run):
                pass


def test_features_are_those_of_what_the_model_sees(folder):
    """Nothing of a hidden sentence gets into them."""

    def build_with_features(view):
        sections = {
            "data": {**SETTINGS["data"], "view": view},
            "features": {"names": ["lengths", "word_count"]},
            "model": {"name": "pair_features"},
        }
        experiment = Experiment.model_validate({**SETTINGS, **sections})
        files = find_training_files(experiment, folder)
        return build_training_data(experiment, files).rows.features

    hidden, plain = build_with_features("hypothesis_only"), build_with_features(None)
    assert hidden.shape == plain.shape == (30, 3)
    assert (hidden[:, 0] == 0).all() and (plain[:, 0] > 0).all()  # the premise's length
    np.testing.assert_array_equal(hidden[:, 1], plain[:, 1])
    assert (hidden[:, 2] == 0).all() and plain[:, 2].any()  # shared words


@pytest.mark.parametrize(
    "overrides, message",
    [
        ({"data.view": "words"}, "'data.view'"),
        (
            {"data.view": "premise_only", "data.both_orders": True},
            "'data.view: premise_only' hides .* with 'data.both_orders'",
        ),
        ({"data.others": {"dev (plain)": "x"}}, "'dev .plain.', the name of another"),
        (
            {"data.others": {"robustness: x": "x"}},
            "'robustness: x', the name of another evaluation",
        ),
    ],
)
def test_impossible_views_are_refused_in_the_config(folder, overrides, message):
    with pytest.raises(InputError, match=message):
        load_experiment(folder / "small.yaml", overrides)


def test_single_sentences_have_no_premise_to_hide():
    for view, possible in (("bag_of_words", True), ("hypothesis_only", False)):
        overrides = {"data.view": view}
        if possible:
            load_experiment("configs/trec/disan.yaml", overrides)
            continue
        with pytest.raises(
            InputError, match="'hypothesis_only' requires sentence pairs"
        ):
            load_experiment("configs/trec/disan.yaml", overrides)
