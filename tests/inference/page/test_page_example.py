import types

from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vocabulary import Vocabulary
from dsa.inference.page.page_examples import EXAMPLES, choose_examples
from dsa.tasks.task import PAIR, SINGLE


def make_model(words, inputs=PAIR):
    return types.SimpleNamespace(
        vocabulary=Vocabulary(words),
        tokenizer=Tokenizer("treebank"),
        task=types.SimpleNamespace(inputs=inputs),
    )


def list_words(*texts):
    return list(dict.fromkeys(word for text in texts for word in Tokenizer()(text)))


def test_examples_have_no_word_that_is_unknown_to_the_first_run():
    first = make_model(list_words(*EXAMPLES[0], *EXAMPLES[2]))
    second = make_model(list_words(*EXAMPLES[2]))
    assert choose_examples([first]) == [EXAMPLES[0], EXAMPLES[2]]
    assert choose_examples([first, second]) == [EXAMPLES[2], EXAMPLES[0]]
    single = make_model(list_words(EXAMPLES[1][0]), SINGLE)
    assert choose_examples([single]) == [EXAMPLES[1][:1]]


def test_a_vocabulary_of_another_language_gets_texts_of_its_frequent_words():
    words = ["el", ".", "perro", "Perro", "can't", "come", "y", "duerme"]
    first = make_model(words)
    assert choose_examples([first]) == [("el perro come y duerme",) * 2]
    assert choose_examples([first, make_model(["come", "el"])]) == [("el come",) * 2]
    assert choose_examples([make_model([])]) == [EXAMPLES[0]]
