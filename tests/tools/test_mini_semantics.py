"""The labels of the bundled mini corpus: the relation of two sentences, by logic."""

import pytest

from tests.support.mini_corpus import lexicon, semantics

Clause, Phrase = semantics.Clause, semantics.Phrase


def clause(text):
    """`no big dog chase a cat in park` -> Clause, enough for the cases below."""
    text, _, place = text.partition(" in ")
    tokens, phrases, verb, negated = text.split(), [], None, False
    for token in tokens:
        if token in ("a", "the", "two", "every", "no"):
            phrases.append([token, None, ()])
        elif token in lexicon.ADJECTIVES:
            phrases[-1][2] += (token,)
        elif token in lexicon.NOUNS:
            phrases[-1][1] = token
        elif token == "not":
            negated = True
        elif token in lexicon.VERBS:
            verb = token
        else:
            raise ValueError(f"not a word of the mini corpus: {token}")
    return Clause(*(_arguments(phrases, verb, place or None)), negated)


def _arguments(phrases, verb, place):
    agent, *patients = (Phrase(*phrase) for phrase in phrases)
    return agent, verb, patients[0] if patients else None, place


CASES = [
    # the same, and a wider or narrower word
    ("a dog chase a cat", "a dog chase a cat", "entailment"),
    ("a dog chase a cat", "an animal follow a pet", "entailment"),
    ("an animal chase a cat", "a dog chase a cat", "neutral"),
    ("a dog follow a cat", "a dog chase a cat", "neutral"),
    ("a dog chase a cat", "a horse chase a cat", "contradiction"),
    ("a dog chase a cat", "a dog feed a cat", "contradiction"),
    # roles
    ("a dog chase a cat", "a cat chase a dog", "contradiction"),
    ("a pet chase an animal", "an animal chase a pet", "neutral"),
    # modifiers
    ("a tiny dog sleep", "a dog sleep", "entailment"),
    ("a dog sleep", "a small dog sleep", "neutral"),
    ("a tiny dog sleep", "a small dog sleep", "entailment"),
    ("a small dog sleep", "a tiny dog sleep", "neutral"),
    ("a small dog sleep", "a big dog sleep", "contradiction"),
    ("a big dog chase a sad cat", "a sad dog chase a big cat", "neutral"),
    ("a big dog chase a tiny cat", "a tiny dog chase a big cat", "contradiction"),
    # places
    ("a dog sleep in park", "a dog sleep", "entailment"),
    ("a dog sleep in park", "a dog sleep in outside", "entailment"),
    ("a dog sleep", "a dog sleep in park", "neutral"),
    ("a dog sleep in park", "a dog sleep in barn", "contradiction"),
    # quantifiers
    ("two dog sleep", "a dog sleep", "entailment"),
    ("a dog sleep", "two dog sleep", "contradiction"),
    ("every dog sleep", "a dog sleep", "entailment"),
    ("every dog sleep", "two dog sleep", "neutral"),
    ("a dog sleep", "every dog sleep", "neutral"),
    ("every pet sleep", "every dog sleep", "entailment"),
    ("every dog sleep", "every pet sleep", "neutral"),
    ("every dog sleep", "every small dog sleep", "entailment"),
    ("two dog sleep", "every cat sleep", "contradiction"),
    # negation
    ("a small dog sleep", "no dog sleep", "contradiction"),
    ("a dog sleep", "no cat sleep", "entailment"),
    ("a dog sleep", "no small dog sleep", "neutral"),
    ("a dog chase a cat", "the cat not chase the dog", "entailment"),
    ("no pet sleep", "no dog sleep", "entailment"),
    ("no dog sleep", "no pet sleep", "neutral"),
    ("no dog sleep", "a tiny dog sleep", "contradiction"),
    ("no dog sleep", "a pet sleep", "neutral"),
    ("the dog not sleep", "every dog sleep", "contradiction"),
    ("the dog not chase the cat", "a cat chase a dog", "neutral"),
    # several clauses
    ("a dog run; a cat sleep", "a cat sleep", "entailment"),
    ("a dog run; a cat sleep", "a dog sleep", "contradiction"),
    ("a dog run; a cat sleep", "a cat sleep; a dog travel", "entailment"),
    ("a dog run; a pet sleep", "a dog sleep", "neutral"),
    ("the dog not run; a cat sleep", "a dog run", "contradiction"),
]


def sentence(text):
    return tuple(clause(part.replace("an ", "a ")) for part in text.split("; "))


@pytest.mark.parametrize("premise, hypothesis, label", CASES)
def test_the_relation_of(premise, hypothesis, label):
    assert semantics.relation(sentence(premise), sentence(hypothesis)) == label
