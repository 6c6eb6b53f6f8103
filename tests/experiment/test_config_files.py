from pathlib import Path

import pytest

from dsa.experiment.config_files import find_config, list_config_files
from dsa.experiment.yaml_file import load_experiment, run_path
from dsa.system.folders import find_bundled

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder without configs is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "name", ["configs/mini/dsa.yaml", "configs/mini/dsa", "mini/dsa.yaml", "mini/dsa"]
)
def test_a_name_that_is_no_file_here_is_of_the_package(elsewhere, name):
    assert find_bundled() == CHECKOUT
    assert find_config(name) == CHECKOUT / "configs/mini/dsa.yaml"
    assert load_experiment(name).seed == 13
    assert str(run_path(name, {}, 13)) == "runs/mini/dsa/seed-13"


def test_a_file_here_comes_first_and_a_folder_is_no_file(elsewhere):
    (elsewhere / "mini/dsa").mkdir(parents=True)
    assert find_config("mini/dsa") == CHECKOUT / "configs/mini/dsa.yaml"
    (elsewhere / "mini/dsa.yaml").write_bytes(b"")
    assert find_config("mini/dsa.yaml") == Path("mini/dsa.yaml")


def test_a_name_that_is_nowhere_stays_as_it_is(elsewhere):
    for name in ("mini/nothing", "/mini/dsa", "../mini/dsa.yaml"):
        assert find_config(name) == Path(name)


def test_a_name_with_a_dot_keeps_all_of_it(elsewhere):
    name = "snli/ablations/alpha_0.5"
    assert find_config(name) == CHECKOUT / f"configs/{name}.yaml"
    assert str(run_path(name, {}, 13)) == f"runs/{name}/seed-13"


@pytest.mark.parametrize("folder", ["configs/mini", "mini"])
def test_configs_of_the_package_are_listed_by_names_that_commands_take(
    elsewhere, folder
):
    names = ["configs/mini/dsa.yaml", "configs/mini/dsa_no_distance.yaml"]
    assert list_config_files(folder) == {name: CHECKOUT / name for name in names}
    (elsewhere / "mini").mkdir()
    (elsewhere / "mini/own.yaml").write_bytes(b"")
    assert list_config_files("mini") == {"mini/own.yaml": Path("mini/own.yaml")}
    assert list_config_files("nowhere") == {}
