import numpy as np
import pytest

from dsa.data.words.embeddings import (
    EmbeddingSettings,
    build_embedding,
)
from dsa.data.words.vector_reader import VectorReader, list_case_variants

LINES = "the 1 1\nParis 2 2\ncat 3 3\nCat 4 4\nUSA 5 5\nof 6 6\n"


def vector_file(tmp_path):
    (tmp_path / "v.txt").write_text(LINES)
    return tmp_path / "v.txt"


def build(file, exact=False, seed=3, **settings):
    return build_embedding(
        EmbeddingSettings(units=2, **settings),
        VectorReader(file, 2, exact) if file else None,
        ["cat", "zebra", "paris"],
        ["CAT", "usa", "unheard"],
        seed=seed,
    )


def rows(vocabulary, vectors, words):
    return vectors[vocabulary.ids(words)][:, 0].tolist()


def test_case_forms_are_exact_then_lower_then_capitalised():
    assert list(list_case_variants("cAT")) == ["cAT", "cat", "Cat"]


def test_a_word_is_looked_up_by_its_first_known_variant(tmp_path):
    reader = VectorReader(vector_file(tmp_path), units=2)
    found, top = reader.look_up(["Cat", "CAT", "paris", "x"], num_first=2)
    assert {word: v[0] for word, v in found.items()} == {"Cat": 4, "CAT": 3, "paris": 2}
    assert list(top) == ["the", "Paris"]


def test_frozen_vectors_cover_train_dev_and_the_top_of_the_file(tmp_path):
    vocabulary, vectors, _ = build(vector_file(tmp_path), frequent_words=2)
    assert vocabulary.words == ["cat", "paris", "CAT", "the", "Paris"]
    assert rows(vocabulary, vectors, ["cat", "paris", "CAT", "the"]) == [3, 2, 3, 1]
    assert (vectors[0] == 0).all()
    unknown = vectors[vocabulary.ids(["zebra", "unheard"])]
    np.testing.assert_array_equal(unknown[0], unknown[1])
    assert 0 < np.abs(unknown).max() <= 0.05


def test_words_with_capitals_are_left_out_of_a_lower_cased_vocabulary(tmp_path):
    vocabulary, _, _ = build(vector_file(tmp_path), lowercase=True, frequent_words=6)
    assert vocabulary.words == ["cat", "paris", "CAT", "the", "of"]


def test_trained_vectors_cover_the_words_of_train_each_with_its_row(tmp_path):
    vocabulary, vectors, _ = build(vector_file(tmp_path), trainable=True)
    assert vocabulary.words == ["cat", "zebra", "paris"]
    assert rows(vocabulary, vectors, ["cat", "paris"]) == [3, 2]
    zebra = vectors[vocabulary.ids(["zebra"])]
    assert 0 < np.abs(zebra).max() <= 0.05


def test_without_a_file_every_word_of_train_is_random_and_seeded():
    vocabulary, vectors, _ = build(None, trainable=True)
    _, again, _ = build(None, trainable=True)
    _, other, _ = build(None, trainable=True, seed=4)
    assert len(vocabulary) == 5
    np.testing.assert_array_equal(vectors, again)
    assert (vectors[1:] != other[1:]).all()
    assert (vectors[1:] != 0).all()


def test_words_outside_train_have_frozen_rows_after_the_trained_rows(tmp_path):
    options = {"trainable": True, "frequent_words": 2}
    file = vector_file(tmp_path)
    vocabulary, vectors, frozen = build(file, frozen_outside=True, **options)
    # dev's "usa" and "unheard" have no form in the file, "CAT" has "cat"
    assert vocabulary.words == ["cat", "zebra", "paris", "CAT", "the", "Paris"]
    assert frozen == 3
    assert rows(vocabulary, vectors, ["cat", "CAT", "the", "Paris"]) == [3, 3, 1, 2]
    assert rows(vocabulary, vectors, ["unheard"]) == [0]
    _, _, none = build(file, **options)
    assert none == 0


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (
            "CAT 1 1\nPARIS 2 2\nZEBRA 3 3\n",
            "the words of the file have another case",
        ),
        ("chat 1 1\nLondres 2 2\n", "the file may be in another language"),
    ],
)
@pytest.mark.parametrize("trainable", [True, False])
def test_a_file_that_has_few_of_the_words_is_a_warning_with_its_cause(
    tmp_path, caplog, lines, cause, trainable
):
    (tmp_path / "v.txt").write_text(lines)
    settings = EmbeddingSettings(2, trainable, frequent_words=1)
    reader = VectorReader(tmp_path / "v.txt", 2)
    build_embedding(settings, reader, ["cat", "zebra", "paris"], ["usa"], seed=3)
    words = 3 if trainable else 4
    assert (
        f"v.txt: only 0 of the {words} words of the corpus have a vector: {cause}"
        in caplog.text
    )


def test_a_tenth_of_the_words_is_no_warning(tmp_path, caplog):
    (tmp_path / "v.txt").write_text("a 1 1\n")
    settings, reader = EmbeddingSettings(2), VectorReader(tmp_path / "v.txt", 2)
    build_embedding(settings, reader, list("abcdefghij"), [], seed=3)
    assert not caplog.text
    build_embedding(settings, reader, list("abcdefghijk"), [], seed=3)
    assert "only 1 of the 11 words" in caplog.text


def test_exact_lookup_ignores_case_variants(tmp_path):
    reader = VectorReader(vector_file(tmp_path), units=2, exact=True)
    found, _ = reader.look_up(["Cat", "CAT", "paris"])
    assert list(found) == ["Cat"]
    vocabulary, vectors, _ = build(vector_file(tmp_path), trainable=True, exact=True)
    cat, paris = rows(vocabulary, vectors, ["cat", "paris"])
    assert cat == 3 and abs(paris) <= 0.05


def test_random_vectors_have_the_distribution_that_is_asked_for():
    words = [str(number) for number in range(4000)]
    for random, scale, deviation in (
        ("normal", 0.01, 0.01),
        ("normal", 1.0, 1.0),
        ("uniform", 0.05, 0.05 / 3**0.5),
    ):
        settings = EmbeddingSettings(
            units=5, trainable=True, random=random, random_scale=scale
        )
        _, vectors, _ = build_embedding(settings, None, words, [], seed=3)
        assert vectors[1:].std() == pytest.approx(deviation, rel=0.05)
        assert (vectors[0] == 0).all()
        assert (abs(vectors[1:]).max() > 3 * scale) == (random == "normal")


def test_special_words_have_one_row_with_the_vector_of_the_file(tmp_path):
    for trainable in (False, True):
        settings = EmbeddingSettings(2, trainable=trainable)
        reader = VectorReader(vector_file(tmp_path), 2)
        words = ["_BOS_", "of", "cat"]
        vocabulary, vectors, _ = build_embedding(
            settings, reader, words, [], 3, words[:2]
        )
        assert vocabulary.words[:2] == ["_BOS_", "of"] and "cat" in vocabulary
        first, of = rows(vocabulary, vectors, words[:2])
        assert 0 < abs(first) <= 0.05 and of == 6


def test_a_repeated_first_word_does_not_add_a_word_from_further_down(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("a 1 1\na 2 2\nb 3 3\nz 4 4\n")
    _, first = VectorReader(path, units=2).look_up(["z"], num_first=3)
    assert list(first) == ["a", "b"]
