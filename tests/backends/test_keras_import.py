"""Tests of the import of Keras without scikit-learn and matplotlib."""

import os
import subprocess
import sys

import keras
import pytest

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="the import does not depend on it"
)
PREPARE = "from dsa.backends.keras_import import prepare_keras; prepare_keras()"


def run_python(code):
    completed = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.split()


def test_keras_is_imported_without_scikit_learn_and_matplotlib():
    printed = run_python(
        f"{PREPARE}; import keras, sys; "
        "print([name in sys.modules for name in ('sklearn', 'matplotlib')]); "
        "import sklearn, matplotlib.pyplot; print(sklearn.__name__)"
    )
    assert printed == ["[False,", "False]", "sklearn"]


@pytest.mark.parametrize("first", ["import dsa; dsa.load", "import dsa.commands"])
def test_dsa_imports_keras_without_scikit_learn_and_matplotlib(first):
    printed = run_python(
        f"import sys; {first}; import dsa.layers.pooling; "
        "print([name in sys.modules for name in ('keras', 'sklearn', 'matplotlib')])"
    )
    assert printed == ["[True,", "False,", "False]"]


def test_the_packages_of_keras_that_need_them_work_afterwards():
    printed = run_python(
        f"{PREPARE}; import keras; from keras.wrappers import SKLearnClassifier; "
        "print(isinstance(SKLearnClassifier(keras.Sequential()), "
        "__import__('sklearn.base').base.BaseEstimator)); "
        "from keras.src.visualization import plot_image_gallery; "
        "print(keras.visualization.plot_image_gallery.__name__, "
        "plot_image_gallery.plt.__name__)"
    )
    assert printed == ["True", "plot_image_gallery", "matplotlib.pyplot"]


def test_an_imported_package_is_not_hidden_from_keras():
    printed = run_python(
        f"import sklearn; {PREPARE}; import keras, sys; "
        "print('sklearn.base' in sys.modules, 'matplotlib' in sys.modules)"
    )
    assert printed == ["True", "False"]


def test_the_hook_is_not_installed_after_keras():
    printed = run_python(
        f"import keras, sys; before = list(sys.meta_path); {PREPARE}; "
        "print(before == sys.meta_path, keras.wrappers.SKLearnClassifier.__name__)"
    )
    assert printed == ["True", "SKLearnClassifier"]
