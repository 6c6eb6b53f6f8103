"""Lexicon of the mini corpus: nouns, verbs, adjectives and places as trees.

Each table maps a word to its parent, its hypernym (`None` for a root). A word entails
its ancestors. Two words exclude each other unless one is an ancestor of the other.
"""

NOUNS = {
    "person": None,
    "adult": "person",
    "man": "adult",
    "woman": "adult",
    "child": "person",
    "boy": "child",
    "girl": "child",
    "animal": None,
    "pet": "animal",
    "dog": "pet",
    "cat": "pet",
    "bird": "animal",
    "duck": "bird",
    "crow": "bird",
    "horse": "animal",
    "cow": "animal",
    "plant": None,
    "tree": "plant",
    "bush": "plant",
    "container": None,
    "box": "container",
    "basket": "container",
    "barrel": "container",
    "seat": None,
    "chair": "seat",
    "bench": "seat",
    "lamp": None,
    "ladder": None,
    "fence": None,
    "cart": None,
}

IRREGULAR_PLURALS = {
    "person": "people",
    "man": "men",
    "woman": "women",
    "child": "children",
}

# Transitive and intransitive verbs.
ANIMATE_VERBS = {
    "follow": None,
    "chase": "follow",
    "touch": None,
    "push": "touch",
    "kick": "touch",
    "help": None,
    "feed": "help",
    "wash": "help",
}
LONE_VERBS = {
    "rest": None,
    "sleep": "rest",
    "sit": "rest",
    "travel": None,
    "run": "travel",
    "walk": "travel",
}
# Verbs of distractor clauses; animate agents only stand.
STATIC_VERBS = {
    f"{verb} {preposition}": None
    for verb in ("stand", "lie", "lean")
    for preposition in ("near", "behind", "beside")
}
VERBS = {**ANIMATE_VERBS, **LONE_VERBS, **STATIC_VERBS}

# adjective: (attribute, its parent or None)
ADJECTIVES = {
    "small": ("size", None),
    "tiny": ("size", "small"),
    "big": ("size", None),
    "huge": ("size", "big"),
    "happy": ("mood", None),
    "sad": ("mood", None),
    "black": ("color", None),
    "white": ("color", None),
    "brown": ("color", None),
    "grey": ("color", None),
}
ATTRIBUTE_ORDER = ("size", "mood", "color")
FITTING_ATTRIBUTES = {
    "person": ("size", "mood"),
    "animal": ("size", "mood", "color"),
    "object": ("size", "color"),
}

PLACES = {
    "outside": None,
    "park": "outside",
    "garden": "outside",
    "inside": None,
    "kitchen": "inside",
    "barn": "inside",
}


def ancestors(tree, word):
    """Returns the word and its ancestors, nearest first."""
    chain = []
    while word is not None:
        chain.append(word)
        word = tree[word]
    return chain


def children(tree, word):
    """Returns the children of `word`, in the order of the table."""
    return [other for other, parent in tree.items() if parent == word]


def family(noun):
    """Returns the semantic class of a noun: `person`, `animal` or `object`."""
    root = ancestors(NOUNS, noun)[-1]
    return root if root in ("person", "animal") else "object"


ANIMATES = [noun for noun in NOUNS if family(noun) != "object"]
OBJECTS = [noun for noun in NOUNS if family(noun) == "object"]


def plural(noun):
    """`dog` -> `dogs`, `child` -> `children`."""
    return IRREGULAR_PLURALS.get(noun, noun + "s")


def third_person(verb):
    """`chase` -> `chases`, `stand near` -> `stands near`."""
    head, *rest = verb.split()
    ending = "es" if head.endswith(("sh", "ch")) else "s"
    return " ".join([head + ending, *rest])


def article(word):
    """Returns `a` or `an`, depending on the next word."""
    return "an" if word[0] in "aeiou" else "a"
