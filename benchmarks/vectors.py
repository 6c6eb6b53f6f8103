"""Time and memory of reading word vectors from a text file.

    python benchmarks/vectors.py [--out FILE]

Two generated files in GloVe format, with 110,000 and 220,000 lines of 300 numbers, are
read for a vocabulary of 40,000 words. The baseline reads the same files line by line
without processing the lines.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import machine_load
import measuring
import numpy as np

LINES = (110_000, 220_000)
UNITS, WORDS = 300, 40_000
DISTINCT_VECTORS = 512


def write_vectors(file, lines, name_word=b"word%d".__mod__, seed=0):
    """Writes word vectors, with five decimals per number as in GloVe files.

    Args:
        file: binary file object.
        lines: number of lines, one word each.
        name_word: function that maps the number of a line to its word, in bytes.
        seed: random seed of the numbers.
    """
    random = np.random.default_rng(seed)
    vectors = [
        " ".join(f"{number:.5f}" for number in row).encode()
        for row in random.normal(0, 0.4, (DISTINCT_VECTORS, UNITS))
    ]
    for line in range(lines):
        vector = vectors[line % DISTINCT_VECTORS]
        file.write(b"%b %b\n" % (name_word(line), vector))


def run_side(name, path):
    """Reads a file in this process and prints the figures as JSON."""
    lines = int(Path(path).stem)
    began = time.perf_counter()
    if name == "lines":
        with open(path, "rb") as file:
            for _ in file:
                pass
    else:
        from dsa.data.words.vector_files import read_vectors

        words = {f"word{n}" for n in np.linspace(0, lines - 1, WORDS).astype(int)}
        began = time.perf_counter()
        vectors = read_vectors(path, UNITS, words)
        if len(vectors) != WORDS:
            raise SystemExit(f"expected {WORDS} vectors. Received: {len(vectors)}")
    seconds = time.perf_counter() - began
    megabytes = Path(path).stat().st_size / 1e6
    print(json.dumps({"seconds": round(seconds, 3), "mb_per_s": megabytes / seconds}))


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument("file", nargs="?", help="(for --side)")
    options = parser.parse_args()
    if options.side:
        return run_side(options.side, options.file)
    load = machine_load.refuse_load(options.anyway)
    with tempfile.TemporaryDirectory() as folder:
        commands = {}
        for lines in LINES:
            path = Path(folder, f"{lines}.txt")
            with open(path, "wb") as file:
                write_vectors(file, lines)
            for name in ("vectors", "lines"):
                command = [sys.executable, __file__, "--side", name, str(path)]
                commands[f"{name} {lines}"] = command
        figures = measuring.run_in_turn(commands, options.rounds)
    small, large = (figures[f"vectors {lines}"] for lines in LINES)
    measuring.report(
        __file__,
        options,
        load,
        figures,
        words=WORDS,
        units=UNITS,
        memory_ratio_220000_to_110000=measuring.median_ratio(
            large["peak_memory_bytes"], small["peak_memory_bytes"]
        ),
        time_ratio_to_bare_lines=measuring.median_ratio(
            large["seconds"], figures[f"lines {LINES[1]}"]["seconds"]
        ),
    )


if __name__ == "__main__":
    main()
