"""What runs' sentence vectors are worth on other tasks, as SentEval measures it.

    python scripts/transfer.py RUN [RUN ...]
    python scripts/transfer.py RUN --tasks CR TREC --average glove.6B.50d.txt 50

Each encoder is frozen. Logistic regression on its vectors, pairs as [|u - v|; u * v];
C, 2^-4 to 2^4, is chosen on dev, or by inner folds; CR, MPQA and SUBJ are
cross-validated; SICK-R by a distribution over scores (Tai et al. 2015); STS-B by the
cosine, untrained. --average adds a row of averaged word vectors, by the same protocol.
A task whose files are not below the data root is left out, and said so. Every result is
appended to the run's transfer.json; prints a Markdown table and writes it, with
transfer.csv and the average's results (average.json), to --out.
"""

import argparse
import json
import logging
from pathlib import Path

from dsa.command_line import command
from dsa.data.corpora.files import find_file
from dsa.errors import InputError
from dsa.storage.folders import data_root

log = logging.getLogger("dsa.evaluation.transfer.protocol")


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folders")
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    parser.add_argument(
        "--average",
        nargs=2,
        metavar=("VECTORS", "UNITS"),
        help="vector file below the data root, and its features",
    )
    parser.add_argument("--seed", type=int, default=13, help="deals the folds")
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    parser.add_argument("--vectors", help="vector file for words the runs lack")
    parser.add_argument("--out", type=Path, metavar="DIR", help="for the table")
    options = parser.parse_args(arguments)

    from dsa.analysis.run_names import name_runs
    from dsa.evaluation.transfer.encoders import FrozenEncoder, VectorAverage
    from dsa.evaluation.transfer.suite import SUITE
    from dsa.evaluation.transfer.table import markdown, records
    from dsa.inference.loading import load
    from dsa.storage.atomic_files import write_atomically
    from dsa.storage.text_tables import comma_separated

    unknown = sorted(set(options.tasks or ()) - set(SUITE))
    if unknown:
        raise InputError(f"unknown task {unknown[0]!r}. Known: {', '.join(SUITE)}")
    root = data_root(options.data_root)
    suite = [SUITE[name] for name in options.tasks or SUITE]
    suite = [transfer for transfer in suite if _at_hand(transfer, root)]
    if not suite:
        raise InputError(f"no task's files are below the data root, {root}")
    trained = [load(run, options.vectors, root) for run in options.runs]
    encoders = {
        name: FrozenEncoder(each)
        for name, each in zip(name_runs(trained), trained, strict=True)
    }
    if options.average:
        path, units = find_file(root, options.average[0]), options.average[1]
        if not units.isdecimal() or not int(units):
            raise InputError(f"--average: UNITS is a number. Received: {units}")
        average = f"average of {path.name}"
        encoders[average] = VectorAverage(path, int(units))
    results = {
        name: _results(name, encoder, suite, root, options.seed)
        for name, encoder in encoders.items()
    }
    rows = records(results, encoders)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        write_atomically(options.out / "transfer.csv", comma_separated(rows))
        write_atomically(options.out / "transfer.md", markdown(rows))
        if options.average:
            text = json.dumps({"evaluations": results[average]}, indent=2)
            write_atomically(options.out / "average.json", f"{text}\n")
    print(markdown(rows), end="")


def _at_hand(transfer, root):
    try:
        for name in transfer.files().values():
            find_file(root, name)
    except InputError as error:
        log.warning("%s is left out: %s", transfer.name, error)
        return False
    return True


def _results(name, encoder, suite, root, seed):
    from dsa import environment
    from dsa.evaluation.transfer.encoders import FrozenEncoder
    from dsa.evaluation.transfer.protocol import evaluate_transfer

    results = []
    for transfer in suite:
        result = evaluate_transfer(encoder, transfer, root, seed)
        facts = {"date": environment.now(), **environment.commit(), "seed": seed}
        results.append({**result, **facts})
        log.info("%s, %s: %s", name, transfer.name, result)
        if isinstance(encoder, FrozenEncoder):
            encoder.trained.run.add_transfer(results[-1])
    return results


if __name__ == "__main__":
    raise SystemExit(main())
