"""Every test has a cache folder of its own and no data root from outside."""

import atexit
import os
import shutil
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

if os.environ.get("KERAS_BACKEND") == "jax":  # most of the time is compilation
    os.environ.setdefault(
        "XLA_FLAGS",
        "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
        "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1",
    )
    # what one test, process or file has compiled, the others of this call find here
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        programs = tempfile.mkdtemp(prefix="dsa-programs-")
        atexit.register(shutil.rmtree, programs, ignore_errors=True)
        os.environ["JAX_COMPILATION_CACHE_DIR"] = programs
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
    # no Python lines in the programs: finding them takes time
    os.environ.setdefault("JAX_TRACEBACK_IN_LOCATIONS_LIMIT", "0")

import pytest

from dsa.backends.quiet_start import switch_on_onednn

switch_on_onednn()  # before a test imports Keras


LONGEST_FIRST = (  # files that would keep one worker busy at the end, without a second
    "benchmarks/test_campaign.py",
    "training/test_resume.py",
    "inference/export/test_export.py",
    "training/test_schedules.py",
    "training/tracking/test_tracked_runs.py",
    "runs/test_many_writers.py",
    "models/esim/test_pair_model_runs.py",
    "training/test_stage_runs.py",
    "examples/test_examples.py",
    "inference/bulk/test_kills.py",
    "benchmarks/test_rehearsal.py",
    "api/test_runs.py",
    "training/test_training.py",
    "experiment/test_configs.py",
)


def pytest_collection_modifyitems(items):
    """Long files come first, where workers take files in the order of collection."""
    ranks = {f"tests/{name}": rank for rank, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda each: ranks.get(each.location[0], len(ranks)))


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(report):
    """Reports go from process to process as UTF-8; a file name in one may be none."""
    return _clean((yield))


def _clean(data):
    if isinstance(data, str):
        return data.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(data, dict):
        return {key: _clean(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(map(_clean, data))
    return data


@pytest.fixture(autouse=True, scope="session")
def _no_outside(tmp_path_factory):
    os.environ["DSA_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    os.environ.pop("DSA_DATA", None)


@pytest.fixture(autouse=True, scope="module")
def _programs_of_one_file():
    """JAX lets go of what it compiled for the tests of one file.

    Each program maps some pages, and Linux gives a process 65,530 maps: with the
    programs of all tests in it, the compiler ends with a segmentation fault.
    """
    yield
    if os.environ.get("KERAS_BACKEND") == "jax":
        import gc

        import jax

        jax.clear_caches()
        gc.collect()


@pytest.fixture
def quick_weights(monkeypatch):
    """Zeros where Keras makes orthogonal matrices: large ones take seconds. For tests
    of what a model is made of, to which its numbers are nothing."""
    import keras

    def zeros(initializer, shape, dtype=None):
        return keras.ops.zeros(shape, dtype or keras.config.floatx())

    monkeypatch.setattr(keras.initializers.Orthogonal, "__call__", zeros)


@pytest.fixture(scope="session")
def scripts():
    """The scripts as modules, by name, and the other commands."""
    import importlib.util
    import pathlib
    import types

    from dsa.commands.main import COMMANDS, name_module

    modules = {name: importlib.import_module(name_module(name)) for name in COMMANDS}
    for path in pathlib.Path("scripts").glob("*.py"):
        spec = importlib.util.spec_from_file_location(f"scripts_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        modules[path.stem] = module
    return types.SimpleNamespace(**modules)


@pytest.fixture(scope="session")
def finished(tmp_path_factory, scripts):
    """A folder with `small.yaml`, its corpus, and its finished run in `run`."""
    from tests.support.runs import write_experiment

    folder = tmp_path_factory.mktemp("finished")
    return _trained(scripts, write_experiment(folder))


@pytest.fixture(scope="session")
def finished_frozen(tmp_path_factory, scripts):
    """As `finished`, with frozen vectors of a file and a projection."""
    from tests.support.runs import write_frozen_experiment

    folder = tmp_path_factory.mktemp("finished_frozen")
    return _trained(scripts, write_frozen_experiment(folder))


def _trained(scripts, config):
    folder = config.parent
    test = (folder / "test.jsonl").rename(folder / "later.jsonl")
    arguments = [str(config), "--data-root", str(folder), "--run", str(folder / "run")]
    assert scripts.train.main(arguments) == 0  # training must not need the test file
    test.rename(folder / "test.jsonl")
    return folder


@pytest.fixture
def run_copy(finished, tmp_path):
    """A copy of the finished run, to be damaged."""
    import shutil

    shutil.copytree(finished / "run", tmp_path / "run")
    return tmp_path / "run"
