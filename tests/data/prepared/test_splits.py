import numpy as np
import pytest

from dsa.data.prepared.splits import split_rows
from dsa.errors import InputError
from dsa.experiment.config import DataConfig

LABELS = np.array([0, 1, 1, -1] * 25)  # 25 of one, 50 of the other, 25 without


def split(labels=LABELS, **settings):
    config = {"corpus": "cr", "train": "a.txt", **settings}
    return split_rows(DataConfig.model_validate(config).split_plan, labels)


def folds(fold, **settings):
    return split(folds={"count": 5, "fold": fold}, dev_share=0.2, **settings)


def test_every_labelled_row_is_tested_in_one_fold():
    tested = np.concatenate([folds(fold)["test"] for fold in range(5)])
    assert sorted(tested) == np.flatnonzero(LABELS >= 0).tolist()


def test_the_splits_of_a_fold_are_disjoint_and_in_file_order():
    made = folds(2)
    rows = np.concatenate(list(made.values()))
    assert sorted(rows) == np.flatnonzero(LABELS >= 0).tolist()
    assert all((np.diff(part) > 0).all() for part in made.values())


def test_every_split_has_each_label_in_the_same_share():
    for part in folds(0).values():
        assert np.mean(LABELS[part]) == pytest.approx(2 / 3, abs=0.03)


def test_the_seed_deals_the_folds_and_a_rerun_deals_them_alike():
    same, other = folds(1), folds(1, split_seed=14)
    assert all((same[name] == folds(1)[name]).all() for name in same)
    assert same["test"].tolist() != other["test"].tolist()
    assert same["dev"].tolist() != folds(2)["dev"].tolist()


def test_the_rows_of_a_text_stay_in_one_fold_and_out_of_dev():
    texts = np.repeat(np.arange(25), 4)  # each with one row of the rarer label
    plan = {"corpus": "cr", "train": "a.txt", "dev_share": 0.2, "split_by_text": True}
    tested = []
    for fold in range(5):
        data = DataConfig.model_validate({**plan, "folds": {"count": 5, "fold": fold}})
        made = split_rows(data.split_plan, LABELS, texts)
        used = [{*texts[rows].tolist()} for rows in made.values()]
        assert sum(map(len, used)) == len(set.union(*used)) == 25
        assert {name: len(rows) for name, rows in made.items()} == {
            "train": 48,
            "test": 15,
            "dev": 12,
        }
        tested += made["test"].tolist()
    assert sorted(tested) == np.flatnonzero(LABELS >= 0).tolist()
    data = DataConfig.model_validate({**plan, "folds": {"count": 5}})
    with pytest.raises(
        InputError, match="at least 5 distinct first texts. Received: 2"
    ):
        split_rows(data.split_plan, LABELS, texts // 13)


def hold_out_by_text(labels, texts, dev_share):
    config = {"corpus": "cr", "train": "a.txt", "split_by_text": True}
    data = DataConfig.model_validate({**config, "dev_share": dev_share})
    return split_rows(data.split_plan, np.array(labels), texts)


@pytest.mark.parametrize(("dev_share", "dev_rows"), [(0.05, 5), (0.3, 33), (0.5, 50)])
def test_dev_by_text_is_one_of_equal_parts_near_its_share(dev_share, dev_rows):
    made = hold_out_by_text([0, 1] * 50, np.arange(100), dev_share)
    assert len(made["dev"]) == pytest.approx(dev_rows, abs=1)


@pytest.mark.parametrize("dev_share", [0.4, 0.7])
def test_a_dev_share_by_text_that_is_far_from_one_part_is_an_error(dev_share):
    message = f"'data.dev_share' must be near 1/2, 1/3, .* Received: {dev_share},"
    with pytest.raises(InputError, match=message):
        hold_out_by_text([0, 1] * 50, np.arange(100), dev_share)


def test_a_dev_share_by_text_that_is_too_small_for_the_rows_is_an_error():
    message = "a.txt: .* requires a label with at least 20 rows. Received: 15"
    with pytest.raises(InputError, match=message):
        hold_out_by_text([0, 1] * 15, np.arange(30), 0.05)


def test_a_split_by_text_requires_the_texts():
    with pytest.raises(ValueError, match="`text_ids` are required"):
        hold_out_by_text([0, 1] * 50, None, 0.2)


def test_dev_is_held_out_of_train_alone():
    made = split(dev_share=0.2, test="b.txt")
    assert set(made) == {"train", "dev"} and len(made["dev"]) == 15


def test_dev_can_be_held_out_of_the_test_file():
    made = split(dev_share=0.4, dev_from="test", test="b.txt")
    assert {name: len(rows) for name, rows in made.items()} == {"dev": 30, "test": 45}
    rows = np.concatenate(list(made.values()))
    assert sorted(rows) == np.flatnonzero(LABELS >= 0).tolist()


def test_selecting_on_the_test_fold_must_be_asked_for():
    made = split(folds={"count": 5, "fold": 0}, select_on_test=True)
    assert made["dev"].tolist() == made["test"].tolist()
    assert not set(made["dev"]) & set(made["train"])


def test_scores_are_dealt_by_their_whole_numbers():
    scores = np.linspace(1, 5, 100, dtype=np.float32)
    made = split(scores, dev_share=0.25)
    counts = [np.bincount(np.rint(scores[part]).astype(int)) for part in made.values()]
    np.testing.assert_allclose(counts[1], counts[0] / 3, atol=2)


@pytest.mark.parametrize(
    ("labels", "settings", "message"),
    [
        (
            [0] * 20 + [1] * 4,
            {"folds": {"count": 5}, "dev_share": 0.1},
            "5 .* for 5 folds. Received: 4 of label positive",
        ),
        ([0] * 20 + [1], {"dev_share": 0.1}, "2 .* one out. Received: 1 of label"),
        ([-1] * 9, {"dev_share": 0.1}, "2 .* Received: 0"),
    ],
)
def test_too_few_rows_of_a_label_are_an_error(labels, settings, message):
    with pytest.raises(InputError, match=f"a.txt: expected at least {message}"):
        split(np.array(labels), **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "exactly one setting must .*'data.dev' .*. Received: none"),
        (
            {"dev": "d", "dev_share": 0.1},
            "exactly one setting .*. Received: 'data.dev' and 'data.dev_share'",
        ),
        ({"dev": "d", "folds": {}}, "are rows of 'data.train'"),
        (
            {"folds": {"fold": 10}, "dev_share": 0.1},
            "'data.folds.fold', counted from 0",
        ),
        ({"select_on_test": True}, "requires 'data.test' or 'data.folds'"),
        (
            {"dev": "d", "options": {}},
            "has no options. Corpora with options: sst, wikiqa",
        ),
        (
            {"dev": "d", "corpus": "sst", "options": {"oversample": 4}},
            "requires 'data.options.phrases: true'",
        ),
        (
            {"dev_share": 0.1, "dev_from": "test"},
            "requires 'data.dev_share' and 'data.test'",
        ),
        (
            {"dev": "d", "dev_from": "test", "test": "t"},
            "requires 'data.dev_share' and 'data.test'",
        ),
        (
            {"dev_share": 0.1, "dev_from": "test", "test": "a.txt"},
            "'data.test' must differ from",
        ),
        ({"dev_share": 0.1, "test": "a.txt"}, "'data.test' must differ from"),
        (
            {"dev": "t", "test": "t"},
            "'data.test' must differ from.*'data.select_on_test",
        ),
        (
            {"dev_share": 0.1, "mix": {"path": "x"}},
            "'data.mix' cannot be combined with",
        ),
        (
            {"dev_share": 0.1, "corpus": "sst", "options": {"phrases": True}},
            "'data.options.phrases' cannot be combined with",
        ),
    ],
)
def test_impossible_splits_raise_an_error(settings, message):
    with pytest.raises(ValueError, match=message):
        split(**settings)


@pytest.mark.parametrize(
    "settings", [{"dev_share": 0.2}, {"folds": {"count": 5}, "dev_share": 0.2}]
)
def test_rare_scores_are_merged_with_neighbouring_scores(settings):
    scores = np.array([0, 7, *range(20, 100), 100], np.float32)
    made = split(scores, **settings)
    assert sorted(np.concatenate(list(made.values()))) == [*range(len(scores))]
    assert len(made["dev"]) > 5
