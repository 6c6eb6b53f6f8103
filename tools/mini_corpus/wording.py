"""Surface realization of logical forms: phrases, clauses, sentences."""

from lexicon import (
    ADJECTIVES,
    ATTRIBUTE_ORDER,
    article,
    plural,
    third_person,
)


def phrase_words(phrase, quantifier=None):
    """`Phrase("two", "dog", ("old",))` -> `two old dogs`."""
    quantifier = quantifier or phrase.quantifier
    order = sorted(
        phrase.adjectives, key=lambda word: ATTRIBUTE_ORDER.index(ADJECTIVES[word][0])
    )
    noun = plural(phrase.noun) if quantifier in ("two", "three") else phrase.noun
    words = [*order, noun]
    if quantifier == "a":
        quantifier = article(words[0])
    return " ".join([quantifier, *words])


def place_words(place):
    """`park` -> ` in the park`, `outside` -> ` outside`, `None` -> an empty string."""
    if place is None:
        return ""
    return f" {place}" if place in ("outside", "inside") else f" in the {place}"


def clause_words(clause, aside=""):
    """Returns a main clause; `aside` is a relative clause that follows the agent."""
    several = clause.agent.quantifier in ("two", "three")
    agent = phrase_words(clause.agent) + aside
    if clause.negated:
        verb = f"does not {clause.verb}"
    else:
        verb = clause.verb if several else third_person(clause.verb)
    patient = f" {phrase_words(clause.patient)}" if clause.patient else ""
    return f"{agent} {verb}{patient}{place_words(clause.place)}"


def chain_words(chain):
    """Returns static clauses chained by relative clauses."""
    words = clause_words(chain[0])
    for clause in chain[1:]:
        words += " " + relative_words(clause)
    return words


def relative_words(clause):
    """Returns a relative clause: `that stands near a black box`."""
    return f"that {third_person(clause.verb)} {phrase_words(clause.patient)}"


def sentence_words(parts, connectives):
    """Joins parts by connectives, capitalizes the first letter and adds a full stop."""
    text = parts[0]
    for connective, part in zip(connectives, parts[1:], strict=True):
        text += f"{connective} {part}"
    return text[0].upper() + text[1:] + "."
