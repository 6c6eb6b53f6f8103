"""A WordNet of seven synsets, in the files that wndb(5) describes."""

LICENCE = b"  1 WordNet 3.0 Copyright 2006 by Princeton University.\n"
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SYNSETS = {  # by name: words, and pointers to others
    "n": {
        "animal": (["animal", "beast"], [("~", "n", "dog")]),
        "dog": (["dog", "domestic_dog"], [("@", "n", "animal")]),
        "poodle": (["poodle"], [("@", "n", "dog")]),
    },
    "v": {  # one above the other in a circle, as WordNet 3.0 has `restrain`
        "restrain": (["restrain"], [("@", "v", "inhibit")]),
        "inhibit": (["inhibit"], [("@", "v", "restrain")]),
    },
    "a": {"big": (["big", "large(p)"], [])},
    "r": {"fast": (["fast"], [])},
}


def write_wordnet(folder):
    """Write the files into a new folder."""
    folder.mkdir(parents=True)
    places = {}
    for letter in SYNSETS:
        position = len(LICENCE)
        for name in SYNSETS[letter]:
            places[letter, name] = position
            position += len(_write_synset(letter, name, {}))
    for letter, part in PARTS.items():
        synsets = [_write_synset(letter, name, places) for name in SYNSETS[letter]]
        (folder / f"data.{part}").write_bytes(LICENCE + b"".join(synsets))
        entries = [
            f"{word.partition('(')[0]} {letter} 1 0 1 1 {places[letter, name]:08}  \n"
            for name, (words, _) in SYNSETS[letter].items()
            for word in words
        ]
        text = "".join(sorted(entries))
        (folder / f"index.{part}").write_bytes(LICENCE + text.encode())
        (folder / f"{part}.exc").write_text("dogges dog\n" if letter == "n" else "")
    return folder


def _write_synset(letter, name, places):
    words, pointers = SYNSETS[letter][name]
    fields = [f"{places.get((letter, name), 0):08}", "03", letter, f"{len(words):02x}"]
    fields += [field for word in words for field in (word, "0")]
    fields += [f"{len(pointers):03}"]
    for symbol, other, target in pointers:
        fields += [symbol, f"{places.get((other, target), 0):08}", other, "0000"]
    return f"{' '.join(fields)} | what {name} means  \n".encode()
