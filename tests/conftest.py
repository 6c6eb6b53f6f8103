"""Shared fixtures. Tests use a temporary cache folder, and ignore `DSA_DATA` and
`DSA_RELEASES`."""

import atexit
import os
import shutil
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

if os.environ.get("KERAS_BACKEND") == "jax":  # compilation dominates the run time
    os.environ.setdefault(
        "XLA_FLAGS",
        "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
        "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1",
    )
    # persistent compilation cache shared by all processes of a test run
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        programs = tempfile.mkdtemp(prefix="dsa-programs-")
        atexit.register(shutil.rmtree, programs, ignore_errors=True)
        os.environ["JAX_COMPILATION_CACHE_DIR"] = programs
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
    # omit Python source locations, which are slow to collect
    os.environ.setdefault("JAX_TRACEBACK_IN_LOCATIONS_LIMIT", "0")

import pytest

from dsa.backends.keras_import import switch_on_onednn

switch_on_onednn()  # before a test imports Keras


LONGEST_FIRST = (  # slow files; started last, they would leave other workers idle
    "docs/test_own_data.py",
    "inference/export/test_export.py",
    "training/test_resume.py",
    "training/test_stage_runs.py",
    "training/test_three_corpora.py",
    "papers/test_new_paper.py",
    "inference/bulk/test_kills.py",
    "docs/test_commands_of_pages.py",
    "runs/test_many_writers.py",
    "backends/test_same_curve.py",
    "sweeps/test_folds.py",
    "models/classifiers/test_pair_classifier.py",
)


@pytest.hookimpl(tryfirst=True)  # before the selection by markers
def pytest_collection_modifyitems(items):
    """Marks exhaustive tests as slow, and sorts slow files first.

    Workers take files in collection order.
    """
    for item in items:
        if item.get_closest_marker("exhaustive"):
            item.add_marker("slow")
    ranks = {f"tests/{name}": rank for rank, name in enumerate(LONGEST_FIRST)}
    assert all(map(os.path.isfile, ranks))
    items.sort(key=lambda each: ranks.get(each.location[0], len(ranks)))


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(report):
    """Replaces invalid UTF-8, such as in file names, before reports are serialized."""
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
    os.environ.pop("DSA_RELEASES", None)


@pytest.fixture(autouse=True, scope="module")
def _clear_jax_caches():
    """Clears JAX's caches after each test file.

    Each compiled program uses memory maps, and Linux limits a process to 65,530 maps.
    With the programs of all tests, the compiler crashes with a segmentation fault.
    """
    yield
    if os.environ.get("KERAS_BACKEND") == "jax":
        import gc

        import jax

        jax.clear_caches()
        gc.collect()


@pytest.fixture
def quick_weights(monkeypatch):
    """Replaces the orthogonal initializer, slow for large matrices, by zeros. For tests
    of model structure."""
    import keras

    def zeros(initializer, shape, dtype=None):
        return keras.ops.zeros(shape, dtype or keras.config.floatx())

    monkeypatch.setattr(keras.initializers.Orthogonal, "__call__", zeros)


@pytest.fixture(scope="session")
def scripts():
    """The scripts and commands as modules, by name."""
    import importlib.util
    import pathlib
    import types

    from dsa.commands.main import COMMANDS, get_module_name

    modules = {
        name: importlib.import_module(get_module_name(name)) for name in COMMANDS
    }
    for path in pathlib.Path("scripts").glob("*.py"):
        spec = importlib.util.spec_from_file_location(f"scripts_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        modules[path.stem] = module
    return types.SimpleNamespace(**modules)


@pytest.fixture(scope="session")
def finished(tmp_path_factory, scripts):
    """A folder with `small.yaml`, its corpus, and a finished run in `run`."""
    from tests.support.runs import write_experiment

    folder = tmp_path_factory.mktemp("finished")
    return _trained(scripts, write_experiment(folder))


@pytest.fixture(scope="session")
def finished_frozen(tmp_path_factory, scripts):
    """Like `finished`, but a SWEM with frozen pretrained vectors and a projection."""
    from tests.support.runs import SMALL_MODEL, write_frozen_experiment

    folder = tmp_path_factory.mktemp("finished_frozen")
    return _trained(scripts, write_frozen_experiment(folder, model=SMALL_MODEL))


def _trained(scripts, config):
    folder = config.parent
    test = (folder / "test.jsonl").rename(folder / "later.jsonl")
    arguments = [str(config), "--data-root", str(folder), "--run", str(folder / "run")]
    assert scripts.train.main(arguments) == 0  # training must not need the test file
    test.rename(folder / "test.jsonl")
    return folder


@pytest.fixture
def run_copy(finished, tmp_path):
    """A copy of the finished run that tests may damage."""
    import shutil

    shutil.copytree(finished / "run", tmp_path / "run")
    return tmp_path / "run"
