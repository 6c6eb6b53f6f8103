"""Generate the bundled mini corpus: train, dev and test as gzipped SNLI jsonl.

    python tools/mini_corpus/generate.py                     rewrites the bundled files
    python tools/mini_corpus/generate.py --out /tmp/mini --seed 7

Generation is deterministic for a given seed. `semantics.relation` computes the labels
from logical forms. Each hypothesis is paired with three premises, one per label, so the
hypothesis alone carries no information about the label. In half of these triples the
three premises contain the same words and differ only in semantic roles, or in the
attachment of an adjective, a place or a negation. Every sentence of dev and test
contains a noun-noun, noun-verb or adjective-noun combination that is absent from train
(`held_out`).
"""

import argparse
import functools
import gzip
import json
import random
from pathlib import Path

from lexicon import ADJECTIVES, NOUNS, VERBS
from sampling import (
    permuted,
    random_clause,
    random_premise,
    static_chain,
    static_clause,
    well_formed,
)
from semantics import CONTRADICTION, ENTAILMENT, NEUTRAL, consistent, relation
from wording import (
    chain_words,
    clause_words,
    relative_words,
    sentence_words,
)

BUNDLED = Path(__file__).resolve().parents[2] / "data" / "mini"
LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION)
TRIPLES = {"train": 10000, "dev": 334, "test": 334}  # three pairs each
LONG_SHARE, PERMUTED_SHARE = 0.2, 0.5
WORDS = {"short": (1, 24), "long": (25, 60), "longer": (61, 120)}  # in a premise
DISTRACTORS = {"long": (17, 19), "longer": (50, 75)}  # range of the minimum of words
RESIDUES = 13
SPLIT_OF_RESIDUE = {0: "test", 1: "dev"}  # all other residues: train
ALLOWED = {
    "train": {"train"},
    "dev": {"train", "dev"},
    "test": {"train", "dev", "test"},
}


# Held-out combinations


def combinations(clause):
    """Returns the word pairs of a clause: (type, word, word)."""
    pairs = []
    phrases = [phrase for phrase in (clause.agent, clause.patient) if phrase]
    for phrase in phrases:
        pairs.append(("noun-verb", phrase.noun, clause.verb))
        pairs += [("adjective-noun", word, phrase.noun) for word in phrase.adjectives]
    if clause.patient:
        pairs.append(("noun-noun", *sorted((clause.agent.noun, clause.patient.noun))))
    return pairs


# Position of each word in its table.
ORDER = {word: n for tree in (NOUNS, VERBS, ADJECTIVES) for n, word in enumerate(tree)}


def held_out(combination):
    """Returns the split for which a combination is held out, or `train` if none."""
    kind, first, second = combination
    step = 1 if kind == "noun-noun" else 2
    residue = (ORDER[first] + step * ORDER[second]) % RESIDUES
    return SPLIT_OF_RESIDUE.get(residue, "train")


def allowed(sentence, split):
    """Returns whether all combinations of a sentence are allowed in the split."""
    splits = {held_out(pair) for clause in sentence for pair in combinations(clause)}
    return splits <= ALLOWED[split]


def has_new_combination(sentence, split):
    """Returns whether a sentence has a combination held out for its split. Always true
    for train."""
    return split == "train" or any(
        held_out(pair) == split for clause in sentence for pair in combinations(clause)
    )


# Triples: one hypothesis, three premises


def draw(make, accept, attempts=1000):
    """Draws by rejection sampling: calls `make` until `accept` is true.

    Returns: the accepted result, or `None` after `attempts` rejections.
    """
    for _ in range(attempts):
        result = make()
        if accept(result):
            return result
    return None


def random_hypothesis(rng, split):
    return draw(
        lambda: (random_clause(rng),),
        lambda sentence: acceptable(sentence, split) and consistent(sentence),
    )


def acceptable(sentence, split):
    return allowed(sentence, split) and has_new_combination(sentence, split)


def one_per_label(premises, make, hypothesis, split, attempts):
    """Completes `{label: premise}` with draws from `make`.

    Returns: the completed premises, or `None` after `attempts` draws.
    """
    for _ in range(attempts):
        premise = make()
        label = relation(premise, hypothesis)
        if label not in premises and usable(premise, hypothesis, split):
            premises[label] = premise
        if len(premises) == len(LABELS):
            return premises
    return None


def edited_premises(rng, hypothesis, split):
    """Returns one edit of the hypothesis per label, or `None` if sampling fails."""
    make = functools.partial(random_premise, rng, hypothesis)
    return one_per_label({}, make, hypothesis, split, attempts=80)


def usable(premise, hypothesis, split):
    return premise != hypothesis and well_formed(premise) and acceptable(premise, split)


def permuted_premises(rng, hypothesis, split):
    """Returns one premise per label with equal words, or `None` if sampling fails."""
    for _ in range(8):
        first = random_premise(rng, hypothesis)
        if not usable(first, hypothesis, split):
            continue
        premises = one_per_label(
            {relation(first, hypothesis): first},
            functools.partial(permuted, rng, first),
            hypothesis,
            split,
            attempts=25,
        )
        if premises:
            return premises
    return None


def random_triple(rng, split):
    """Returns a hypothesis and `{label: premise}`, all as logical forms."""
    make = permuted_premises if rng.random() < PERMUTED_SHARE else edited_premises
    while True:
        hypothesis = random_hypothesis(rng, split)
        premises = make(rng, hypothesis, split)
        if premises:
            return hypothesis, premises


# Sentences


def random_distractors(rng, split, genre):
    """Returns chains of static clauses that lengthen a premise; none for short
    premises."""
    if genre not in DISTRACTORS:
        return []
    min_words = rng.randint(*DISTRACTORS[genre])
    chains, words = [], 0
    while words < min_words:
        length = rng.choice((1, 2, 2))
        chain = draw(lambda n=length: static_chain(rng, n), lambda c: allowed(c, split))
        chains.append(chain)
        words += len(chain_words(chain).split()) + 1
    return chains


def main_part(rng, clause, split, asides=False):
    """Returns the words of an event and the static clause about its agent, if any."""
    aside = ()
    if asides and clause.agent.quantifier in ("a", "the") and rng.random() < 0.3:
        aside = draw(
            lambda: (static_clause(rng, clause.agent),), lambda c: allowed(c, split)
        )
    words = f" {relative_words(aside[0])}" if aside else ""
    return clause_words(clause, words), aside


def sentence_text(rng, sentence, split, chains=()):
    """Returns the English sentence of a logical form, and the form with distractors."""
    parts, full = [], list(sentence)
    for clause in sentence:
        words, aside = main_part(rng, clause, split, asides=bool(chains))
        parts.append(words)
        full += aside
    for chain in chains:
        parts.append(chain_words(chain))
        full += chain
    if chains:
        rng.shuffle(parts)
    connectives = rng.choices((" and", " while"), k=len(parts) - 1)
    if chains:
        connectives = [word.replace(" while", ", while") for word in connectives]
    return sentence_words(parts, connectives), tuple(full)


def triple_rows(rng, split, genre):
    """Returns the three rows of a hypothesis, or `None` to reject the draw."""
    hypothesis, premises = random_triple(rng, split)
    chains = random_distractors(rng, split, genre)
    shared_chains = chains if chains and rng.random() < 0.3 else []
    second, full_hypothesis = sentence_text(rng, hypothesis, split, shared_chains)
    rows = []
    for label in LABELS:
        first, full_premise = sentence_text(rng, premises[label], split, chains)
        words = len(first.split())
        low, high = WORDS[genre]
        if not low <= words <= high or len(second.split()) > high:
            return None
        rows.append(
            {
                "gold_label": relation(full_premise, full_hypothesis),
                "sentence1": first,
                "sentence2": second,
                "genre": genre,
            }
        )
    balanced = sorted(row["gold_label"] for row in rows) == sorted(LABELS)
    return rows if balanced else None


def draw_rows(seed, split, genres):
    """Returns the rows of one triple per genre, in the order of `genres`."""
    rng = random.Random(f"{seed}-{split}")
    rows, seen = [], set()
    while len(rows) < 3 * len(genres):
        new = triple_rows(rng, split, genres[len(rows) // 3])
        if not new:
            continue
        sentences = {new[0]["sentence2"], *(row["sentence1"] for row in new)}
        if not sentences & seen:
            seen |= sentences
            rows += new
    return rows


def generate_split(seed, split):
    """Returns the rows of a split, shuffled and numbered."""
    long = round(LONG_SHARE * TRIPLES[split])
    genres = ["short"] * (TRIPLES[split] - long) + ["long"] * long
    rows = draw_rows(seed, split, genres)
    random.Random(seed).shuffle(rows)
    return number_rows(rows, split)


def number_rows(rows, name):
    for number, row in enumerate(rows):
        row["pairID"] = f"mini-{name}-{number:06d}"
        row["annotator_labels"] = [row["gold_label"]]
    return rows


def as_jsonl(rows):
    return "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows).encode()


def write_rows(folder, name, rows):
    data = gzip.compress(as_jsonl(rows), compresslevel=9, mtime=0)
    (folder / f"{name}.jsonl.gz").write_bytes(data)


def read_options(arguments, text, **defaults):
    """Parses `--out` and `--seed`, and creates the output folder."""
    parser = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seed", type=int)
    parser.set_defaults(**defaults)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    return options


def main(arguments=None):
    options = read_options(arguments, __doc__, out=BUNDLED, seed=13)
    for split in TRIPLES:
        write_rows(options.out, split, generate_split(options.seed, split))


if __name__ == "__main__":
    main()
