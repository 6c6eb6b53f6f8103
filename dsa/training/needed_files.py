"""The files that a training needs."""

from dsa.data.corpora.files import find_file


def check_files_exist(experiment, root):
    """Raises an error if a file is missing, before minutes go into reading the others.

    Raises: `InputError` as `find_file`.
    """
    data = experiment.data
    names = [data.train, data.dealt or data.file("dev")]
    if data.mix:
        names.append(data.mix.path)
    if experiment.family.is_network:
        names.append(experiment.embedding.path)
    for name in names:
        if name:
            find_file(root, name)
