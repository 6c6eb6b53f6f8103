"""The figures of a case study: what one or two runs looked at in a sentence or a pair.

A case study is `{run name: {sentence name: Explanation of the sentence}}`; a sentence
that needs no name has the name "".
"""

import dataclasses

from dsa.analysis import plots, word_plots
from dsa.analysis.case_study import find_source2token_weights
from dsa.analysis.views import AVERAGE, collect_views, collect_word_numbers
from dsa.analysis.word_labels import check_readable_length
from dsa.errors import InputError


def draw_case_study(studies):
    """Yield (file name without ending, figure) of every sentence.

    Raises: `InputError` for more tokens than a figure can hold.
    """
    for sentence in _first_run(studies):
        looks = {run: sentences[sentence] for run, sentences in studies.items()}
        for name, figure in _draw_sentence(looks):
            yield f"{sentence}_{name}".lstrip("_"), figure


def draw_word(word, studies):
    """A figure of a word's source2token weights in every sentence and run.

    Raises: `InputError` for a word that a sentence lacks, and for an encoder without
        source2token pooling.
    """
    weights = {
        run: {
            f"{number}: {' '.join(_tokens(look))} ({run})": find_source2token_weights(
                word, look
            )
            for number, look in sentences.items()
        }
        for run, sentences in studies.items()
    }
    title = f"source2token weights of '{word}'"
    return word_plots.draw_feature_weights(weights, title)


def check_drawable(studies):
    """Raises an error if runs split a text into different tokens, or it has too many to
    read.

    Raises: `InputError`.
    """
    for sentence, look in _first_run(studies).items():
        for run, sentences in studies.items():
            if _tokens(sentences[sentence]) != _tokens(look):
                raise InputError(
                    f"the runs split the text into different tokens ({run}), so their "
                    "figures cannot be drawn beside each other: draw one at a time"
                )
        check_readable_length(_tokens(look))


def _draw_sentence(looks):
    """Yield (name, figure) of one sentence; `looks` are `{run name: Explanation}`."""
    several = len(looks) > 1
    tokens = _tokens(next(iter(looks.values())))
    unknown = tuple(word for look in looks.values() for word in look.unknown)
    views = {run: collect_views(look) for run, look in looks.items()}
    numbers = {run: number for number, run in enumerate(looks, start=1)}
    for name in dict.fromkeys(name for maps in views.values() for name in maps):
        of_runs = {run: maps[name] for run, maps in views.items() if name in maps}
        if next(iter(of_runs.values())).by_head:
            for run, view in of_runs.items():
                suffix = f"_{numbers[run]}" if several else ""
                title = f"{name}: {run}"
                yield (
                    f"{_file_name(name)}{suffix}",
                    plots.draw_attention_maps(view, title=title),
                )
        else:
            alike = _group_by_tokens(of_runs)
            for views_alike in alike:
                panels = {
                    f"{title}: {run}" if several else title: weights
                    for run, view in views_alike.items()
                    for title, weights in view.panels.items()
                }
                run, view = next(iter(views_alike.items()))
                view = dataclasses.replace(view, panels=panels, unknown=unknown)
                title = "average weights" if name == AVERAGE else None
                suffix = f"_{numbers[run]}" if len(alike) > 1 else ""
                yield (
                    f"{_file_name(name)}{suffix}",
                    plots.draw_attention_maps(view, title=title),
                )
    words = {run: collect_word_numbers(look) for run, look in looks.items()}
    if any(words.values()):
        yield "words", word_plots.draw_word_panels(tokens, words, unknown=unknown)


def _group_by_tokens(views):
    """`{run name: View}` as a list of such dictionaries, each of views with the same
    tokens: windows of other widths are others, and have a figure of their own."""
    groups = {}
    for run, view in views.items():
        groups.setdefault((view.tokens, view.looked_at), {})[run] = view
    return list(groups.values())


def _file_name(view):
    return "attention" if view == AVERAGE else view.replace(", ", "_").replace(" ", "_")


def _first_run(studies):
    return next(iter(studies.values()))


def _tokens(explanation):
    """The texts of the only sentence of an `Explanation`."""
    (tokens,) = explanation.tokens.values()
    return tokens
