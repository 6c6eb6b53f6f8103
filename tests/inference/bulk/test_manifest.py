"""A manifest is read as it was written, or refused in one line."""

import hashlib
import json

import numpy as np
import pytest

from dsa.errors import InputError
from dsa.inference.bulk.manifest import open_vectors, read_manifest, write_manifest
from dsa.inference.bulk.shards import Plan

VECTORS = np.arange(35, dtype=np.float32).reshape(5, 7)
SETTINGS = {"what": "vectors", "dtype": "float32"}


@pytest.fixture
def folder(tmp_path):
    """A complete result of two shards."""
    np.save(tmp_path / "vectors.npy", VECTORS)
    shards = [
        {"rows": len(part), "sha256": hashlib.sha256(part).hexdigest()}
        for part in (VECTORS[:3], VECTORS[3:])
    ]
    plan = Plan(SETTINGS, "rows.txt", [3, 2])
    write_manifest(tmp_path, plan, {"units": 7, "shards": shards})
    return tmp_path


def test_vectors_are_opened_and_compared(folder):
    np.testing.assert_array_equal(open_vectors(folder, verify=True), VECTORS)


@pytest.mark.parametrize(
    "wrong",
    [
        {"settings": {}},
        {"settings": {**SETTINGS, "what": ["vectors"]}},
        {"settings": {**SETTINGS, "dtype": {}}},
        {"file": "predictions.jsonl"},
        {"rows": True},
        {"rows": 6},
        {"shards": [5]},
        {"shards": [{"rows": 5}]},
        {"shards": [{"rows": "5", "sha256": ""}]},
        {"shards": [{"rows": 6, "sha256": ""}, {"rows": -1, "sha256": ""}]},
        {"shards": []},
    ],
)
def test_a_manifest_of_another_form_is_refused(wrong, folder):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | wrong))
    for read in (read_manifest, open_vectors):
        with pytest.raises(InputError, match="manifest.json: damaged") as error:
            read(folder)
        assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # NumPy, for 10**30 rows
@pytest.mark.parametrize("shape", [(10**30, 7), (5, 10**18), (-5, 7), "x", (5.5, 7)])
def test_vectors_whose_head_says_what_is_not_there_are_refused(shape, folder):
    head = {"descr": "<f4", "fortran_order": False, "shape": shape}
    path = folder / "vectors.npy"
    text = f"{head}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + text.encode())
    with pytest.raises(InputError, match="vectors.npy: missing or damaged"):
        open_vectors(folder)
