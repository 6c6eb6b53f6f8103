import types

from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vocabulary import Vocabulary
from dsa.inference.page.page import EXAMPLES, choose_examples
from dsa.tasks.task import PAIR, SINGLE


def model(words, inputs=PAIR):
    return types.SimpleNamespace(
        vocabulary=Vocabulary(words),
        tokenizer=Tokenizer("treebank"),
        task=types.SimpleNamespace(inputs=inputs),
    )


def words_of(*texts):
    return list(dict.fromkeys(word for text in texts for word in Tokenizer()(text)))


def test_the_examples_are_those_whose_words_all_runs_know():
    knows_all = model(words_of(*EXAMPLES[0], *EXAMPLES[2]))
    knows_one = model(words_of(*EXAMPLES[2]))
    assert choose_examples([knows_all]) == [EXAMPLES[0], EXAMPLES[2]]
    assert choose_examples([knows_all, knows_one]) == [EXAMPLES[2]]
    single = model(words_of(EXAMPLES[1][0]), SINGLE)
    assert choose_examples([single]) == [EXAMPLES[1][:1]]


def test_another_language_has_texts_of_its_own_words():
    words = ["el", ".", "perro", "Perro", "can't", "come", "y", "duerme"]
    first = model(words)
    assert choose_examples([first]) == [("el perro come y duerme",) * 2]
    assert choose_examples([first, model(["come", "el"])]) == [("el come",) * 2]
    assert choose_examples([model([])]) == [EXAMPLES[0]]
