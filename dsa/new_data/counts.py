"""Description of labelled rows: labels, duplicates, lengths and repeated texts."""

from collections import Counter

import numpy as np

from dsa.new_data.labelled_rows import LabelledRows
from dsa.parsing import parse_number, shorten

SHOWN_LABELS = 8  # maximum number of labels in a line


def describe_rows(rows: LabelledRows) -> list[str]:
    """Returns lines with the counts of rows, labels, duplicates, words and repeated
    texts."""
    return [
        f"rows: {len(rows.positions):,} with a label; left out: "
        f"{rows.unlabelled_count:,} without label, "
        f"{rows.empty_count:,} with an empty text",
        _describe_labels(rows),
        _describe_duplicates(rows),
        _describe_lengths(rows),
        _describe_repeated_texts(rows),
    ]


def _describe_labels(rows):
    if rows.scale is not None:
        scores = np.array([parse_number(value) for value in rows.values])
        lowest, highest = rows.scale
        return (
            f"scores: from {scores.min():g} to {scores.max():g}, mean "
            f"{scores.mean():.2f}; scale {lowest} to {highest}"
        )
    counts = Counter(rows.values)
    shown = [
        f"{shorten(label)} {count:,} ({count / len(rows.positions):.1%})"
        for label, count in counts.most_common(SHOWN_LABELS)
    ]
    if len(counts) > len(shown):
        shown.append(f"and {len(counts) - len(shown)} more")
    return f"labels: {', '.join(shown)}"


def _describe_duplicates(rows):
    labels_by_texts: dict[tuple[str, ...], list[str]] = {}
    for texts, label in zip(rows.texts, rows.values, strict=True):
        labels_by_texts.setdefault(texts, []).append(label)
    copies = len(rows.texts) - len(labels_by_texts)
    line = f"duplicates: {copies:,} (rows with the texts of an earlier row)"
    contradictions = [
        (texts, labels)
        for texts, labels in labels_by_texts.items()
        if len(set(labels)) > 1
    ]
    if contradictions:
        count = sum(len(labels) for _, labels in contradictions)
        texts, labels = contradictions[0]
        line += (
            f"; {count:,} rows with equal texts have different labels, such as "
            f"{' / '.join(map(shorten, texts))}: {', '.join(sorted(set(labels))[:3])}"
        )
    return line


def _describe_lengths(rows):
    lengths = sorted(len(text.split()) for texts in rows.texts for text in texts)
    return (
        f"words of a text: median {lengths[len(lengths) // 2]}, 95 % have at most "
        f"{lengths[int(0.95 * (len(lengths) - 1))]}, longest {lengths[-1]:,}"
    )


def _describe_repeated_texts(rows):
    first_counts = Counter(texts[0] for texts in rows.texts)
    first_repeated = [first_counts[texts[0]] > 1 for texts in rows.texts]
    if len(rows.texts[0]) == 1:
        return (
            f"repeated texts: {np.mean(first_repeated):.1%} of the rows have the text "
            "of another row"
        )
    counts = Counter(text for texts in rows.texts for text in set(texts))
    any_repeated = [any(counts[text] > 1 for text in texts) for texts in rows.texts]
    return (
        f"repeated texts: {np.mean(first_repeated):.1%} of the rows have a first text "
        f"that occurs in several rows, {np.mean(any_repeated):.1%} have any text that "
        "occurs in several rows"
    )
