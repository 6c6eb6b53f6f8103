"""What `make train` prints at its end, from a run of the bundled corpus."""

from pathlib import Path

from dsa.data.corpora.catalogue import corpus_named
from dsa.evaluation.evaluate import describe_evaluation
from dsa.papers.results import read_results

RUN = "mini/dsa/seed-13"


def write_first_run_output(checkout):
    """The last lines of `make train`, as a block of Markdown.

    Raises: `InputError` where the run is missing.
    """
    (result,) = read_results(Path(checkout, "results", RUN))
    task = corpus_named(result.experiment["data"]["corpus"]).task
    text = describe_evaluation(task, result.evaluations["test"])
    heading, accuracy, *_ = text.splitlines()
    last = f"The run is in runs/{RUN}, its numbers in metrics.json there."
    lines = ["```", heading, accuracy, "  ...", last, "```"]
    return "\n".join(lines)
