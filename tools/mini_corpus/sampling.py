"""Sampling, editing and permutation of logical forms."""

from dataclasses import replace

from lexicon import (
    ADJECTIVES,
    ANIMATE_VERBS,
    ANIMATES,
    FITTING_ATTRIBUTES,
    LONE_VERBS,
    NOUNS,
    OBJECTS,
    PLACES,
    STATIC_VERBS,
    children,
    family,
)
from semantics import Clause, Phrase, consistent

# Relative frequencies; "not" stands for "the ... does not".
QUANTIFIERS = {"a": 54, "the": 20, "two": 8, "every": 7, "no": 6, "not": 5}
STATIC_ANIMATE_VERBS = [verb for verb in STATIC_VERBS if verb.startswith("stand")]


# Random logical forms


def pick(rng, weights):
    return rng.choices(list(weights), list(weights.values()))[0]


def random_adjective(rng, noun, others=()):
    """Draws an adjective that fits the noun and shares no attribute with `others`."""
    used = {ADJECTIVES[word][0] for word in others}
    fitting = [
        word
        for word, (attribute, _) in ADJECTIVES.items()
        if attribute in FITTING_ATTRIBUTES[family(noun)] and attribute not in used
    ]
    return rng.choice(fitting)


def random_phrase(rng, nouns, quantifier, weights=None):
    noun = rng.choice([n for n in nouns if not children(NOUNS, n)] * 2 + nouns)
    adjectives = ()
    for _ in range(pick(rng, weights or {0: 45, 1: 55})):
        adjectives += (random_adjective(rng, noun, adjectives),)
    return Phrase(quantifier, noun, adjectives)


def random_clause(rng, lone_share=0.2, quantifiers=QUANTIFIERS):
    """Draws an event: a person or animal acts alone or on another person or animal."""
    lone = rng.random() < lone_share
    quantifier = pick(rng, quantifiers)
    negated, quantifier = quantifier == "not", quantifier.replace("not", "the")
    article = "the" if quantifier == "the" else "a"
    return Clause(
        random_phrase(rng, ANIMATES, quantifier),
        rng.choice(list(LONE_VERBS if lone else ANIMATE_VERBS)),
        None if lone else random_phrase(rng, ANIMATES, article),
        rng.choice(list(PLACES)) if rng.random() < 0.2 else None,
        negated,
    )


# Edits of a hypothesis that give a more specific, more general or different premise


def edit_word(rng, tree, word):
    """Replaces a word by a child (twice as likely), its parent or a sibling."""
    below, parent = children(tree, word), tree[word]
    siblings = [other for other in children(tree, parent) if other != word]
    choices = [options for options in (below, below, siblings) if options]
    if parent:
        choices.append([parent])
    return rng.choice(rng.choice(choices)) if choices else word


def edit_phrase(rng, phrase):
    edit = pick(rng, {"noun": 3, "add": 3, "drop": 1, "change": 2})
    words = phrase.adjectives
    if edit == "noun":
        same = [n for n in NOUNS if family(n) == family(phrase.noun)]
        if rng.random() < 0.3:
            return replace(phrase, noun=rng.choice(same))
        noun = edit_word(rng, NOUNS, phrase.noun)
        return replace(phrase, noun=noun) if noun in same else phrase
    if edit == "add" and not words:
        return replace(
            phrase, adjectives=(*words, random_adjective(rng, phrase.noun, words))
        )
    if not words:
        return phrase
    kept = list(words)
    old = kept.pop(rng.randrange(len(kept)))
    if edit == "change":
        attribute = ADJECTIVES[old][0]
        same = [w for w in ADJECTIVES if ADJECTIVES[w][0] == attribute and w != old]
        kept.append(rng.choice(same))
    return replace(phrase, adjectives=tuple(kept))


def edit_clause(rng, clause):
    edit = pick(
        rng, {"agent": 4, "patient": 4, "verb": 3, "place": 2, "count": 1, "deny": 1}
    )
    if edit == "agent" or (edit == "patient" and not clause.patient):
        return replace(clause, agent=edit_phrase(rng, clause.agent))
    if edit == "patient":
        return replace(clause, patient=edit_phrase(rng, clause.patient))
    if edit == "verb":
        tree = LONE_VERBS if clause.verb in LONE_VERBS else ANIMATE_VERBS
        return replace(clause, verb=edit_word(rng, tree, clause.verb))
    if edit == "place":
        options = [*PLACES] if clause.place is None else [None, *PLACES]
        return replace(clause, place=rng.choice(options))
    if edit == "deny":
        agent = replace(clause.agent, quantifier="the")
        return replace(clause, agent=agent, negated=not clause.negated)
    quantifiers = ["a", "the", "two", "every", "no"]
    agent = replace(clause.agent, quantifier=rng.choice(quantifiers))
    return replace(clause, agent=agent, negated=False)


def random_premise(rng, hypothesis):
    """Draws from `edited_premise`, rejecting 75 % of the premises without a positive
    clause.

    These premises are uninformative, and would otherwise be a third of the premises of
    negative hypotheses.
    """
    while True:
        premise = edited_premise(rng, hypothesis)
        if any(clause.positive for clause in premise) or rng.random() < 0.25:
            return premise


def edited_premise(rng, hypothesis):
    """Applies one or two edits to the hypothesis, and sometimes adds a clause."""
    clauses = list(hypothesis)
    for _ in range(rng.choice((1, 1, 2))):
        position = rng.randrange(len(clauses))
        clauses[position] = edit_clause(rng, clauses[position])
    if rng.random() < 0.08:
        other = random_clause(rng, lone_share=1, quantifiers={"a": 2, "the": 1})
        clauses.insert(rng.randrange(2), other)
    return tuple(clauses)


# Permutations: the same words in other roles


def swap_in_pool(rng, items):
    """Returns the items with two positions swapped."""
    items = list(items)
    i, j = rng.sample(range(len(items)), 2)
    items[i], items[j] = items[j], items[i]
    return items


def fits(phrase):
    """Returns whether the adjectives fit the noun and have distinct attributes."""
    attributes = [ADJECTIVES[word][0] for word in phrase.adjectives]
    return len(attributes) == len(set(attributes)) and all(
        attribute in FITTING_ATTRIBUTES[family(phrase.noun)] for attribute in attributes
    )


def permuted(rng, sentence):
    """Permutes the roles of nouns, adjectives, verbs, places and negation."""
    phrases = [p for c in sentence for p in (c.agent, c.patient) if p]
    verbs, places = [c.verb for c in sentence], [c.place for c in sentence]
    heads = [(c.agent.quantifier, c.negated) for c in sentence]
    nouns, adjectives = [p.noun for p in phrases], [p.adjectives for p in phrases]
    for _ in range(rng.choice((1, 1, 2, 3))):
        part = pick(rng, {"noun": 3, "phrase": 3, "adjective": 4, "frame": 2})
        if part == "frame" and len(sentence) > 1:
            pool = rng.choice((places, heads, verbs))
            pool[:] = swap_in_pool(rng, pool)
        elif len(phrases) > 1:
            i, j = rng.sample(range(len(phrases)), 2)
            if part in ("noun", "phrase"):
                nouns[i], nouns[j] = nouns[j], nouns[i]
            if part in ("adjective", "phrase"):
                adjectives[i], adjectives[j] = adjectives[j], adjectives[i]
    clauses, position = [], 0
    for clause, verb, place, (quantifier, negated) in zip(
        sentence, verbs, places, heads, strict=True
    ):
        agent = Phrase(quantifier, nouns[position], adjectives[position])
        patient, position = clause.patient, position + 1
        if patient:
            patient = Phrase(patient.quantifier, nouns[position], adjectives[position])
            position += 1
        clauses.append(Clause(agent, verb, patient, place, negated))
    return tuple(clauses)


def well_formed(sentence):
    """Returns whether the valency of each verb is met and all adjectives fit."""
    for clause in sentence:
        if (clause.patient is None) != (clause.verb in LONE_VERBS):
            return False
        if not fits(clause.agent) or (clause.patient and not fits(clause.patient)):
            return False
    return consistent(sentence)


# Distractors: locations of objects


def static_clause(rng, agent):
    """Draws the location of the agent: `a small lamp stands near a box`."""
    verbs = STATIC_ANIMATE_VERBS if agent.noun in ANIMATES else list(STATIC_VERBS)
    others = [noun for noun in OBJECTS if noun != agent.noun]
    weights = {0: 30, 1: 70}
    return Clause(agent, rng.choice(verbs), random_phrase(rng, others, "a", weights))


def static_chain(rng, length):
    """Draws clauses whose agent is the patient of the previous clause."""
    chain = [static_clause(rng, random_phrase(rng, OBJECTS, "a", {0: 1, 1: 2}))]
    while len(chain) < length:
        chain.append(static_clause(rng, chain[-1].patient))
    return tuple(chain)
