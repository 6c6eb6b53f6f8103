"""Logical forms of the mini corpus and the relation between two of them.

A sentence is a tuple of clauses; a positive clause names one deed (who does what
to whom, and where), a negative one says that no such deed takes place. Premise
and hypothesis describe the same scene, seen by the writer of the premise:

1. Words are trees: a dog is a pet is an animal, to chase is to follow, a kitchen
   is inside. Words of which neither is above the other exclude each other, as do
   two adjectives of one attribute (small and big; tiny is within small).
2. The premise is complete: its positive clauses name every deed of the scene, and
   the doers of each deed, their number included ("a dog": one; "every dog": all
   dogs of the scene and nobody else). It leaves open what it does not mention of
   a doer, a patient or a place. A premise of negative clauses only is no list of
   deeds and leaves open everything but what it denies.
3. The hypothesis claims no more than it says: "a dog" is at least one of the
   doers, "two dogs" are exactly two of them, "every dog" presupposes a dog and is
   all of them, "no dog ..." and "the dog does not ..." deny the deed. "The" means
   what "a" means.
4. Entailment: the hypothesis is true of each scene the premise describes;
   contradiction: of none; neutral: of some.
"""

from dataclasses import dataclass

from lexicon import ADJECTIVES, NOUNS, PLACES, VERBS, ancestors

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
COUNTS = {"a": 1, "the": 1, "two": 2}  # "every" and "no" name no number


@dataclass(frozen=True)
class Phrase:
    """`every small brown dog`: quantifier, adjectives (in any order), noun."""

    quantifier: str
    noun: str
    adjectives: tuple = ()


@dataclass(frozen=True)
class Clause:
    """`the dog does not chase a cat in the park`; `negated` is the "does not"."""

    agent: Phrase
    verb: str
    patient: Phrase | None = None
    place: str | None = None
    negated: bool = False

    @property
    def positive(self):
        return not self.negated and self.agent.quantifier != "no"


def join(relations):
    """The relation of a whole from those of its independent parts."""
    relations = list(relations)
    if CONTRADICTION in relations:
        return CONTRADICTION
    return NEUTRAL if NEUTRAL in relations else ENTAILMENT


def compare_words(tree, premise, hypothesis):
    """Within: entailment; wider: neutral; neither: contradiction."""
    if hypothesis in ancestors(tree, premise):
        return ENTAILMENT
    return NEUTRAL if premise in ancestors(tree, hypothesis) else CONTRADICTION


WIDER = {word: wider for word, (_, wider) in ADJECTIVES.items()}


def compare_adjectives(premise, hypothesis):
    """Each adjective of the hypothesis against those of the same attribute."""
    of_premise = {ADJECTIVES[word][0]: word for word in premise}
    relations = []
    for word in hypothesis:
        other = of_premise.get(ADJECTIVES[word][0])
        relations.append(compare_words(WIDER, other, word) if other else NEUTRAL)
    return join(relations)


def compare_kinds(premise, hypothesis):
    """Noun and adjectives of two phrases, whatever their quantifiers."""
    return join(
        [
            compare_words(NOUNS, premise.noun, hypothesis.noun),
            compare_adjectives(premise.adjectives, hypothesis.adjectives),
        ]
    )


def compare_agents(premise, hypothesis):
    """Are the doers of the premise the doers that the hypothesis claims?"""
    kinds = compare_kinds(premise, hypothesis)
    if kinds == CONTRADICTION:
        return CONTRADICTION
    if hypothesis.quantifier == "every":
        every = premise.quantifier == "every"
        return compare_kinds(hypothesis, premise) if every else NEUTRAL
    wanted, given = (COUNTS.get(p.quantifier) for p in (hypothesis, premise))
    if wanted == 1:
        return kinds
    if given is None:
        return NEUTRAL
    if given == wanted:
        return kinds
    # Two of the three animals may be dogs; three of two may not.
    return NEUTRAL if given > wanted and kinds == NEUTRAL else CONTRADICTION


def compare_places(premise, hypothesis):
    if hypothesis is None:
        return ENTAILMENT
    return NEUTRAL if premise is None else compare_words(PLACES, premise, hypothesis)


def compare_patients(premise, hypothesis):
    if premise is None or hypothesis is None:
        return ENTAILMENT if premise is hypothesis else CONTRADICTION
    return compare_kinds(premise, hypothesis)


def compare_deeds(premise, hypothesis, agents=compare_agents):
    """Is the deed of one positive clause the deed of the other?"""
    return join(
        [
            agents(premise.agent, hypothesis.agent),
            compare_words(VERBS, premise.verb, hypothesis.verb),
            compare_patients(premise.patient, hypothesis.patient),
            compare_places(premise.place, hypothesis.place),
        ]
    )


def claimed(premise, hypothesis):
    """Does the scene of `premise` hold a deed as `hypothesis`, read as positive?"""
    positives = [clause for clause in premise if clause.positive]
    relations = [compare_deeds(clause, hypothesis) for clause in positives]
    if ENTAILMENT in relations:
        return ENTAILMENT
    denied = any(
        compare_deeds(hypothesis, clause, agents=compare_kinds) == ENTAILMENT
        for clause in premise
        if not clause.positive
    )
    if denied or (relations and NEUTRAL not in relations):
        return CONTRADICTION
    return NEUTRAL


def as_positive(clause):
    """`no dog chases a cat` -> `a dog chases a cat`."""
    agent = Phrase("a", clause.agent.noun, clause.agent.adjectives)
    return Clause(agent, clause.verb, clause.patient, clause.place)


def clause_relation(premise, hypothesis):
    """The relation of a premise to one clause of the hypothesis."""
    if hypothesis.positive:
        return claimed(premise, hypothesis)
    opposite = {ENTAILMENT: CONTRADICTION, CONTRADICTION: ENTAILMENT}
    relation = claimed(premise, as_positive(hypothesis))
    return opposite.get(relation, relation)


def relation(premise, hypothesis):
    """`entailment`, `neutral` or `contradiction` between two tuples of clauses.

    A hypothesis of several clauses is their conjunction.
    """
    return join(clause_relation(premise, clause) for clause in hypothesis)


def consistent(sentence):
    """Does no positive clause of the sentence fall under a negative one?"""
    positives = tuple(clause for clause in sentence if clause.positive)
    return not positives or all(
        clause_relation(positives, clause) == ENTAILMENT
        for clause in sentence
        if not clause.positive
    )
