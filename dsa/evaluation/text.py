"""An evaluation as text."""


def describe_evaluation(task, entry):
    """An evaluation as text.

    Args:
        task: the run's task.
        entry: of its `metrics.json`.
    """
    heading = (
        f"{entry['split']}: {entry['file']}, {entry['count']} rows"
        f" ({entry['unlabelled']} of {entry['rows']} without label left out)"
    )
    return "\n".join([heading, *task.as_text(entry)])
