"""A corpus, a task and a family of models from outside: `docs/extending.md` does this.

All of them are in `tests/support/extension/`; nothing in `dsa/` knows them.
"""

import json
import shutil

import numpy as np
import pytest
import yaml

import dsa
from dsa.data.corpora import catalogue
from dsa.experiment.yaml_file import load_experiment
from dsa.models import registry
from dsa.runs.run_folder import RunFolder
from tests.support.stopped_runs import assert_equal_ends, read_run_step

pytestmark = pytest.mark.keras
CONFIG = {
    "seed": 5,
    "data": {
        "corpus": "agreements",
        "train": "train.txt",
        "dev": "dev.txt",
        "test": "test.txt",
        "options": {"most_pairs": 14},
    },
    "embedding": {"units": 7, "trainable": True},
    "model": {"name": "weighed_words", "units": 11, "classifier": {"units": 5}},
    "training": {"batch_size": 4, "epochs": 3, "learning_rate": 0.03, "shapes": 2},
}
YES = ("I agree with the plan.", "So do I.")
NO = ("I agree with the plan.", "I do not.")


@pytest.fixture(scope="module", autouse=True)
def _registered():
    """Registers corpus and family for the tests of this file only."""
    from tests.support.extension.corpus import AGREEMENTS
    from tests.support.extension.model import WEIGHED_WORDS

    catalogue.register(AGREEMENTS)
    registry.register(WEIGHED_WORDS)
    yield
    del catalogue.CORPORA[AGREEMENTS.name], catalogue.DOWNLOADS[AGREEMENTS.name]
    del registry.FAMILIES[WEIGHED_WORDS.name]
    load_experiment("configs/mini/dsa.yaml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with `config.yaml`, its corpus, and its run in `run`."""
    folder = tmp_path_factory.mktemp("extension")
    for split, pairs in (("train", 16), ("dev", 4), ("test", 3)):
        rows = [f"{a}|{' '.join(p)}|{p[1]}" for a, p in (("yes", YES), ("no", NO))]
        lines = [f"{rows[n % 2]} {n}\n" for n in range(pairs)]
        (folder / f"{split}.txt").write_text("".join(lines))
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    dsa.train(folder / "config.yaml", folder / "run", data_root=folder)
    return folder


def test_it_trains_and_selects_by_its_own_metric(folder):
    (dev,) = RunFolder(folder / "run").metrics()
    assert dev["count"] == 4 and 0 <= dev["f1"] <= 1 and "accuracy" not in dev
    header = (folder / "run" / "history.csv").read_text().split("\n")[0].split(",")
    assert "val_f1" in header and "accuracy" not in header


def test_its_corpus_has_an_option_and_a_download(folder, scripts, capsys):
    run = RunFolder(folder / "run")
    assert run.environment()["pairs"]["train"] == 14  # of 16
    assert run.experiment().data.options.most_pairs == 14
    wrong = {"data.options.most_pair": 3}
    with pytest.raises(dsa.InputError, match="most_pair'. Did you mean 'most_pairs'"):
        load_experiment(folder / "config.yaml", wrong)
    assert scripts.download_data.main(["agreements"]) == 0
    assert "Ask two people" in capsys.readouterr().out


def test_it_resumes(folder, tmp_path, monkeypatch):
    from dsa.training.checkpoint import Checkpoint

    write_all = Checkpoint.on_epoch_end

    def interrupt(self, epoch, logs=None):
        write_all(self, epoch, logs)
        raise KeyboardInterrupt

    stopped = tmp_path / "run"
    monkeypatch.setattr(Checkpoint, "on_epoch_end", interrupt)
    with pytest.raises(KeyboardInterrupt):
        dsa.train(folder / "config.yaml", stopped, data_root=folder)
    assert read_run_step(RunFolder(stopped)) == 4
    monkeypatch.undo()
    dsa.train(folder / "config.yaml", stopped, data_root=folder)
    assert_equal_ends(RunFolder(folder / "run"), RunFolder(stopped), arrays=10)


def test_it_is_evaluated_and_written_as_text(folder, scripts, capsys):
    entry = dsa.evaluate(folder / "run", "test", data_root=folder)
    assert entry["split"] == "test" and entry["count"] == 3
    arguments = [str(folder / "run"), "--data-root", str(folder)]
    assert scripts.evaluate.main(arguments) == 0
    assert "F1 of yes" in capsys.readouterr().out


def test_it_loads_elsewhere_and_predicts(folder, scripts, tmp_path, capsys):
    shutil.copytree(folder / "run", tmp_path / "run")
    model = dsa.load(tmp_path / "run")
    answers = model.predict([YES, NO])
    assert answers[0].agreed in (True, False)
    assert sum(answers[1].probabilities.values()) == pytest.approx(1)
    assert model.encode([YES[0]]).shape == (1, 11)
    assert scripts.predict.main([str(tmp_path / "run"), *YES]) == 0
    assert "yes" in capsys.readouterr().out
    (tmp_path / "pairs.tsv").write_text("\t".join(YES) + "\n")
    file = ["--file", str(tmp_path / "pairs.tsv")]
    assert scripts.predict.main([str(tmp_path / "run"), *file]) == 0
    line = json.loads(capsys.readouterr().out)
    assert set(line) == {"pairID", "agreed", "probabilities"}


def test_what_it_looks_at_is_explained_and_drawn(folder, scripts, tmp_path):
    look = dsa.load(folder / "run").explain(*YES)
    weights = look["hypothesis.word_weight"]
    assert weights.tokens == ("so", "do", "i", ".")
    assert ((0 < weights.by_token()) & (weights.by_token() < 1)).all()
    arguments = [str(folder / "run"), "--pair", *YES, "--out", str(tmp_path)]
    assert scripts.visualize_attention.main(arguments) == 0
    assert (tmp_path / "sheet.png").is_file()


def test_padding_does_not_change_its_vector(folder):
    model = dsa.load(folder / "run")
    alone = model.encode([YES[1]])
    np.testing.assert_allclose(model.encode([*YES])[1:], alone, atol=1e-6)


def test_its_two_stages_are_trained_one_after_the_other(folder, monkeypatch):
    from tests.support.extension import model

    begun = []
    copy = model.copy_encoder

    def copy_and_note(new, earlier):
        copy(new, earlier)
        begun.append((new.encoder.get_weights(), earlier.encoder.get_weights()))

    monkeypatch.setattr(model, "copy_encoder", copy_and_note)
    run = dsa.train(
        folder / "config.yaml", folder / "two", {"model.fast": True}, folder
    )
    ((new, earlier),) = begun
    for one, other in zip(new, earlier, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (
        read_run_step(RunFolder(run / "fast")) == 4
        and read_run_step(RunFolder(run)) == 12
    )
    experiment = RunFolder(run / "fast").experiment()
    assert not experiment.model.fast and experiment.training.epochs == 1
    before = (run / "fast" / "best.weights.h5").read_bytes()
    dsa.train(folder / "config.yaml", run, {"model.fast": True}, folder)  # finished
    assert len(begun) == 1
    assert (run / "fast" / "best.weights.h5").read_bytes() == before


def test_mistakes_are_named(folder, tmp_path):
    with pytest.raises(dsa.InputError, match="unknown key 'model.unit'. .* 'units'"):
        dsa.train({**CONFIG, "model": {"name": "weighed_words", "unit": 3}}, tmp_path)
    for name in ("train.txt", "dev.txt"):
        (tmp_path / name).write_text("perhaps|one|two\n")
    with pytest.raises(dsa.InputError, match="train.txt, line 1: expected yes"):
        dsa.train(folder / "config.yaml", tmp_path / "run", data_root=tmp_path)
    with pytest.raises(ValueError, match="weighed_words' is registered already"):
        registry.register(registry.FAMILIES["weighed_words"])
