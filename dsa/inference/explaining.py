"""What a `TrainedModel` looked at, as an `Explanation`."""

from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.sentences import Sentences
from dsa.explanation import Explanation
from dsa.inference.raw_text import RawTextTokenizer
from dsa.tasks.task import SINGLE


def explain_texts(trained, texts):
    """The `Explanation` of one row of texts, with its answer."""
    example = Example(tuple(texts), None, None, None, None, 1)
    prepared = from_examples(
        [example], RawTextTokenizer(trained.tokenizer), trained.task, "text"
    )
    prepared = trained.experiment.view.apply(prepared)
    larger = trained.with_words(prepared.words)
    larger.log_unknown(prepared.words)
    rows = larger.reader.read(prepared, larger.vocabulary)
    logits, maps = larger.inference.explain(rows)
    return Explanation.build(
        maps,
        trained.reader.name_tokens(prepared),
        trained.task.answer(logits),
        logits,
        larger.vocabulary.find_unknown(prepared.words),
    )


def explain_tokens(trained, tokens):
    """The `Explanation` of one sentence, a list of tokens, without an answer."""
    tokens = _reorder(trained.experiment.view, tokens)
    larger = trained.with_words(tokens)
    sentence = Sentences.from_lists([larger.vocabulary.ids(tokens).tolist()])
    maps = larger.inference.explain_sentence(sentence)
    larger.log_unknown(tokens)
    (name,) = SINGLE
    return Explanation.build(
        maps,
        {name: tokens},
        unknown=larger.vocabulary.find_unknown(tokens),
    )


def _reorder(view, tokens):
    """The tokens of one sentence as the model sees them."""
    words = list(dict.fromkeys(tokens))
    sentence = Sentences.from_lists([[words.index(token) for token in tokens]])
    return [words[position] for position in view.reorder(words, sentence).ids]
