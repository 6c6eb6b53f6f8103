"""Speed and memory of encoding millions of sentences.

    DSA_DATA=<corpora> python benchmarks/bulk_encoding.py --run RUN [--sentences N]

The input repeats the sentences of the available training file (SNLI's, else the bundled
corpus's), with a number appended to make them distinct. Sides: `dsa encode
--shard-rows` (`bulk`), and the measurement of `encoding.py` (`at_once`), which
tokenizes the first sentences before the clock starts, encodes them to warm up, and
encodes them again to be timed. The rate of `bulk` includes reading, tokenizing and
writing, and, in `sentences_per_second_with_start_up`, planning and loading. Memory is
the peak resident memory of all processes in each fifth of the time: shared memory is
counted once there, but not in `peak_memory_bytes`.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine_load
import measuring

SENTENCES = 1_000_000
AT_ONCE = 20_000  # sentences of the other side; all would need 15 GB
SHARD_ROWS = 20_000
WORKERS = 2
PARTS = 5  # of the time
PAUSE = 2  # seconds between two looks


def write_sentences(path, count):
    """Write so many sentences to a file, one a line."""
    from dsa.data.corpora.catalogue import NLI
    from dsa.data.corpora.nli import read_nli

    def read_texts():
        for example in read_nli(measuring.find_corpus(), NLI, labelled=False):
            yield from example.texts

    with open(path, "w", encoding="utf-8") as file:
        texts = itertools.chain.from_iterable(
            read_texts() for _ in itertools.repeat(None)
        )
        for number, text in enumerate(itertools.islice(texts, count)):
            file.write(f"{' '.join(text.split())} {number}\n")


def encode_in_bulk(run, path, where, shard_rows):
    """Encode a file with the command, and print the figures.

    Args:
        run: the run folder.
        path: of the file, a sentence a line.
        where: the arguments of the executor.
        shard_rows: of a shard.
    """
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        out = Path(folder, "vectors")
        command = ["dsa", "encode", str(run), "--file", str(path), "--out", str(out)]
        command += ["--shard-rows", str(shard_rows), *where]
        began, samples, shards = time.perf_counter(), [], [(0.0, 0)]
        process = subprocess.Popen(
            [sys.executable, "-m", *command], stdout=subprocess.DEVNULL
        )
        while process.poll() is None:
            now = time.perf_counter() - began
            samples.append((now, machine_load.measure_memory(process.pid, once=True)))
            done = len(list(out.glob("part-*.npy")))
            if done > shards[-1][1]:
                shards.append((now, done))
            time.sleep(PAUSE)
        seconds = time.perf_counter() - began
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
        manifest = json.loads((out / "manifest.json").read_bytes())
    figures = describe_bulk(
        sum(manifest["shards"]), shard_rows, seconds, shards, samples
    )
    print(json.dumps({**figures, "ran_on": describe_run(run)}))


def describe_bulk(rows, shard_rows, seconds, shards, samples):
    """The figures of bulk work.

    Args:
        rows: of the input.
        shard_rows: of a shard.
        seconds: from start to end.
        shards: a list of `(seconds, finished shards)`.
        samples: a list of `(seconds, resident bytes)`.
    """
    (first, before), (last, after) = shards[min(1, len(shards) - 1)], shards[-1]
    running = min((after - before) * shard_rows, rows) / max(last - first, 1e-9)
    figures = {
        "sentences": rows,
        "sentences_per_second": running if after > before else rows / seconds,
        "sentences_per_second_with_start_up": rows / seconds,
    }
    for part in range(PARTS):
        begin, end = (seconds * number / PARTS for number in (part, part + 1))
        inside = [size for now, size in samples if begin <= now < end]
        figures[f"memory_bytes_in_part_{part + 1}"] = max(inside, default=0)
    return figures


def encode_at_once(run, path):
    """Encode the first sentences as `encoding.py` does, and print the figures."""
    import dsa
    from dsa.data.prepared.sentences import Sentences
    from dsa.data.prepared.tokenizer import tokenize_all

    with open(path, encoding="utf-8") as file:
        texts = [line.rstrip("\n") for line in itertools.islice(file, AT_ONCE)]
    model = dsa.load(run)
    words, tokens = tokenize_all(model.tokenizer, texts)
    ids = Sentences(model.vocabulary.ids(words)[tokens.ids], tokens.offsets)
    model.inference.vectors(ids)
    began = time.perf_counter()
    model.inference.vectors(ids)
    seconds = time.perf_counter() - began
    figures = {
        "sentences": len(ids),
        "tokens_per_sentence": float(ids.lengths.mean()),
        "sentences_per_second": len(ids) / seconds,
        "ran_on": describe_run(run),
    }
    print(json.dumps(figures))


def describe_run(run):
    return {**measuring.describe_process(), "run": Path(run).name}


def compare_rates(figures):
    """Ratios of the bulk rates to the rate of `at_once`."""
    names = ("sentences_per_second", "sentences_per_second_with_start_up")
    rates = figures["at_once"]["sentences_per_second"]
    return {
        f"ratio_of_{name}": measuring.median_ratio(figures["bulk"][name], rates)
        for name in names
    }


def compare(script, options, sides, further, facts, compare_rates):
    """Write the sentences, let all sides encode them in turn, and report.

    Args:
        script: the benchmark.
        options: with `sentences`, and those of `measuring.make_parser`.
        sides: their names.
        further: arguments of each side.
        facts: for the record.
        compare_rates: a function of the figures to further facts.
    """
    load = machine_load.refuse_load(options.anyway)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sentences.txt")
        write_sentences(path, options.sentences)
        commands = {
            name: [*line, *further, str(path)]
            for name, line in measuring.make_commands(script, sides).items()
        }
        figures = measuring.run_in_turn(commands, options.rounds)
    facts = {**facts, **compare_rates(figures)}
    measuring.report(script, options, load, figures, **facts)


def main():
    parser = measuring.make_parser(__doc__, rounds=1)
    parser.add_argument("--run", type=Path, required=True, help="a run that encodes")
    parser.add_argument("--sentences", type=int, default=SENTENCES, metavar="N")
    parser.add_argument("--workers", type=int, default=WORKERS, metavar="N")
    parser.add_argument("--shard-rows", type=int, default=SHARD_ROWS, metavar="N")
    parser.add_argument("file", nargs="?", type=Path, help="(for --side)")
    options = parser.parse_args()
    if options.side:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if options.side == "bulk":
        where = ["--workers", str(options.workers)]
        return encode_in_bulk(options.run, options.file, where, options.shard_rows)
    if options.side:
        return encode_at_once(options.run, options.file)
    further = ["--run", str(options.run), "--workers", str(options.workers)]
    further += ["--shard-rows", str(options.shard_rows)]
    facts = {"workers": options.workers, "shard_rows": options.shard_rows}
    compare(__file__, options, ("at_once", "bulk"), further, facts, compare_rates)


if __name__ == "__main__":
    main()
