"""Counts of labels, duplicates, lengths and repeated texts, as lines of text."""

from collections import Counter

import numpy as np

from dsa.config_section import parse_number, shorten
from dsa.new_data.labelled_rows import LabelledRows

SHOWN_LABELS = 8


def describe_rows(rows: LabelledRows) -> list[str]:
    """Returns a line each with counts of rows, labels, duplicates, words and repeated
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
        numbers = np.array([parse_number(value) for value in rows.values])
        return (
            f"scores: from {numbers.min():g} to {numbers.max():g}, mean "
            f"{numbers.mean():.2f}; scale {rows.scale[0]} to {rows.scale[1]}"
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
    values: dict[tuple[str, ...], list[str]] = {}
    for texts, value in zip(rows.texts, rows.values, strict=True):
        values.setdefault(texts, []).append(value)
    copies = len(rows.texts) - len(values)
    line = f"duplicates: {copies:,} (rows with the texts of an earlier row)"
    different = {texts: v for texts, v in values.items() if len(set(v)) > 1}
    if different:
        texts, labels = next(iter(different.items()))
        line += (
            f"; {sum(map(len, different.values())):,} rows with equal texts have "
            f"different labels, such as {' / '.join(map(shorten, texts))}: "
            f"{', '.join(sorted(set(labels))[:3])}"
        )
    return line


def _describe_lengths(rows):
    lengths = sorted(len(text.split()) for texts in rows.texts for text in texts)
    return (
        f"words of a text: median {lengths[len(lengths) // 2]}, 95 % have at most "
        f"{lengths[int(0.95 * (len(lengths) - 1))]}, longest {lengths[-1]:,}"
    )


def _describe_repeated_texts(rows):
    first = Counter(texts[0] for texts in rows.texts)
    share = sum(first[texts[0]] > 1 for texts in rows.texts) / len(rows.texts)
    if len(rows.texts[0]) == 1:
        return f"repeated texts: {share:.1%} of the rows have the text of another row"
    every = Counter(text for texts in rows.texts for text in set(texts))
    repeated = sum(any(every[text] > 1 for text in texts) for texts in rows.texts)
    return (
        f"repeated texts: {share:.1%} of the rows have a first text that occurs in "
        f"several rows, {repeated / len(rows.texts):.1%} a first or second one"
    )
