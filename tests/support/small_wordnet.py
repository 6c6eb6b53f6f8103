"""A WordNet of seven synsets, in the format of wndb(5)."""

LICENCE = b"  1 WordNet 3.0 Copyright 2006 by Princeton University.\n"
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SYNSETS = {  # by name: words, and pointers to other synsets
    "n": {
        "animal": (["animal", "beast"], [("~", "n", "dog")]),
        "dog": (["dog", "domestic_dog"], [("@", "n", "animal")]),
        "poodle": (["poodle"], [("@", "n", "dog")]),
    },
    "v": {  # a cycle, as for `restrain` in WordNet 3.0
        "restrain": (["restrain"], [("@", "v", "inhibit")]),
        "inhibit": (["inhibit"], [("@", "v", "restrain")]),
    },
    "a": {"big": (["big", "large(p)"], [])},
    "r": {"fast": (["fast"], [])},
}


def write_wordnet(folder):
    """Writes the files to a new folder, and returns the folder."""
    folder.mkdir(parents=True)
    offsets = {}
    for letter in SYNSETS:
        position = len(LICENCE)
        for name in SYNSETS[letter]:
            offsets[letter, name] = position
            position += len(_write_synset(letter, name, {}))
    for letter, part in PARTS.items():
        synsets = [_write_synset(letter, name, offsets) for name in SYNSETS[letter]]
        (folder / f"data.{part}").write_bytes(LICENCE + b"".join(synsets))
        entries = [
            f"{word.partition('(')[0]} {letter} 1 0 1 1 {offsets[letter, name]:08}  \n"
            for name, (words, _) in SYNSETS[letter].items()
            for word in words
        ]
        text = "".join(sorted(entries))
        (folder / f"index.{part}").write_bytes(LICENCE + text.encode())
        (folder / f"{part}.exc").write_text("dogges dog\n" if letter == "n" else "")
    return folder


def _write_synset(letter, name, offsets):
    words, pointers = SYNSETS[letter][name]
    fields = [f"{offsets.get((letter, name), 0):08}", "03", letter, f"{len(words):02x}"]
    fields += [field for word in words for field in (word, "0")]
    fields += [f"{len(pointers):03}"]
    for symbol, other, target in pointers:
        fields += [symbol, f"{offsets.get((other, target), 0):08}", other, "0000"]
    return f"{' '.join(fields)} | what {name} means  \n".encode()
