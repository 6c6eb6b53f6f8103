"""The commit of the code that a number was measured with, as tables print it."""


def name_commit(facts):
    """A commit, shortened, and whether the code had changes that were not committed.

    Args:
        facts: of a run or a measurement, with what `dsa.environment.commit` gives.

    Returns: such as "0123456", "0123456 + changes" or "unknown".
    """
    if facts["commit"] is None:
        return "unknown"
    changes = " + changes" if facts.get("uncommitted_changes") else ""
    return str(facts["commit"])[:7] + changes
