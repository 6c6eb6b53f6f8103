import types

from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vocabulary import Vocabulary
from dsa.inference.serving.page import EXAMPLES, choose_example
from dsa.tasks.task import PAIR, SINGLE


def model(words, inputs=PAIR):
    return types.SimpleNamespace(
        vocabulary=Vocabulary(words),
        tokenizer=Tokenizer("treebank"),
        task=types.SimpleNamespace(inputs=inputs),
    )


def words_of(*texts):
    return list(dict.fromkeys(word for text in texts for word in Tokenizer()(text)))


def test_the_first_example_is_taken_whose_words_all_runs_know():
    knows_all = model(words_of(*EXAMPLES[0], *EXAMPLES[2]))
    knows_one = model(words_of(*EXAMPLES[2]))
    assert choose_example([knows_all]) == EXAMPLES[0]
    assert choose_example([knows_all, knows_one]) == EXAMPLES[2]
    single = model(words_of(EXAMPLES[1][0]), SINGLE)
    assert choose_example([single]) == EXAMPLES[1][:1]


def test_another_language_has_texts_of_its_own_words():
    words = ["el", ".", "perro", "Perro", "can't", "come", "y", "duerme"]
    first = model(words)
    assert choose_example([first]) == ("el perro come y duerme",) * 2
    assert choose_example([first, model(["come", "el"])]) == ("el come",) * 2
    assert choose_example([model([])]) == EXAMPLES[0]
