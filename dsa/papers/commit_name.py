"""The commit of the code that a number was measured with, as tables print it."""


def name_commit(facts):
    """A commit, shortened, and whether the code had changes that were not committed; of
    a training that went on with other code, those of its parts.

    Args:
        facts: of a run or a measurement, with what `environment.commit` gives.

    Returns: such as "0123456", "0123456 + changes", "0123456 then 789abcd" or
        "unknown".
    """
    parts = [*facts.get("earlier_parts", []), facts]
    return " then ".join(dict.fromkeys(_name(part) for part in parts))


def _name(facts):
    if facts["commit"] is None:
        return "unknown"
    changes = " + changes" if facts.get("uncommitted_changes") else ""
    return str(facts["commit"])[:7] + changes
