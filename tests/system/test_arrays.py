import json

import numpy as np
import pytest

from dsa.errors import InputError
from dsa.system.arrays import CHECKSUM, RECORD, read_arrays, write_arrays

ARRAYS = {
    "numbers": np.arange(6, dtype=np.float32).reshape(2, 3),
    "none": np.empty((0, 3), np.int64),
    "one": np.float64(0.5),
    "half": np.arange(3, dtype=np.float16),
    "large": np.arange(3, dtype=">i4"),
}


@pytest.fixture
def path(tmp_path):
    write_arrays(tmp_path / "a.npz", ARRAYS, {"words": ["a"]})
    return tmp_path / "a.npz"


def rewrite(path, **changes):
    """Replaces arrays of a file, or removes those with the value `None`."""
    with np.load(path) as file:
        content = {name: file[name] for name in file.files} | changes
    np.savez(path, **{name: a for name, a in content.items() if a is not None})


def test_arrays_and_record_are_read_as_written(path):
    arrays, record = read_arrays(path, "thing")
    assert record == {"words": ["a"]} and arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)


@pytest.mark.parametrize(
    "changes",
    [
        {"numbers": np.arange(6, dtype=np.float32).reshape(3, 2)},
        {"numbers": np.arange(6, dtype=np.int32).reshape(2, 3)},
        {"large": np.arange(3, dtype=">i4").view("<i4")},
        {"one": np.float64(0.25)},
        {"none": None},
        {"more": np.zeros(1)},
        {RECORD: np.frombuffer(json.dumps({"words": [None]}).encode(), np.uint8)},
        {CHECKSUM: np.zeros(32, np.uint8)},
        {CHECKSUM: np.array("x")},
    ],
)
def test_a_changed_array_is_an_error(path, changes):
    rewrite(path, **changes)
    with pytest.raises(InputError, match=r"a\.npz: damaged thing: the checksum"):
        read_arrays(path, "thing")


def test_a_file_without_checksum_is_an_error(path):
    rewrite(path, **{CHECKSUM: None})
    with pytest.raises(InputError, match="the checksum is missing"):
        read_arrays(path, "thing")


def test_an_array_of_bfloat16_keeps_its_checksum(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.arange(3).astype(ml_dtypes.bfloat16)
    write_arrays(tmp_path / "b.npz", {"a": array}, {})
    (back,) = read_arrays(tmp_path / "b.npz", "thing")[0].values()
    assert back.tobytes() == array.tobytes()
