import json
import random
import re
import sys
from pathlib import Path

import pytest

from dsa.data.corpora.catalogue import get_corpus
from dsa.data.corpora.files import find_file
from dsa.data.corpora.hub_rows import Address, parse_address, resolve_revision
from dsa.data.corpora.own import build_own_corpus
from dsa.errors import InputError
from dsa.system.extras import format_install_command

COMMIT = "c" * 40


def test_an_address_names_data_set_revision_config_and_split():
    assert parse_address("hf://stanfordnlp/snli/train") == Address(
        "stanfordnlp/snli", None, None, "train"
    )
    assert parse_address("hf://nyu-mll/glue@v1/mnli/validation_matched") == Address(
        "nyu-mll/glue", "v1", "mnli", "validation_matched"
    )
    for wrong in ("hf://", "hf://a", "hf://a/b", "hf://a/b/c/d/e", "hf://a/b@/c"):
        with pytest.raises(InputError, match="malformed address of a data set: "):
            find_file("", wrong)


def test_a_missing_package_raises_an_error_with_the_command_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError, match=re.escape(format_install_command("datasets"))):
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


def test_a_folder_without_a_data_set_raises_a_one_line_error(saved):
    with pytest.raises(InputError, match="saved: .* end with a split. Known: train$"):
        find_file("", f"hf://{saved}")
    with pytest.raises(InputError, match="nowhere/train: FileNotFoundError: .*$"):
        find_file("", f"hf://{saved.parent}/nowhere/train")


@pytest.fixture
def save(tmp_path, monkeypatch):
    """Returns a function that saves columns as a data set and returns its address."""
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))

    def save_columns(name="pairs", types=None, **columns):
        features = datasets.Features(types) if types else None
        data = datasets.Dataset.from_dict(columns, features=features)
        data.save_to_disk(str(tmp_path / name))
        return f"hf://{tmp_path}/{name}"

    return save_columns


PAIR = {"premise": ["a"], "hypothesis": ["b"]}
OWN = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}


def test_numbers_without_names_are_labels_of_own_corpora_only(save):
    file = find_file("", save(**PAIR, label=[2]))
    with pytest.raises(InputError, match="row 1: 'gold_label' is a number without a n"):
        list(get_corpus("snli").read_examples(file))
    (row,) = build_own_corpus(OWN, ("0", "1", "2")).read_examples(file)
    assert row.label == "2" and row.texts == ("a", "b")


def test_text_labels_of_pandas_are_labels(save):
    datasets = pytest.importorskip("datasets")
    names = (*PAIR, "label")
    large = {name: datasets.Value("large_string") for name in names}
    file = find_file("", save(**PAIR, label=["neutral"], types=large))
    (row,) = get_corpus("snli").read_examples(file)
    assert row.label == "neutral" and row.texts == ("a", "b")


def test_a_column_of_another_type_is_an_error_if_it_is_read(save):
    others = {"image": [b"\xff"], "tokens": [["a", "b"]], "box": [{"x": 1}]}
    file = find_file("", save(**PAIR, label=["neutral"], **others))
    assert len(list(get_corpus("snli").read_examples(file))) == 1
    for column in others:
        corpus = build_own_corpus({**OWN, "premise": column}, ("neutral", "other"))
        with pytest.raises(InputError, match=f"row 1: '{column}' must be text. Receiv"):
            list(corpus.read_examples(file))
        corpus = build_own_corpus({**OWN, "label": column}, ("neutral", "other"))
        with pytest.raises(InputError, match="row 1: the label must be text or"):
            list(corpus.read_examples(file))


def test_corrected_rows_of_a_folder_are_read(save, tmp_path):
    address = save(**PAIR, label=["neutral"])
    revision = resolve_revision(address)
    save("corrected", premise=["c"], hypothesis=["b"], label=["neutral"])
    name = "data-00000-of-00001.arrow"
    (tmp_path / "corrected" / name).replace(tmp_path / "pairs" / name)
    (row,) = get_corpus("snli").read_examples(find_file("", address))
    assert row.texts == ("c", "b")
    assert resolve_revision(address) != revision


def test_a_damaged_arrow_file_is_an_error_of_one_line(save, tmp_path):
    texts = [f"sentence {number}" for number in range(40)]
    address = save(premise=texts, hypothesis=texts, label=["neutral"] * 40)
    (path,) = (tmp_path / "pairs").glob("*.arrow")
    whole = path.read_bytes()
    drawn = random.Random(1)
    errors = 0
    for _ in range(40):
        damaged = bytearray(whole)
        for _ in range(5):
            damaged[drawn.randrange(len(whole))] = drawn.randrange(256)
        path.write_bytes(bytes(damaged))
        try:
            list(get_corpus("snli").read_examples(find_file("", address)))
        except InputError as error:
            errors += 1
            assert "\n" not in str(error)
    assert errors >= 10
