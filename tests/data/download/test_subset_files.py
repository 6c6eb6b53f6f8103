"""Subsets of public files, extracted by hashes of their lines."""

import gzip
import json

import numpy as np
import pytest

from dsa.commands.main import main
from dsa.data.corpora.files import find_file
from dsa.data.corpora.subsets import SUBSETS, make_pair_key
from dsa.data.download import subset_files
from dsa.data.download.subset_files import read_hashes, write_subset
from dsa.errors import InputError
from tools.subset_hashes import hash_lines


def pair(premise, hypothesis, label="neutral", **more):
    row = {"gold_label": label, "sentence1": premise, "sentence2": hypothesis}
    return json.dumps(row | more)


WANTED = [pair("A man sleeps .", "He snores."), pair("Dogs run.", "Dogs rest.")]


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A data root, and hashes of `WANTED`, of which one line is there twice."""
    monkeypatch.setattr(subset_files, "HASHES", tmp_path)
    (tmp_path / "wanted.jsonl").write_text("\n".join([*WANTED, WANTED[0]]) + "\n")
    np.save(
        tmp_path / "snli_40k.npy", hash_lines("snli_40k", tmp_path / "wanted.jsonl")
    )
    (tmp_path / "snli_1.0").mkdir()
    return tmp_path


def write_source(root, lines):
    text = "".join(line + "\n" for line in lines)
    with gzip.open(root / f"{SUBSETS['snli_40k'].source}.gz", "wt") as file:
        file.write(text)


@pytest.mark.parametrize("name", SUBSETS)
def test_the_hashes_of_a_subset_are_as_many_as_its_lines_and_differ(name):
    hashes = read_hashes(name)
    assert len(hashes) == SUBSETS[name].num_lines
    assert len(set(hashes)) > 0.999 * len(hashes)  # some pairs are there twice


def test_a_subset_is_picked_whatever_the_order_case_and_spaces(root):
    other = pair("Dogs run.", "Dogs rest.", "entailment")
    whole = [
        pair("dogs  run", "Dogs rest", id=7),
        other,
        pair("a man sleeps.", "he snores ."),
    ]
    write_source(root, [*whole, whole[2]])
    assert write_subset("snli_40k", root) == (3, 3)
    lines = (root / SUBSETS["snli_40k"].file).read_text().splitlines()
    assert lines == [whole[2], whole[0], whole[2]]


def test_vectors_of_word2vec_are_written_as_text_with_length_1(root):
    (root / "wanted.txt").write_text("of 0.6 0.8\nCity 1 0\n")
    np.save(root / "word2vec_26k.npy", hash_lines("word2vec_26k", root / "wanted.txt"))
    vectors = {"in": [1, 1], "City": [-2, 0], "zero": [0, 0], "of": [3, 4]}
    content = f"{len(vectors)} 300\n".encode()
    for word, start in vectors.items():
        numbers = np.array([*start, *[0] * 298], "<f4")
        content += word.encode() + b" " + numbers.tobytes() + b"\n"
    (root / "word2vec").mkdir()
    (root / f"{SUBSETS['word2vec_26k'].source}.gz").write_bytes(gzip.compress(content))
    assert write_subset("word2vec_26k", root) == (2, 2)
    lines = (root / SUBSETS["word2vec_26k"].file).read_text().splitlines()
    assert lines == ["of 0.6 0.8" + " 0" * 298, "City -1 0" + " 0" * 298]


def test_missing_lines_of_a_subset_are_counted(root, capsys):
    write_source(root, [WANTED[1]])
    assert main(["subset", "snli_40k", "--data-root", str(root)]) == 0
    assert "1 of 3 rows found; 2 are missing" in capsys.readouterr().out


def test_a_file_without_lines_of_the_subset_raises_an_error(root):
    write_source(root, [pair("Nobody.", "Somebody.")])
    with pytest.raises(
        InputError, match="jsonl.gz: the file contains no line of snli_40k"
    ):
        write_subset("snli_40k", root)
    assert not (root / SUBSETS["snli_40k"].file).exists()


@pytest.mark.parametrize("line", ["no json", "[" * 5000, "3", '{"sentence1": ""}'])
def test_a_malformed_line_raises_an_error_with_its_number(root, line):
    write_source(root, [WANTED[0], line])
    with pytest.raises(InputError, match="jsonl.gz, line 2: "):
        write_subset("snli_40k", root)


def test_an_existing_file_is_kept_without_force(root):
    write_source(root, WANTED)
    write_subset("snli_40k", root)
    with pytest.raises(InputError, match="exists. Use --force to replace it"):
        write_subset("snli_40k", root)
    assert write_subset("snli_40k", root, force=True) == (2, 3)


def test_a_missing_subset_names_the_commands_that_bring_it(tmp_path):
    with pytest.raises(InputError, match="dsa download snli, then dsa subset snli_40k"):
        find_file(tmp_path, SUBSETS["snli_40k"].file)
    with pytest.raises(
        InputError, match="download glove.6B, then dsa subset glove_50d"
    ):
        find_file(tmp_path, SUBSETS["glove_50d"].file)


def test_missing_hashes_raise_a_one_line_error(tmp_path, monkeypatch):
    monkeypatch.setattr(subset_files, "HASHES", tmp_path)
    with pytest.raises(InputError, match="glove_50d.npy is missing. Reinstall dsa"):
        read_hashes("glove_50d")


def test_an_unknown_subset_raises_an_error(capsys):
    assert main(["subset", "snli_41k"]) == 2
    assert "unknown subset: snli_41k. Known: snli_40k" in capsys.readouterr().err


def test_the_subsets_are_listed(capsys):
    assert main(["subset", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(SUBSETS)


def test_the_label_and_both_sentences_tell_a_pair():
    keys = {
        make_pair_key(pair(*texts))
        for texts in (
            ("a b", "c"),
            ("a", "b c"),
            ("a b", "c", "entailment"),
            ("ab", "C!"),
        )
    }
    assert keys == {"neutral|ab|c", "neutral|a|bc", "entailment|ab|c"}
