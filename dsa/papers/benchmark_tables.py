"""The Markdown table of what benchmarks were built for, and what they measured."""

from pathlib import Path
from statistics import median
from typing import NamedTuple

from dsa.system.reading import read_json_object
from dsa.system.text_tables import markdown_table


class Goal(NamedTuple):
    """A number that a benchmark measures.

    Args:
        file: its name below `results/benchmarks/`, without `.json`.
        what: is measured.
        path: of the number in the file, keys with dots.
        goal: what it should be.
        scale: the number is multiplied by it.
        form: how it is written.
    """

    file: str
    what: str
    path: str
    goal: str
    scale: float = 1
    form: str = "{:.2f}"


GIGABYTES = {"scale": 2**-30, "form": "{:.2f} GiB"}
GOALS = (
    Goal(
        "latency",
        "one pair, DSA loaded, in turn with other questions",
        "figures.dsa.pair_ms",
        "at most 8 ms",
        form="{:.1f} ms",
    ),
    Goal(
        "latency",
        "the same, Keras's `predict_on_batch` with ids that are ready",
        "figures.dsa.bare_pair_ms",
        "",
        form="{:.1f} ms",
    ),
    Goal(
        "latency",
        "one sentence",
        "figures.dsa.sentence_ms",
        "at most 4 ms",
        form="{:.1f} ms",
    ),
    Goal(
        "latency",
        "one pair, many in a row",
        "figures.dsa.pair_in_a_row_ms",
        "at most 8 ms",
        form="{:.1f} ms",
    ),
    Goal(
        "latency",
        "one sentence, many in a row",
        "figures.dsa.sentence_in_a_row_ms",
        "at most 4 ms",
        form="{:.1f} ms",
    ),
    Goal(
        "latency",
        "from the start to the first answer, beyond importing Keras",
        "dsa_first_answer_after_keras_seconds",
        "at most 1.5 s",
        form="{:.2f} s",
    ),
    Goal(
        "bulk_encoding",
        "`dsa encode` of a million sentences, rate against encoding in memory",
        "ratio_of_sentences_per_second",
        "at least 0.90",
    ),
    Goal(
        "bulk_encoding",
        "the same with start, planning and loading",
        "ratio_of_sentences_per_second_with_start_up",
        "",
    ),
    Goal(
        "bulk_encoding",
        "its memory in the second fifth of the time",
        "figures.bulk.memory_bytes_in_part_2",
        "below 2 GiB",
        **GIGABYTES,
    ),
    Goal(
        "bulk_encoding",
        "its memory in the last fifth",
        "figures.bulk.memory_bytes_in_part_5",
        "below 2 GiB, and the same",
        **GIGABYTES,
    ),
    Goal(
        "rehearsal",
        "a first run on all of SNLI with 2.2 million vectors: preparing",
        "figures.prepare.seconds",
        "below 240 s",
        form="{:.0f} s",
    ),
    Goal(
        "rehearsal",
        "the largest memory of its processes",
        "largest_memory_bytes",
        "at most 6 GiB",
        **GIGABYTES,
    ),
    Goal(
        "workers",
        "eight small runs: a worker for each core against one worker",
        "ratio_of_runs_per_minute",
        "at least 1.6",
    ),
    Goal(
        "ray_encoding",
        "bulk encoding, Ray against two workers of this machine",
        "ratio_of_sentences_per_second",
        "at least 0.85",
    ),
    Goal(
        "serving",
        "requests answered by `dsa serve`: 64 clients against one",
        "throughput_of_many_to_one",
        "at least 5",
        form="{:.1f} times",
    ),
    Goal(
        "serving",
        "the slowest of 100 answers at half of the highest load",
        "figures.half load.p99_ms",
        "below 100 ms",
        form="{:.0f} ms",
    ),
    Goal(
        "serving",
        "answers lost among 100,000",
        "figures.own answers.lost",
        "0",
        form="{:.0f}",
    ),
    Goal(
        "serving",
        "answers exchanged among them",
        "figures.own answers.exchanged",
        "0",
        form="{:.0f}",
    ),
    Goal(
        "serving",
        "growth of its memory in 10 minutes at half load",
        "memory_growth_megabytes",
        "none",
        form="{:.1f} MB",
    ),
)


def write_goals_table(checkout):
    """A line for each `Goal`."""
    return markdown_table(
        ["what", "measured", "goal", "file, commit"],
        [_write_cells(goal, Path(checkout, "results/benchmarks")) for goal in GOALS],
    )


def _write_cells(goal, folder):
    record = number = read_json_object(folder / f"{goal.file}.json")
    for key in goal.path.split("."):
        number = number[key]
    if isinstance(number, dict):  # a figure of several rounds
        number = median(number["all"])
    place = f"[{goal.file}.json](../results/benchmarks/{goal.file}.json)"
    commit = f"`{record['commit'][:7]}`"
    measured = goal.form.format(goal.scale * number)
    return [goal.what, measured, goal.goal, f"{place}, {commit}"]
