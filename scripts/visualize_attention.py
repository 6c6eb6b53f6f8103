"""Draw what a run, or two runs beside each other, looked at in a sentence or a pair.

    python scripts/visualize_attention.py RUN --sentence "A lady stands outside."
    python scripts/visualize_attention.py RUN RUN --pair "A man sleeps." "He is awake."
    python scripts/visualize_attention.py RUN RUN --longest dev
    python scripts/visualize_attention.py RUN --word close "The restaurant is about to
      close" "A biker is close to the fountain"

Writes into the first run's figures/ or DIR: attention.png (averaged over heads or
features, both directions, all runs on one colour scale), heads_<direction>.png for each
run that has heads, alignment.png for joint models, words.png (gates, deactivated units,
largest outputs, pooling, by word), case_study.json (the same numbers by word) and
case_study.npz (every array). For a pair the sentence's name stands before each
figure's; for two sentences with a word in both, their number, and word.png has the
word's source2token weights, feature by feature.
"""

import argparse
from pathlib import Path

from dsa.command_line import command
from dsa.errors import InputError
from dsa.storage.folders import data_root


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="one or two run folders")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--sentence", metavar="TEXT")
    what.add_argument("--pair", nargs=2, metavar=("PREMISE", "HYPOTHESIS"))
    what.add_argument(
        "--longest", metavar="SPLIT", help="the longest sentence of dev, test, ..."
    )
    what.add_argument("--word", nargs=3, metavar=("WORD", "TEXT", "TEXT"))
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: RUN/figures")
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    parser.add_argument("--vectors", help="vector file for words the runs lack")
    options = parser.parse_args(arguments)
    if len(options.runs) > 2:
        raise InputError(f"one or two runs are drawn. Received: {len(options.runs)}")

    from dsa.analysis import case_study, plots
    from dsa.analysis.run_names import differences, refuse_other_tasks, run_names
    from dsa.inference.loading import load
    from dsa.storage.arrays import write_arrays
    from dsa.storage.atomic_files import write_atomically

    root = data_root(options.data_root)
    trained = [load(run, options.vectors, root) for run in options.runs]
    refuse_other_tasks(trained)
    for text in _texts(options):
        plots.refuse_unreadable_length(trained[0].tokenizer(text))
    studies, record = {}, {"differences": differences(trained)}
    for name, each in zip(run_names(trained), trained, strict=True):
        studies[name], facts = _look(each, options, root)
        record[name] = {"run": each.run.path.name, **facts}
    _refuse_other_tokens(studies)
    for tokens in {s: n["tokens"] for s, n in _first(studies).items()}.values():
        plots.refuse_unreadable_length(tokens)
    if options.word:
        weights = _weights_of_a_word(options.word[0], studies)

    folder = options.out or trained[0].run.path / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "case_study.json", case_study.to_json(studies))
    arrays = {
        "/".join(filter(None, (str(number), sentence, name))): array
        for number, sentences in enumerate(studies.values(), start=1)
        for sentence, named in sentences.items()
        for name, array in named.items()
    }
    write_arrays(folder / "case_study.npz", arrays, record)
    figures = [
        (f"{sentence}_{name}.png".lstrip("_"), figure)
        for sentence in _first(studies)
        for name, figure in _figures(studies, sentence)
    ]
    if options.word:
        title = f"source2token weights of '{options.word[0]}'"
        figures.append(("word.png", plots.feature_weights(weights, title)))
    for name, figure in figures:
        write_atomically(folder / name, lambda file, f=figure: plots.save(f, file))
        print(folder / name)


def _texts(options):
    if options.word:
        return options.word[1:]
    return options.pair or filter(None, [options.sentence])


def _weights_of_a_word(word, studies):
    """`{sentence and run: weights}`."""
    from dsa.analysis.case_study import source2token_of

    return {
        f"{number}: {' '.join(named['tokens'])} ({run})": source2token_of(word, named)
        for run, sentences in studies.items()
        for number, named in sentences.items()
    }


def _look(trained, options, root):
    """`{sentence name: named arrays}` of a run, and facts for the record."""
    from dsa.analysis.case_study import longest_sentence, of_sentence
    from dsa.evaluation.splits import find_split

    if options.pair:
        named = trained.explain(*options.pair)
        shares = named["probabilities"].tolist()
        probabilities = dict(zip(trained.task.names, shares, strict=True))
        answer = named.get("score", max(probabilities, key=probabilities.get))
        print(f"{trained.run.path}: {answer}")
        sentences = ("premise", "hypothesis")
        return (
            {sentence: of_sentence(named, sentence) for sentence in sentences},
            {"probabilities": probabilities},
        )
    if options.longest:
        _, name, prepared = find_split(trained, root, options.longest)
        named = trained.explain_tokens(longest_sentence(prepared))
        return {"": named}, {"longest of": name}
    if options.word:
        _, *texts = options.word
        named = {str(n): trained.explain_sentence(t) for n, t in enumerate(texts, 1)}
        return named, {"word": options.word[0]}
    return {"": trained.explain_sentence(options.sentence)}, {}


def _figures(studies, sentence):
    """Yield (file name, figure) of a sentence."""
    from dsa.analysis.case_study import by_word
    from dsa.analysis.plots import (
        WORD_PANELS,
        attention_maps,
        attention_views,
        word_panels,
    )

    tokens = _first(studies)[sentence]["tokens"].tolist()
    words = {run: by_word(sentences[sentence]) for run, sentences in studies.items()}
    views = {run: attention_views(numbers) for run, numbers in words.items()}
    several = len(words) > 1
    averages = {
        f"{title}: {run}" if several else title: weights
        for run, maps in views.items()
        for title, weights in maps.pop("average", {}).items()
    }
    if averages:
        yield "attention", attention_maps(tokens, averages, title="average weights")
    for number, (run, maps) in enumerate(views.items(), start=1):
        for view, heads in maps.items():
            name = view.replace(", ", "_") + (f"_{number}" if several else "")
            yield name, attention_maps(tokens, heads, 3, f"{view}: {run}")
    aligned = {
        r: numbers["alignment"]
        for r, numbers in words.items()
        if "alignment" in numbers
    }
    if aligned:
        sentences = _first(studies)
        (other,) = (s["tokens"].tolist() for n, s in sentences.items() if n != sentence)
        yield "alignment", attention_maps(tokens, aligned, looked_at=other)
    if any(key in numbers for key, _ in WORD_PANELS for numbers in words.values()):
        yield "words", word_panels(tokens, words)


def _first(studies):
    return next(iter(studies.values()))


def _refuse_other_tokens(studies):
    """Two runs are drawn over the same words."""
    for sentence, named in _first(studies).items():
        for run, sentences in studies.items():
            if sentences[sentence]["tokens"].tolist() != named["tokens"].tolist():
                raise InputError(
                    f"the runs split the text into different tokens ({run}), so their "
                    "figures cannot stand beside each other: draw one at a time"
                )


if __name__ == "__main__":
    raise SystemExit(main())
