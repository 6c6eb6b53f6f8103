"""`Job`s of `tests.support.small_job`, and what they have left."""

from dsa.jobs.job import Job


def make_job(folder, name, *how):
    """A job that is finished when its file is there."""
    command = (str(folder), name, *map(str, how))
    output = folder / name
    module = "tests.support.small_job"
    return Job(name, command, output, output.exists, module=module)


def count_starts(folder, name):
    """How often a job was started."""
    file = folder / f"{name}.starts"
    return len(file.read_text().split()) if file.exists() else 0
