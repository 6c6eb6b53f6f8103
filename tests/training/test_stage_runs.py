"""Layer-wise training of ABCNN, and the final classifier, on a small corpus."""

import json
import shutil

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import dsa
from dsa.data.corpora.catalogue import get_corpus
from dsa.data.prepared.corpus import prepare
from dsa.errors import InputError
from dsa.inference.loading import load
from dsa.runs.run_folder import RunFolder
from tests.support.layer_checks import numpy_of
from tests.support.runs import VECTORS, write_experiment
from tests.support.stopped_runs import (
    KILLED,
    assert_equal_ends,
    read_run_arrays,
    read_run_history,
    read_run_step,
    train,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

MODEL = {"name": "abcnn1", "convolutions": 2, "filters": 3, "width": 2}
TRAINING = {
    "batch_size": 8,  # 4 steps an epoch
    "epochs": 2,
    "learning_rate": 0.05,
    "shapes": 2,
    "optimizer": {
        "name": "adagrad",
        "initial_accumulator_value": 0.0,
        "epsilon": 1e-12,
    },
}
SECTIONS = {
    "tokenizer": {"max_tokens": 6},
    "embedding": {
        "path": "vectors.txt",
        "units": 4,
        "trainable": False,
        "frequent_words": 2,
    },
    "features": {"names": ["lengths"], "standardize": True},
}


def write_config(folder, training=(), **changes):
    (folder / "vectors.txt").write_text(VECTORS)
    sections = {**SECTIONS, "training": {**TRAINING, **dict(training)}}
    return write_experiment(folder, model={**MODEL, **changes}, **sections)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a config, and a run of two stages."""
    folder = tmp_path_factory.mktemp("stages")
    dsa.train(write_config(folder), folder / "run", data_root=folder)
    return folder


def test_the_final_classifier_is_fitted_to_the_trained_rows(tmp_path, monkeypatch):
    from dsa.models.classifiers import refit

    counts, fit = [], refit.fit_classifier

    def record(features, labels, **settings):
        counts.append((len(features), len(labels)))
        return fit(features, labels, **settings)

    monkeypatch.setattr(refit, "fit_classifier", record)
    training = {"max_tokens": 12, "epochs": 1}
    config = write_config(tmp_path, training, name="bcnn", convolutions=1)
    train = tmp_path / "train.jsonl"
    rows = [json.loads(line) for line in train.read_text().splitlines()]
    for row in rows[:4]:
        row["sentence1"] = "a " * 20
    train.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = {"model.final_classifier": "logistic", "tokenizer.max_tokens": 50}
    dsa.train(config, tmp_path / "run", settings, data_root=tmp_path)
    assert counts and set(counts) == {(26, 26)}


def weights_by_path(run):
    model = load(run).model
    return {w.path: numpy_of(w) for w in model.weights}


def test_the_second_stage_leaves_the_first_block_as_it_is(folder):
    run, first = (weights_by_path(folder / name) for name in ("run", "run/first"))
    of_block = [path for path in first if "/b2/" in path or path.startswith("b2/")]
    assert len(of_block) == 3  # filters, bias and W_a
    for path in of_block:
        np.testing.assert_array_equal(run[path], first[path])
    (shape,) = (w.shape for path, w in run.items() if path.endswith("logits/kernel"))
    assert shape == (5, 3)  # three blocks' cosines and two lengths: a new layer
    parameters = RunFolder(folder / "run").environment()["parameters"]
    b3 = 2 * 3 * 2 * 3 + 3 + 6 * 3
    assert parameters["trainable_without_embeddings"] == b3 + 5 * 3 + 3


def test_a_first_run_gives_the_same_as_a_first_stage(folder):
    changes = {"convolutions": 1}
    one = dsa.train(write_config(folder, **changes), folder / "one", data_root=folder)
    two = dsa.train(
        write_config(folder, first=str(one)), folder / "two", data_root=folder
    )
    assert read_run_arrays(RunFolder(two)) == read_run_arrays(RunFolder(folder / "run"))
    assert not (two / "first").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"width": 3},
            "has 'model.width: 2', but this experiment has 'model.width: 3'",
        ),
        (
            {"filters": 4},
            "has 'model.filters: 3', but this experiment has 'model.filters: 4'",
        ),
        (
            {"name": "abcnn3"},
            "has 'model.name: abcnn1', but this experiment has 'model.name: abcnn3'",
        ),
    ],
)
def test_a_first_run_of_another_model_is_refused(folder, changes, message):
    config = write_config(folder, first=str(folder / "run" / "first"), **changes)
    with pytest.raises(InputError, match=message):
        dsa.train(config, folder / "refused", data_root=folder)
    assert not (folder / "refused").exists()


@pytest.mark.parametrize(
    ("first", "message"),
    [("nowhere", "expected a trained run"), ("run", "two convolutions, expected one")],
)
def test_a_folder_without_a_first_block_is_refused(folder, first, message):
    config = write_config(folder, first=str(folder / first))
    with pytest.raises(InputError, match=message):
        dsa.train(config, folder / "refused", data_root=folder)
    assert not (folder / "refused").exists()


def test_a_first_run_that_has_not_ended_is_refused(folder, tmp_path):
    first = tmp_path / "first"
    shutil.copytree(folder / "run" / "first", first)
    facts = json.loads((first / "environment.json").read_text())
    facts |= {"steps": 4, "stopped": False}
    (first / "environment.json").write_text(json.dumps(facts))
    with pytest.raises(InputError, match="the training in .*first must be finished"):
        dsa.train(
            write_config(folder, first=str(first)), folder / "refused", data_root=folder
        )
    assert not (folder / "refused").exists()


def test_a_first_run_without_the_second_copy_is_refused(folder, tmp_path):
    first = tmp_path / "first"
    shutil.copytree(folder / "run" / "first", first)
    config = first / "config.yaml"
    settings = config.read_text()
    assert "share_copies: true" in settings
    config.write_text(settings.replace("share_copies: true", "share_copies: false"))
    with pytest.raises(InputError, match="has 'features.nonoverlap: False'"):
        dsa.train(
            write_config(folder, first=str(first), share_copies=False),
            folder / "refused",
            overrides={"features.nonoverlap": True},
            data_root=folder,
        )
    assert not (folder / "refused").exists()


def test_trained_words_are_refused(folder):
    with pytest.raises(InputError, match="'model.layerwise: true' requires"):
        dsa.train(
            write_config(folder),
            folder / "refused",
            overrides={"embedding.projection": 5},
            data_root=folder,
        )


def test_the_final_classifier_is_scikit_learns(folder):
    trained = load(folder / "run", root=folder)
    pairs = [("A man sleeps.", "a dog"), ("the cat", "A man"), ("a dog .", "the dog")]
    prepared = _prepare_train(trained, folder)
    rows = trained.reader.convert(prepared, trained.vocabulary, is_train=True)
    lengths = rows.lengths.max(axis=0)
    batch = rows.pad(np.arange(len(rows)), lengths)
    features = numpy_of(trained.model(batch, training=False, features_only=True))
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    deviation[deviation < 1e-6] = 1
    regression = LogisticRegression(max_iter=1000).fit(
        (features - mean) / deviation, prepared.labels
    )
    expected = regression.decision_function((features - mean) / deviation)
    logits = numpy_of(trained.model(batch))
    np.testing.assert_allclose(
        logits - logits.mean(axis=1, keepdims=True),
        expected - expected.mean(axis=1, keepdims=True),
        atol=2e-3,
    )
    assert len(trained.predict(pairs)) == 3


def _prepare_train(trained, folder):
    corpus = get_corpus("snli")
    return prepare(folder / "train.jsonl", corpus, trained.tokenizer)


def test_a_run_without_its_features_is_refused(folder, tmp_path):
    for name in ("pair_features.npz", "feature_scale.npz"):
        run = tmp_path / name
        shutil.copytree(folder / "run", run)
        (run / name).unlink()
        with pytest.raises(InputError, match=f"{name} is missing"):
            load(run)


@pytest.mark.nightly_on_jax
@pytest.mark.slow
def test_stages_killed_at_any_moment_end_as_if_they_had_never_stopped(folder):
    config, whole = write_config(folder), RunFolder(folder / "run")
    stopped = RunFolder(folder / "stopped")
    for moment, when, steps in [  # steps of both stages after it
        ("kill-step", 2, (0, 0)),
        ("kill-write", "state.npz", (0, 0)),
        ("kill-step", 6, (4, 0)),
        ("kill-rename", "history.csv", (4, 0)),
        ("kill-write", "environment.json", (4, 0)),
        ("kill-step", 6, (8, 0)),  # four steps of the first stage, two of the second
        ("kill-write", "pair_features.npz", (8, 0)),
        ("kill-write", "state.npz", (8, 0)),
        ("kill-step", 6, (8, 4)),
        ("kill-rename", "history.csv", (8, 4)),
    ]:
        code, error = train(moment, when, config, stopped.path, "--resume")
        assert code == KILLED, error
        first = RunFolder(stopped.path / "first")
        assert (read_run_step(first), read_run_step(stopped)) == steps, (moment, when)
    code, error = train("never", "-", config, stopped.path, "--resume")
    assert code == 0, error
    for name in ("", "first"):
        ends = [RunFolder(run.path / name) for run in (whole, stopped)]
        assert len(read_run_history(ends[0])) == 2
        assert_equal_ends(*ends, arrays=10)


def test_a_second_training_has_dev_too(folder):
    config = write_config(folder, training={"refit_with_dev": True, "epochs": 3})
    run = RunFolder(dsa.train(config, folder / "again", data_root=folder))
    for name, earlier in (("with_dev", run), ("first/with_dev", None)):
        second = RunFolder(run.path / name)
        earlier = earlier or RunFolder(run.path / "first")
        rows = read_run_history(second)
        chosen = max(
            read_run_history(earlier), key=lambda row: float(row["val_accuracy"])
        )
        assert second.experiment().training.epochs == round(float(chosen["epoch"]))
        assert [row["val_accuracy"] != "" for row in rows] == (
            [False] * (len(rows) - 1) + [True]
        )
        assert second.experiment().data.train_on_dev
        one = earlier.environment()
        pairs = one["pairs"]["train"] + one["pairs"]["dev"]
        assert second.environment()["steps_per_epoch"] == -(-pairs // 8)
    assert dsa.evaluate(run.path / "with_dev", "test", data_root=folder)["count"] > 0
