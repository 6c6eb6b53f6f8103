"""The option `--trust` of the commands that load runs."""


def parse_with_trust(parser, arguments):
    """The options of a command that loads runs, `--trust` among them.

    Args:
        parser: its `ArgumentParser`; the paths of its runs are `run`, `runs` and
            `others`.
        arguments: of the command line.

    Returns: the options, with a `RunFolder` for each path of a run.
    """
    parser.add_argument(
        "--trust",
        action="store_true",
        help="load a run whose files were changed after training",
    )
    options = parser.parse_args(arguments)

    from dsa.experiment.run_folder import RunFolder

    for name, value in list(vars(options).items()):
        if name in ("runs", "others") and value is not None:
            setattr(options, name, [RunFolder(path, options.trust) for path in value])
        elif name == "run" and value is not None:
            options.run = RunFolder(value, options.trust)
    return options
