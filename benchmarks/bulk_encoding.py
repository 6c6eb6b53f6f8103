"""Speed and memory of encoding millions of sentences.

    DSA_DATA=<corpora> python benchmarks/bulk_encoding.py --run RUN [--sentences N]

The input repeats the sentences of the available training file (SNLI, else the bundled
corpus), with a number appended to make them distinct. Sides:

    bulk     `dsa encode --shard-rows`. The rate includes reading, tokenizing and
             writing; `sentences_per_second_with_start_up` also includes planning and
             loading
    at_once  the method of `encoding.py`: tokenizes the first sentences, encodes them
             once to warm up, and then measures the time to encode the same sentences

Memory is the peak resident memory of all processes in each fifth of the time. Shared
memory is counted once in these figures, but once per process in `peak_memory_bytes`.
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
AT_ONCE = 20_000  # sentences of side `at_once`; a million would need 15 GB
SHARD_ROWS = 20_000
WORKERS = 2
PARTS = 5  # number of equal parts of the time, each with its peak memory
PAUSE = 2  # seconds between two samples of memory and progress


def write_sentences(path, count):
    """Writes `count` sentences to a file, one per line."""
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


def encode_in_bulk(run, path, executor, shard_rows):
    """Encodes a file with `dsa encode` and prints the figures as JSON.

    Args:
        run: the run folder.
        path: the text file, one sentence per line.
        executor: command-line arguments of the executor.
        shard_rows: number of rows per shard.
    """
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        out = Path(folder, "vectors")
        command = ["dsa", "encode", str(run), "--file", str(path), "--out", str(out)]
        command += ["--shard-rows", str(shard_rows), *executor]
        samples, shards = [], [(0.0, 0)]
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", *command], stdout=subprocess.DEVNULL
        )
        while process.poll() is None:
            now = time.perf_counter() - began
            samples.append((now, machine_load.measure_memory(process.pid, once=True)))
            finished = len(list(out.glob("part-*.npy")))
            if finished > shards[-1][1]:
                shards.append((now, finished))
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
    """Computes the rates and the memory of a bulk job.

    Args:
        rows: number of rows of the input.
        shard_rows: number of rows per shard.
        seconds: duration of the command.
        shards: list of `(seconds, number of finished shards)`.
        samples: list of `(seconds, resident bytes)`.

    Returns: a dictionary of figures.
    """
    rate_with_start_up = rows / seconds
    rate = rate_with_start_up
    # count from the first finished shard, to exclude the start of the workers
    begin, shards_before = shards[min(1, len(shards) - 1)]
    end, shards_after = shards[-1]
    if shards_after > shards_before:
        finished_rows = min((shards_after - shards_before) * shard_rows, rows)
        rate = finished_rows / max(end - begin, 1e-9)
    figures = {
        "sentences": rows,
        "sentences_per_second": rate,
        "sentences_per_second_with_start_up": rate_with_start_up,
    }
    for part in range(PARTS):
        begin = seconds * part / PARTS
        end = seconds * (part + 1) / PARTS
        sizes = [size for now, size in samples if begin <= now < end]
        figures[f"memory_bytes_in_part_{part + 1}"] = max(sizes, default=0)
    return figures


def encode_at_once(run, path):
    """Encodes the first sentences like `encoding.py` and prints the figures as JSON."""
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
    """Returns the ratios of the rates of `bulk` to the rate of `at_once`."""
    names = ("sentences_per_second", "sentences_per_second_with_start_up")
    rates = figures["at_once"]["sentences_per_second"]
    return {
        f"ratio_of_{name}": measuring.median_ratio(figures["bulk"][name], rates)
        for name in names
    }


def compare(script, options, sides, further, facts, compare_rates):
    """Writes the sentences, encodes them with each side in turn, and reports.

    Args:
        script: file of the benchmark.
        options: options of `measuring.make_parser`, and `sentences`, their number.
        sides: names of the sides.
        further: additional command-line arguments of all sides.
        facts: additional entries of the record.
        compare_rates: function of the figures that returns further entries of the
            record.
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
        executor = ["--workers", str(options.workers)]
        return encode_in_bulk(options.run, options.file, executor, options.shard_rows)
    if options.side:
        return encode_at_once(options.run, options.file)
    further = ["--run", str(options.run), "--workers", str(options.workers)]
    further += ["--shard-rows", str(options.shard_rows)]
    facts = {"workers": options.workers, "shard_rows": options.shard_rows}
    compare(__file__, options, ("at_once", "bulk"), further, facts, compare_rates)


if __name__ == "__main__":
    main()
