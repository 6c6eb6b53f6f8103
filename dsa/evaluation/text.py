"""An evaluation as text."""

from dsa.tasks.metrics import UNKNOWN


def table(entry):
    """An evaluation as text, fractions in per cent."""
    heading = (
        f"{entry['split']}: {entry['file']}, {entry['count']} rows"
        f" ({entry['unlabelled']} of {entry['rows']} without label left out)"
    )
    lines = _scores(entry) if "pearson" in entry else _shares(entry)
    return "\n".join([heading, *lines])


def _scores(entry):
    yield from (
        f"  {name:9} {entry[key]:.4f}"
        for name, key in (
            ("Pearson", "pearson"),
            ("Spearman", "spearman"),
            ("MSE", "mse"),
            ("loss", "loss"),
        )
    )
    for group, part in _groups(entry):
        yield f"  {group:20}{part['count']:8d}   Pearson {part['pearson']:.4f}"


def _shares(entry):
    yield (
        f"  accuracy  {100 * entry['accuracy']:.2f} %"
        f" +- {100 * entry['standard_error']:.2f} (standard error)"
    )
    yield f"  macro F1  {100 * entry['macro_f1']:.2f} %"
    yield f"  loss      {entry['loss']:.4f}"
    names = entry["labels"]
    width = max(map(len, [*names, "gold"])) + 2
    header = "".join(f"{name:>{width}}" for name in names)
    yield f"  {'gold':{width}}{header}{'count':>8}{'accuracy':>10}   (predicted)"
    for name, row in zip(names, entry["confusion"], strict=True):
        part = entry["by_label"][name]
        yield _row(name, "".join(f"{n:{width}d}" for n in row), part, width)
    groups = _groups(entry)
    if not groups and entry.get("by_group"):
        yield "  genre unknown: the file names none"
    for group, part in groups:
        yield _row(group, " " * width * len(names), part, width)


def _groups(entry):
    """Names and parts of the groups; none where they are all unknown."""
    groups = entry.get("by_group", {})
    return [] if list(groups) == [UNKNOWN] else list(groups.items())


def _row(name, cells, part, width):
    share = part["accuracy"]
    accuracy = "-" if share is None else f"{100 * share:.2f} %"
    return f"  {name:{width}}{cells}{part['count']:8d}{accuracy:>10}"
