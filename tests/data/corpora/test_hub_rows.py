import json
import sys
from pathlib import Path

import pytest

from dsa.data.corpora.catalogue import get_corpus
from dsa.data.corpora.files import find_file
from dsa.data.corpora.hub_rows import Address, parse_address, resolve_revision
from dsa.errors import InputError

COMMIT = "c" * 40


def test_an_address_names_data_set_revision_config_and_split():
    assert parse_address("hf://stanfordnlp/snli/train") == Address(
        "stanfordnlp/snli", None, None, "train"
    )
    assert parse_address("hf://nyu-mll/glue@v1/mnli/validation_matched") == Address(
        "nyu-mll/glue", "v1", "mnli", "validation_matched"
    )
    for wrong in ("hf://", "hf://a", "hf://a/b", "hf://a/b/c/d/e", "hf://a/b@/c"):
        with pytest.raises(InputError, match="not the address of a data set: "):
            find_file("", wrong)


def test_without_the_package_a_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError, match=r"pip install 'dsa-nli\[datasets\]'"):
        find_file("", "hf://stanfordnlp/snli/train")


def test_rows_of_a_commit_that_were_read_before_need_no_package(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, "datasets", None)
    file = tmp_path / "datasets" / f"maria--pairs--train--{COMMIT}.jsonl"
    file.parent.mkdir()
    file.write_text("{}\n")
    address = f"hf://maria/pairs@{COMMIT}/train"
    assert find_file("", address) == file and resolve_revision(address) == COMMIT


def test_a_folder_of_the_same_name_is_not_read_instead(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("maria/pairs").mkdir(parents=True)
    with pytest.raises(InputError, match="maria/pairs is also a local path"):
        find_file("", f"hf://maria/pairs@{COMMIT}/train")


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """A data set on disk, with a pair of each label and one without."""
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    names = ["entailment", "neutral", "contradiction"]
    text = datasets.Value("string")
    features = {"premise": text, "hypothesis": text}
    features["label"] = datasets.ClassLabel(names=names)
    columns = {"premise": [*"abcd"], "hypothesis": [*"efgh"], "label": [2, 0, -1, 1]}
    rows = datasets.Dataset.from_dict(columns, features=datasets.Features(features))
    datasets.DatasetDict(train=rows).save_to_disk(tmp_path / "saved")
    return tmp_path / "saved"


def test_a_data_set_on_disk_is_read_by_the_names_of_its_columns_and_labels(saved):
    file = find_file("", f"hf://{saved}/train")
    rows = list(get_corpus("snli").read_examples(file))
    assert [row.texts for row in rows] == [(*"ae",), (*"bf",), (*"cg",), (*"dh",)]
    labels = ["contradiction", "entailment", None, "neutral"]
    assert [row.label for row in rows] == labels
    written = [json.loads(line)["label"] for line in file.open()]
    assert written == labels  # as `corpus: own` reads them
    assert resolve_revision(f"hf://{saved}/train") in file.name


def test_what_is_no_data_set_on_disk_is_said_in_a_line(saved):
    with pytest.raises(InputError, match="saved: add a split: train$"):
        find_file("", f"hf://{saved}")
    with pytest.raises(InputError, match="nowhere/train: FileNotFoundError: .*$"):
        find_file("", f"hf://{saved.parent}/nowhere/train")


def test_numbers_without_names_are_no_labels(tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    rows = {"premise": ["a"], "hypothesis": ["b"], "label": [2]}
    datasets.Dataset.from_dict(rows).save_to_disk(str(tmp_path / "pairs"))
    with pytest.raises(InputError, match="'label' of a data set has numbers without"):
        find_file("", f"hf://{tmp_path}/pairs")


def test_text_labels_of_pandas_are_labels(tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    rows = {"premise": ["a"], "hypothesis": ["b"], "label": ["neutral"]}
    large = {name: datasets.Value("large_string") for name in rows}
    data = datasets.Dataset.from_dict(rows, features=datasets.Features(large))
    data.save_to_disk(str(tmp_path / "pairs"))
    (row,) = get_corpus("snli").read_examples(find_file("", f"hf://{tmp_path}/pairs"))
    assert row.label == "neutral" and row.texts == ("a", "b")


def test_a_column_of_bytes_is_an_error(tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    datasets.Dataset.from_dict({"text": [b"a dog"]}).save_to_disk(tmp_path / "texts")
    with pytest.raises(InputError, match="a column of the data set contains bytes"):
        find_file("", f"hf://{tmp_path}/texts")
