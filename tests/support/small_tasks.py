"""Runs on small corpora of other tasks than NLI."""

from tests.support.runs import SMALL_MODEL, write_experiment

TREES = [
    "(3 (2 It) (3 (2 is) (4 good)))",
    "(1 (2 It) (1 (2 is) (0 bad)))",
    "(2 (2 A) (2 film))",
    "(4 (4 Great) (2 film))",
    "(0 (0 Awful) (2 film))",
]
SCORED = [
    ("A man sleeps.", "A man rests.", 4.2, "ENTAILMENT"),
    ("A man sleeps.", "A dog barks.", 1.0, "NEUTRAL"),
    ("A man sleeps.", "No man sleeps.", 3.5, "CONTRADICTION"),
    ("Two dogs run.", "Dogs run.", 5.0, "ENTAILMENT"),
]


FIRST = {"a": 0, "b": 1, "c": 3}  # first row of a split, so that files differ


def lines(rows, count, split="a"):
    numbers = range(FIRST[split], FIRST[split] + count)
    return "".join(f"{rows[n % len(rows)]}\n" for n in numbers)


def sick(count, split="a"):
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
    rows = ["\t".join(["1", a, b, str(s), e]) for a, b, s, e in SCORED]
    return f"{header}\n{lines(rows, count, split)}"


def trained(scripts, folder, corpus, files, embedding=None, model=SMALL_MODEL, **data):
    """Returns a run that is trained on small files, and evaluated on test."""
    for name, text in files.items():
        (folder / name).write_text(text)
    data = {"corpus": corpus, "dev": None, "test": None, **data}
    settings = {"embedding": {"frequent_words": 0, **embedding}} if embedding else {}
    config = write_experiment(folder, model=model, data=data, **settings)
    arguments = ["--data-root", str(folder)]
    run = folder / "run"
    assert scripts.train.main([str(config), *arguments, "--run", str(run)]) == 0
    assert scripts.evaluate.main([str(run), "--split", "test", *arguments]) == 0
    return run
