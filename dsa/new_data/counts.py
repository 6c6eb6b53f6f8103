"""Describes labelled rows: labels, duplicates, lengths and repeated texts."""

from collections import Counter

import numpy as np

from dsa.new_data.labelled_rows import LabelledRows
from dsa.parsing import parse_number, shorten

MAX_SHOWN_LABELS = 8  # maximum number of labels in the description


def describe_rows(rows: LabelledRows) -> list[str]:
    """Returns one line each about rows, labels or scores, duplicates, numbers of words
    and repeated texts."""
    return [
        f"rows: {len(rows.positions):,} with a label; skipped: "
        f"{rows.unlabelled_count:,} without a label, "
        f"{rows.empty_count:,} with an empty text",
        _describe_labels(rows),
        _describe_duplicates(rows),
        _describe_lengths(rows),
        _describe_repeated_texts(rows),
    ]


def _describe_labels(rows):
    if rows.scale is not None:
        lowest, highest = rows.scale
        scores = np.array([parse_number(value) for value in rows.values])
        return (
            f"scores: from {scores.min():g} to {scores.max():g}, mean "
            f"{scores.mean():.2f}; scale {lowest} to {highest}"
        )
    counts = Counter(rows.values)
    shown = [
        f"{shorten(label)} {count:,} ({count / len(rows.positions):.1%})"
        for label, count in counts.most_common(MAX_SHOWN_LABELS)
    ]
    if len(counts) > len(shown):
        shown.append(f"and {len(counts) - len(shown)} more")
    return f"labels: {', '.join(shown)}"


def _describe_duplicates(rows):
    labels_by_texts: dict[tuple[str, ...], list[str]] = {}
    for texts, label in zip(rows.texts, rows.values, strict=True):
        labels_by_texts.setdefault(texts, []).append(label)
    num_duplicates = len(rows.texts) - len(labels_by_texts)
    line = f"duplicates: {num_duplicates:,} (rows with the texts of an earlier row)"
    contradictions = [
        (texts, labels)
        for texts, labels in labels_by_texts.items()
        if len(set(labels)) > 1
    ]
    if contradictions:
        num_rows = sum(len(labels) for _, labels in contradictions)
        texts, labels = contradictions[0]
        shown_labels = sorted(set(labels))[:3]
        line += (
            f"; {num_rows:,} rows with equal texts have different labels, such as "
            f"{' / '.join(map(shorten, texts))}: {', '.join(shown_labels)}"
        )
    return line


def _describe_lengths(rows):
    lengths = sorted(len(text.split()) for texts in rows.texts for text in texts)
    median = lengths[len(lengths) // 2]
    percentile = lengths[int(0.95 * (len(lengths) - 1))]
    line = (
        f"words per text: median {median}, 95th percentile {percentile}, maximum "
        f"{lengths[-1]:,}"
    )
    if median == 1:
        line += "; texts without spaces between words must be segmented first"
    return line


def _describe_repeated_texts(rows):
    first_counts = Counter(texts[0] for texts in rows.texts)
    has_repeated_first = [first_counts[texts[0]] > 1 for texts in rows.texts]
    if len(rows.texts[0]) == 1:
        return (
            f"repeated texts: {np.mean(has_repeated_first):.1%} of the rows have the "
            "text of another row"
        )
    counts = Counter()  # number of rows that contain each text
    for texts in rows.texts:
        counts.update(set(texts))
    has_repeated = [any(counts[text] > 1 for text in texts) for texts in rows.texts]
    return (
        f"repeated texts: {np.mean(has_repeated_first):.1%} of the rows have a first "
        f"text that is the first text of several rows, {np.mean(has_repeated):.1%} "
        "have a text that occurs in several rows"
    )
