"""Small corpora in the formats of SNLI."""

import gzip
import json

PAIRS = [
    ("A man sleeps.", "A man is awake.", "contradiction"),
    ("Two dogs run fast.", "Animals run.", "entailment"),
    ("A woman reads a book.", "The book is red.", "neutral"),
    ("The cat sits on a mat.", "A cat sits.", "entailment"),
    ("A boy eats.", "A girl eats an apple in the old park.", "neutral"),
    ("Nobody sings.", "A man sings.", "contradiction"),
]


def rows(count=6, **fields):
    """Returns `count` rows as dictionaries, cycling through `PAIRS`."""
    return [
        {
            "gold_label": label,
            "sentence1": premise,
            "sentence2": hypothesis,
            "pairID": f"p{number}",
            **fields,
        }
        for number, (premise, hypothesis, label) in zip(
            range(count), PAIRS * count, strict=False
        )
    ]


def write_jsonl(path, rows):
    """Writes rows as JSON lines; a path with the suffix `.gz` is compressed."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    data = text.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
