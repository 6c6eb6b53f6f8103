import json
import types

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import dsa
from dsa.data.corpora.catalogue import CORPORA
from dsa.data.prepared.corpus import prepare
from dsa.errors import InputError
from dsa.evaluation.transfer.classifiers import make_features
from dsa.evaluation.transfer.encoders import FrozenEncoder, VectorAverage, load_average
from dsa.evaluation.transfer.evaluate_encoders import (
    Transfer,
    evaluate_transfer,
    list_transfers,
)
from dsa.evaluation.transfer.protocol import (
    C_VALUES,
    CROSS_VALIDATED_C_VALUES,
    SplitVectors,
    classify_test,
    correlate_cosines,
    cross_validate,
    regress_scores,
)
from dsa.tasks.relatedness import measure_scores

WORDS = ("good", "bad", "fine", "poor", "film", "book")
GLOVE = (
    "good 1 0 .1\nbad -1 0 .1\nfine .9 0 -.1\npoor -.9 0 0\nfilm 0 1 0\nbook 0 -1 0\n"
)


CR = Transfer("CR", "cr", cross_validate, {"train": "cr.txt"})


def paraphrases(**files):
    return Transfer("MSRP", "msrp", classify_test, files)


def relatedness(**files):
    return Transfer("SICK-R", "sick", regress_scores, files)


@pytest.fixture
def corpora(tmp_path):
    """CR labelled by a word; MSRP, SICK and STS-B with equal and unequal pairs."""
    random = np.random.default_rng(0)
    lines, pairs = [], []
    for row in range(60):
        label = row % 2
        word = random.choice(["good", "fine"] if label else ["bad", "poor"])
        lines.append(f"{label} {word} {random.choice(['film', 'book'])}\n")
        first = random.choice(WORDS)
        second = first if label else random.choice([w for w in WORDS if w != first])
        pairs.append((first, second, label))
    (tmp_path / "cr.txt").write_text("".join(lines))
    header = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    rows = "".join(f"{label}\t1\t2\t{a}\t{b}\n" for a, b, label in pairs)
    (tmp_path / "msrp.txt").write_text(header + rows)
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    rows = "".join(f"1\t{a}\t{b}\t{1 + 3.5 * s}\tNEUTRAL\n" for a, b, s in pairs)
    (tmp_path / "sick.txt").write_text(header + rows)
    rows = "".join(f"g\tf\ty\t1\t{5 * s}\t{a}\t{b}\n" for a, b, s in pairs)
    (tmp_path / "stsb.txt").write_text(rows)
    (tmp_path / "vectors.txt").write_text(GLOVE)
    return tmp_path


@pytest.fixture
def average(corpora):
    return VectorAverage(corpora / "vectors.txt", 3)


def test_words_without_a_vector_do_not_count_in_the_average(corpora, average):
    (corpora / "a.txt").write_text("1 good zzz film\n0 zzz\n0 \n")
    prepared = prepare(corpora / "a.txt", CORPORA["cr"], average.tokenizer)
    vectors = average.vectors(prepared)[prepared.sentence_indices[:, 0]]
    np.testing.assert_allclose(vectors, [[0.5, 0.5, 0.05], [0, 0, 0], [0, 0, 0]])


def test_the_features_of_a_pair_are_difference_and_product():
    vectors = np.array([[[1.0, 2], [3, -1]]])
    np.testing.assert_array_equal(make_features(vectors), [[2, 3, 3, -2]])
    np.testing.assert_array_equal(make_features(vectors[:, :1]), [[1, 2]])


def test_cross_validation_learns_a_label_that_the_vectors_contain(corpora, average):
    result = evaluate_transfer(average, CR, corpora)
    assert (result["accuracy"], result["count"]) == (1, 60)
    assert len(result["strengths"]) == 10 and {*result["strengths"]} <= {*C_VALUES}


def test_shuffled_labels_are_not_learned(corpora, average):
    text = (corpora / "cr.txt").read_text().splitlines()
    order = np.random.default_rng(1).permutation(60)
    lines = [f"{text[i][0]}{text[j][1:]}\n" for i, j in enumerate(order)]
    (corpora / "cr.txt").write_text("".join(lines))
    result = evaluate_transfer(average, CR, corpora)
    assert 0.2 < result["accuracy"] < 0.8


def flipped(path):
    """Writes a copy of an MSRP file with inverted labels; returns its name."""
    header, *rows = path.read_text().splitlines(keepends=True)
    text = header + "".join(f"{1 - int(row[0])}{row[1:]}" for row in rows)
    path.with_name("flipped.txt").write_text(text)
    return "flipped.txt"


def test_pairs_are_classified_with_f1(corpora, average):
    transfer = paraphrases(train="msrp.txt", test="msrp.txt")
    result = evaluate_transfer(average, transfer, corpora)
    assert result["accuracy"] > 0.9 and result["f1"] > 0.9
    assert {*result["strengths"]} <= {*CROSS_VALIDATED_C_VALUES}


def test_c_is_selected_on_dev_among_independent_classifiers(corpora, average):
    random = np.random.default_rng(5)
    header, *rows = (corpora / "msrp.txt").read_text().splitlines(keepends=True)
    for split in ("noisy", "dev"):
        flips = [f"{random.integers(2)}{row[1:]}" for row in rows[:45]]
        (corpora / f"{split}.txt").write_text(header + "".join(flips + rows[45:50]))
    transfer = paraphrases(train="noisy.txt", dev="dev.txt", test="msrp.txt")
    splits = {}
    for split, name in transfer.files.items():
        prepared = prepare(corpora / name, CORPORA["msrp"], average.tokenizer)
        vectors = average.vectors(prepared)[prepared.sentence_indices]
        splits[split] = make_features(vectors), prepared.labels
    fresh = [LogisticRegression(C=c).fit(*splits["train"]) for c in C_VALUES]
    accuracies = [classifier.score(*splits["dev"]) for classifier in fresh]
    assert len(set(accuracies)) > 1
    best = int(np.argmax(accuracies))
    result = evaluate_transfer(average, transfer, corpora)
    assert result["strengths"] == [C_VALUES[best]]
    assert result["accuracy"] == fresh[best].score(*splits["test"])


def test_labels_of_test_are_neither_learned_nor_used_for_selection(corpora, average):
    straight = paraphrases(train="msrp.txt", test="msrp.txt")
    test = flipped(corpora / "msrp.txt")
    turned = paraphrases(train="msrp.txt", test=test)
    results = [evaluate_transfer(average, t, corpora) for t in (straight, turned)]
    assert results[0]["strengths"] == results[1]["strengths"]
    shares = [result["accuracy"] for result in results]
    assert sum(shares) == pytest.approx(1)  # the same predictions


def test_scores_are_predicted_by_the_expectation_of_a_distribution(corpora, average):
    transfer = relatedness(train="sick.txt", dev="sick.txt", test="sick.txt")
    result = evaluate_transfer(average, transfer, corpora)
    assert result["pearson"] > 0.8 and result["mse"] < 1
    assert "strengths" not in result


def test_scores_of_test_are_neither_learned_nor_used_for_selection(corpora, average):
    header, *rows = (corpora / "sick.txt").read_text().splitlines(keepends=True)
    turned = [
        row.replace("\t4.5\t", "\tx\t").replace("\t1.0\t", "\t4.5\t") for row in rows
    ]
    turned = "".join(row.replace("\tx\t", "\t1.0\t") for row in turned)
    (corpora / "turned.txt").write_text(header + turned)
    straight, other = (
        evaluate_transfer(
            average, relatedness(train="sick.txt", dev="sick.txt", test=test), corpora
        )
        for test in ("sick.txt", "turned.txt")
    )
    assert other["pearson"] == pytest.approx(-straight["pearson"], abs=1e-6)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 good\n" * 30, "every row has the same label"),
        (
            "1 good\n" * 30 + "0 bad\n" * 9,
            "expected at least 10 .* for 10 folds. Received: 9 of label",
        ),
    ],
)
def test_training_rows_without_two_frequent_labels_are_an_error(
    corpora, average, lines, message
):
    (corpora / "cr.txt").write_text(lines)
    with pytest.raises(InputError, match=message):
        evaluate_transfer(average, CR, corpora)


def test_constant_scores_are_an_error(corpora, average):
    lines = (corpora / "sick.txt").read_text().splitlines(keepends=True)
    (corpora / "alike.txt").write_text("".join([*lines[:1], *lines[1:2] * 30]))
    transfer = relatedness(train="alike.txt", dev="sick.txt", test="sick.txt")
    with pytest.raises(InputError, match="alike.txt: every row has the same .* score"):
        evaluate_transfer(average, transfer, corpora)


def test_cosines_are_evaluated_without_training(corpora, average):
    transfer = Transfer("STS-B", "stsb", correlate_cosines, {"test": "stsb.txt"})
    result = evaluate_transfer(average, transfer, corpora)
    prepared = prepare(corpora / "stsb.txt", CORPORA["stsb"], average.tokenizer)
    u, v = average.vectors(prepared)[prepared.sentence_indices].transpose(1, 0, 2)
    cosines = [
        a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(u, v, strict=True)
    ]
    expected = measure_scores(np.array(cosines), prepared.labels)
    assert result["pearson"] == pytest.approx(expected["pearson"])
    assert list(result) == ["count", "pearson", "spearman"]


def test_the_vectors_of_a_run_are_those_of_encode(corpora, finished):
    trained = dsa.load(finished / "run")
    encoder = FrozenEncoder(trained)
    prepared = prepare(corpora / "cr.txt", CORPORA["cr"], encoder.tokenizer)
    vectors = encoder.vectors(prepared)[prepared.sentence_indices[:, 0]]
    texts = [line[2:] for line in (corpora / "cr.txt").read_text().splitlines()]
    np.testing.assert_allclose(vectors, trained.encode(texts), rtol=1e-5, atol=1e-6)


def test_the_command_records_results_and_writes_the_table(
    scripts, run_copy, corpora, capsys
):
    (corpora / "sst" / "trees").mkdir(parents=True)
    for split, count in (("train", 8544), ("dev", 1101), ("test", 2210)):
        trees = "(4 (2 good) (2 film))\n(0 (2 bad) (2 film))\n" * (count // 2 + 1)
        path = corpora / "sst" / "trees" / f"{split}.txt"
        path.write_text("".join(trees.splitlines(keepends=True)[:count]))
    arguments = [str(run_copy), "--data-root", str(corpora), "--out", str(corpora)]
    arguments += ["--average", "vectors.txt", "3"]
    assert scripts.transfer.main(arguments) == 0
    captured = capsys.readouterr()
    assert "CR is skipped: file not found" in captured.err + captured.out
    table = (corpora / "transfer.md").read_text()
    assert "| encoder | trained on | features | SST-5 |" in table
    assert "| average of vectors.txt | - | 3 | 100.0 |" in table
    assert "| dsa | 30 rows of snli, 0 %, partial | 48 |" in table
    header, run, _ = (corpora / "transfer.csv").read_text().splitlines()
    assert header.split(",")[3:] == ["SST-5 accuracy", "SST-5 n"]
    assert run.split(",")[-1] == "2210"
    (entry,) = json.loads((run_copy / "transfer.json").read_text())["evaluations"]
    assert entry["task"] == "SST-5" and {"date", "commit", "seed"} <= set(entry)
    assert entry["protocol"] == "senteval" and "Protocol of SentEval" in table
    (entry,) = json.loads((corpora / "average.json").read_text())["evaluations"]
    assert entry["accuracy"] == 1 and entry["strengths"] and entry["commit"]

    (run_copy / "sha256.json").unlink()
    assert scripts.transfer.main([*arguments, "--force"]) == 0
    assert "| dsa (unverified) | 30" in (corpora / "transfer.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tasks", "CR", "MR"], "unknown task 'MR'. Known: CR, MPQA"),
        (["--tasks", "CR"], "the files of all tasks are missing in the data root"),
    ],
)
def test_unknown_tasks_and_missing_files_are_an_error(
    scripts, run_copy, corpora, capsys, arguments, message
):
    arguments = [str(run_copy), "--data-root", str(corpora), *arguments]
    assert scripts.transfer.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_the_files_of_the_suite_are_those_of_the_configs():
    from dsa.experiment.yaml_file import load_experiment

    for name in ("cr", "mpqa", "subj", "trec", "sst", "sick", "stsb"):
        data = load_experiment(f"configs/{name}/dsa.yaml").data
        (transfer, *_) = (t for t in list_transfers().values() if t.corpus == name)
        assert transfer.files
        for split in {"train", "test"} & set(transfer.files):
            assert transfer.files[split] == getattr(data, split)


def test_a_fold_is_not_trained_on_its_test_rows():
    """Random labels of 40 random vectors are separable, but not predictable."""
    vectors = np.random.default_rng(0).normal(size=(40, 1, 200))
    split = SplitVectors(vectors, np.tile([0, 1], 20))
    assert cross_validate({"train": split}, None, 13)["accuracy"] < 0.8


def test_f1_is_that_of_label_1():
    labels = np.repeat([0, 1], 20)
    train = SplitVectors(np.where(labels, 1.0, -1.0)[:, None, None], labels)
    vectors = np.array([1.0, 1, 1, -1])[:, None, None]
    test = SplitVectors(vectors, np.array([1, 1, 0, 0]))
    task = types.SimpleNamespace(outputs=2)
    result = classify_test({"train": train, "test": test}, task, 13)
    assert (result["accuracy"], result["f1"]) == (0.75, pytest.approx(4 / 5))


def test_spearman_is_the_correlation_of_the_ranks():
    second = np.array([[1, 0], [1, 1], [0, 1], [-1, 0]], float)
    vectors = np.stack([np.tile([1.0, 0], (4, 1)), second], axis=1)
    split = SplitVectors(vectors, np.array([5, 1, 0.5, 0]))
    result = correlate_cosines({"test": split}, None, 13)
    assert result["spearman"] == pytest.approx(1) and result["pearson"] < 0.95


def test_the_size_of_averaged_vectors_is_checked_at_once(corpora):
    assert load_average("vectors.txt", "3", corpora).units == 3
    with pytest.raises(InputError, match="vectors.txt contains vectors of size 3"):
        load_average("vectors.txt", "4", corpora)
