from pathlib import Path

import pytest
import yaml

from dsa.errors import InputError
from dsa.experiment.config_files import find_config, list_config_files, read_settings
from dsa.experiment.yaml_file import load_experiment, make_run_path
from dsa.system.folders import find_bundled

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Changes to a working directory without configs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "name", ["configs/mini/dsa.yaml", "configs/mini/dsa", "mini/dsa.yaml", "mini/dsa"]
)
def test_a_missing_file_is_searched_in_the_package(elsewhere, name):
    assert find_bundled() == CHECKOUT
    assert find_config(name) == CHECKOUT / "configs/mini/dsa.yaml"
    assert load_experiment(name).seed == 13
    assert str(make_run_path(name, {}, 13)) == "runs/mini/dsa/seed-13"


def test_a_file_of_the_working_directory_has_priority(elsewhere):
    (elsewhere / "mini/dsa").mkdir(parents=True)
    assert find_config("mini/dsa") == CHECKOUT / "configs/mini/dsa.yaml"
    (elsewhere / "mini/dsa.yaml").write_bytes(b"")
    assert find_config("mini/dsa.yaml") == Path("mini/dsa.yaml")


def test_an_unknown_name_is_returned_unchanged(elsewhere):
    for name in ("mini/nothing", "/mini/dsa", "../mini/dsa.yaml"):
        assert find_config(name) == Path(name)


def test_a_name_may_contain_a_dot(elsewhere):
    name = "snli/ablations/alpha_0.5"
    assert find_config(name) == CHECKOUT / f"configs/{name}.yaml"
    assert str(make_run_path(name, {}, 13)) == f"runs/{name}/seed-13"


@pytest.mark.parametrize("folder", ["configs/mini", "mini"])
def test_configs_of_the_package_are_listed_by_loadable_names(elsewhere, folder):
    models = ("dsa", "dsa_no_distance")
    lengths = ("lengths/bilstm_max", "lengths/dsa", "lengths/transformer")
    names = [f"configs/mini/{name}.yaml" for name in (*models, *lengths)]
    assert list_config_files(folder) == {name: CHECKOUT / name for name in names}
    (elsewhere / "mini").mkdir()
    (elsewhere / "mini/own.yaml").write_bytes(b"")
    assert list_config_files("mini") == {"mini/own.yaml": Path("mini/own.yaml")}
    assert list_config_files("nowhere") == {}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_config_inherits_the_settings_of_its_bases(tmp_path):
    write(
        tmp_path / "a.yaml", "seed: 5\ntraining: {epochs: 3, optimizer: {name: adam}}"
    )
    write(tmp_path / "sub/b.yaml", "base: ../a.yaml\ntraining: {epochs: 7}")
    last = write(tmp_path / "c.yaml", "base: sub/b.yaml\ntraining: {batch_size: 11}")
    assert read_settings(last) == {
        "seed": 5,
        "training": {"epochs": 7, "optimizer": {"name": "adam"}, "batch_size": 11},
    }


def test_a_path_with_a_nul_character_is_an_error(tmp_path):
    path = write(tmp_path / "a.yaml", 'base: "b.yaml\\0"\n')
    with pytest.raises(InputError, match="'base': expected the name of a file"):
        read_settings(path)
    with pytest.raises(InputError, match="a path cannot contain the character NUL"):
        read_settings(f"{path}\0")


def test_a_section_with_another_name_replaces_the_section_of_the_base(tmp_path):
    write(
        tmp_path / "a.yaml", "model: {name: dsa, alpha: 1}\ntokenizer: {lowercase: no}"
    )
    text = "base: a.yaml\nmodel: {name: esim, units: 7}\ntokenizer: {name: treebank}"
    assert read_settings(write(tmp_path / "b.yaml", text)) == {
        "model": {"name": "esim", "units": 7},
        "tokenizer": {"lowercase": False, "name": "treebank"},
    }
    same = write(tmp_path / "c.yaml", "base: a.yaml\nmodel: {name: dsa, units: 7}")
    model = {"name": "dsa", "alpha": 1, "units": 7}
    assert read_settings(same)["model"] == model


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        ("none.yaml", "none.yaml: not readable: No such file or directory"),
        ("[1]", "expected the name of a file. Received: [1]"),
        ("a.yaml", "a.yaml is part of a cycle"),
        ("sub/../a.yaml", "sub/../a.yaml is part of a cycle"),
        ("list.yaml", "list.yaml: expected a mapping of sections"),
    ],
)
def test_an_invalid_base_is_an_error_in_one_line(tmp_path, base, reason):
    (tmp_path / "sub").mkdir()
    write(tmp_path / "list.yaml", "- 1")
    path = write(tmp_path / "a.yaml", f"base: {base}")
    with pytest.raises(InputError) as error:
        read_settings(path)
    assert str(error.value) == f"{path}: 'base': {reason}"


def test_a_cycle_of_bases_is_an_error(tmp_path):
    path = write(tmp_path / "a.yaml", "base: b.yaml")
    write(tmp_path / "b.yaml", "base: a.yaml")
    with pytest.raises(InputError, match="'base': b.yaml: 'base': a.yaml is part of a"):
        read_settings(path)


def test_the_config_of_a_run_has_no_base(elsewhere):
    base = CHECKOUT / "configs/mini/dsa.yaml"
    write(elsewhere / "own.yaml", f"base: {base}\nmodel: {{alpha: 0}}")
    settings = yaml.safe_load(load_experiment("own.yaml").to_yaml())
    assert "base" not in settings and settings["model"]["alpha"] == 0


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mini/dsaa", "Did you mean 'configs/mini/dsa.yaml'? "),
        ("configs/snli/dsb.yaml", "Did you mean 'configs/snli/dsa.yaml'? "),
        ("elsewhere", ""),
    ],
)
def test_the_error_for_an_unknown_name_has_a_hint(name, hint, tmp_path, monkeypatch):
    for folder in (".", tmp_path):
        monkeypatch.chdir(folder)
        with pytest.raises(InputError) as error:
            read_settings(name)
        assert str(error.value) == (
            f"{name}: not readable: No such file or directory. {hint}`dsa list "
            "configs` lists all configs"
        )
