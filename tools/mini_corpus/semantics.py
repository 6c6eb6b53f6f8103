"""Logical forms of the mini corpus and the inference relation between them.

A sentence is a tuple of clauses. A positive clause describes an event: agent, verb,
patient and place. A negative clause denies an event. Premise and hypothesis describe
the same scene, seen by the writer of the premise:

1. Words form hypernym trees: a dog is a pet is an animal, to chase is to follow, a
   kitchen is inside. Words exclude each other unless one is an ancestor of the other;
   so do two adjectives of one attribute (small and big, but tiny entails small).
2. The premise is complete: its positive clauses list every event of the scene and all
   agents of each event, including their number ("a dog": one; "every dog": all dogs of
   the scene and no other agent). Unmentioned properties of agents, patients and places
   are undetermined. A premise with negative clauses only is not a list of events and
   determines nothing except its denials.
3. The hypothesis is a minimal claim: "a dog" is at least one of the agents, "two dogs"
   are exactly two agents, "every dog" presupposes a dog and is all agents, "no dog ..."
   and "the dog does not ..." deny the event. "The" is equivalent to "a".
4. Entailment: the hypothesis is true in all scenes that the premise describes;
   contradiction: in none; neutral: in some.
"""

from dataclasses import dataclass

from lexicon import ADJECTIVES, NOUNS, PLACES, VERBS, ancestors

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
COUNTS = {"a": 1, "the": 1, "two": 2}  # "every" and "no" have no fixed number


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
    """Combines the relations of independent parts."""
    relations = list(relations)
    if CONTRADICTION in relations:
        return CONTRADICTION
    return NEUTRAL if NEUTRAL in relations else ENTAILMENT


def compare_words(tree, premise, hypothesis):
    """Returns entailment for a hyponym, neutral for a hypernym, else contradiction."""
    if hypothesis in ancestors(tree, premise):
        return ENTAILMENT
    return NEUTRAL if premise in ancestors(tree, hypothesis) else CONTRADICTION


ADJECTIVE_TREE = {word: parent for word, (_, parent) in ADJECTIVES.items()}


def compare_adjectives(premise, hypothesis):
    """Compares the adjectives of premise and hypothesis, attribute by attribute."""
    premise_by_attribute = {ADJECTIVES[word][0]: word for word in premise}
    relations = []
    for word in hypothesis:
        other = premise_by_attribute.get(ADJECTIVES[word][0])
        if other:
            relations.append(compare_words(ADJECTIVE_TREE, other, word))
        else:
            relations.append(NEUTRAL)
    return join(relations)


def compare_kinds(premise, hypothesis):
    """Compares noun and adjectives of two phrases, ignoring quantifiers."""
    return join(
        [
            compare_words(NOUNS, premise.noun, hypothesis.noun),
            compare_adjectives(premise.adjectives, hypothesis.adjectives),
        ]
    )


def compare_agents(premise, hypothesis):
    """Compares the agents of two clauses, including their number."""
    kinds = compare_kinds(premise, hypothesis)
    if kinds == CONTRADICTION:
        return CONTRADICTION
    if hypothesis.quantifier == "every":
        every = premise.quantifier == "every"
        return compare_kinds(hypothesis, premise) if every else NEUTRAL
    claimed_count = COUNTS.get(hypothesis.quantifier)
    actual_count = COUNTS.get(premise.quantifier)
    if claimed_count == 1:
        return kinds
    if actual_count is None:
        return NEUTRAL
    if actual_count == claimed_count:
        return kinds
    # Two of three animals can be dogs, but not three of two.
    if actual_count > claimed_count and kinds == NEUTRAL:
        return NEUTRAL
    return CONTRADICTION


def compare_places(premise, hypothesis):
    if hypothesis is None:
        return ENTAILMENT
    return NEUTRAL if premise is None else compare_words(PLACES, premise, hypothesis)


def compare_patients(premise, hypothesis):
    if premise is None or hypothesis is None:
        return ENTAILMENT if premise is hypothesis else CONTRADICTION
    return compare_kinds(premise, hypothesis)


def compare_events(premise, hypothesis, agents=compare_agents):
    """Compares the events of two clauses, part by part."""
    return join(
        [
            agents(premise.agent, hypothesis.agent),
            compare_words(VERBS, premise.verb, hypothesis.verb),
            compare_patients(premise.patient, hypothesis.patient),
            compare_places(premise.place, hypothesis.place),
        ]
    )


def claimed(premise, hypothesis):
    """Compares a premise with one clause of the hypothesis, read as positive."""
    positives = [clause for clause in premise if clause.positive]
    relations = [compare_events(clause, hypothesis) for clause in positives]
    if ENTAILMENT in relations:
        return ENTAILMENT
    denied = any(
        compare_events(hypothesis, clause, agents=compare_kinds) == ENTAILMENT
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
    """Returns the relation of a premise to one clause of the hypothesis."""
    if hypothesis.positive:
        return claimed(premise, hypothesis)
    opposite = {ENTAILMENT: CONTRADICTION, CONTRADICTION: ENTAILMENT}
    relation = claimed(premise, as_positive(hypothesis))
    return opposite.get(relation, relation)


def relation(premise, hypothesis):
    """Returns the relation between two tuples of clauses: the label of the pair.

    A hypothesis with several clauses is their conjunction.
    """
    return join(clause_relation(premise, clause) for clause in hypothesis)


def consistent(sentence):
    """Returns whether no positive clause contradicts a negative clause."""
    positives = tuple(clause for clause in sentence if clause.positive)
    return not positives or all(
        clause_relation(positives, clause) == ENTAILMENT
        for clause in sentence
        if not clause.positive
    )
