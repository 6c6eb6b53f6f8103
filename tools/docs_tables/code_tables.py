"""Tables of the model families, the first run and the released codes."""

import csv
import functools
import json

import yaml

from dsa.data.corpora.catalogue import get_corpus
from dsa.errors import InputError
from dsa.evaluation.evaluate import describe_evaluation
from dsa.experiment.config_files import list_config_files
from dsa.experiment.yaml_file import load_experiment
from dsa.models.family import LinearFamily
from dsa.models.registry import FAMILIES
from dsa.system.reading import read_text
from dsa.system.text_tables import format_markdown_table
from tools.docs_tables.other_tables import write_dictionaries
from tools.docs_tables.records import read_runs
from tools.everyday_pairs import format_group_table, predict_everyday_pairs

FIRST_RUN = "mini/dsa/seed-13"
FIRST_RUNS = {  # folder of runs: instruction set of the processor
    "mini/dsa": "with AVX2",
    "mini/with_avx512/dsa": "with AVX-512",
}
MAX_CONFIGS = 2  # shown per model family
RELEASED = {  # our config and, if there is one, the config of the released code
    "released-esim": ("snli/esim.yaml", "snli/esim_released.yaml"),
    "released-disan": ("snli/disan.yaml", "snli/disan_released.yaml"),
    "released-multi-head": ("snli/multi_head.yaml", "snli/multi_head_released.yaml"),
    "released-disan-sst": ("sst/disan.yaml", "sst/disan_released.yaml"),
    "released-bcnn": ("wikiqa/abcnn3.yaml",),
    "released-infersent": ("snli/infersent.yaml",),
    "released-shortcut-stacked": ("snli/shortcut_stacked.yaml",),
    "released-shortcut-stacked-multinli": ("multinli/shortcut_stacked.yaml",),
    "released-hbmp": ("snli/hbmp.yaml",),
    "released-gated-attention": ("multinli/gated_attention.yaml",),
    "released-swem": ("snli/swem.yaml",),
    "released-self-attentive": ("snli/self_attentive_gated.yaml",),
    "released-williams": ("multinli/cbow_williams.yaml",),
}


def write_first_run_output(checkout):
    """Returns the last lines of the output of `make train` as a Markdown code block,
    after a sentence with the range of accuracies over seeds and processors."""
    runs = []
    for folder in FIRST_RUNS:
        runs += read_runs(checkout / "results" / folder)
    shares = [100 * run["evaluations"]["test"]["accuracy"] for run in runs]
    seeds = sorted({run["seed"] for run in runs})
    (run,) = read_runs(checkout / "results" / FIRST_RUN)
    task = get_corpus(run["data.corpus"]).task
    text = describe_evaluation(task, run["evaluations"]["test"])
    heading, accuracy, *_ = text.splitlines()
    last = f"The run is in runs/{FIRST_RUN}, its numbers in metrics.json there."
    return "\n".join(
        [
            f"`make train` ends with these lines (seeds {seeds[0]} to {seeds[-1]}, "
            f"processors {' and '.join(FIRST_RUNS.values())}: {min(shares):.1f} to "
            f"{max(shares):.1f} %):",
            "",
            *["```", heading, accuracy, "  ...", last, "```"],
        ]
    )


def write_everyday_pairs_table(checkout):
    """Returns the result of the bundled release `snli` on the everyday pairs."""
    return format_group_table(predict_everyday_pairs("snli"))


def write_families_table(checkout):
    """Returns the table of model families with name, paper, kind and configs."""
    folder = checkout / "configs"
    configs = {name: [] for name in FAMILIES}
    for path in list_config_files(folder).values():
        configs[load_experiment(path).model.name].append(path.relative_to(folder))
    return write_dictionaries(
        [
            {
                "`model.name`": f"`{name}`",
                "paper": family.paper,
                "kind": _name_kind(family),
                "in `configs/`": _name_configs(configs[name]),
            }
            for name, family in FAMILIES.items()
        ]
    )


def _name_kind(family):
    if isinstance(family, LinearFamily):
        return "linear classifier"
    return "sentence encoder" if family.encodes else "pair model"


def _name_configs(paths):
    """Returns the first configs, SNLI before other corpora."""
    first = sorted(paths, key=lambda path: (path.parts[0] != "snli", len(path.name)))
    if not first:
        return "-"
    text = ", ".join(f"`{path.as_posix()}`" for path in first[:MAX_CONFIGS])
    return f"{text}, ..." if len(paths) > MAX_CONFIGS else text


def read_differences(checkout):
    """Reads the differences from released codes in `docs/released_codes.csv`.

    A row has the topic (column `what`), the behaviour of the released `code`, and
    either our `setting` with the `value` of the released code (empty for no value), or
    our behaviour (`here`).

    Returns: `{table: [row, ...]}`.

    Raises: `InputError` unless each row has either `setting` or `here`.
    """
    tables = {}
    text = read_text(checkout / "docs/released_codes.csv")
    for row in csv.DictReader(text.splitlines()):
        if bool(row["setting"]) == bool(row["here"]):
            raise InputError(
                f"docs/released_codes.csv: {row['table']}, {row['what']}: expected "
                "either 'setting' or 'here'"
            )
        row["value"] = yaml.safe_load(row["value"])
        tables.setdefault(row["table"], []).append(row)
    return tables


def write_code_table(name, checkout):
    """Returns the differences from one of the `RELEASED` codes.

    Our values are read from the configs.

    Raises: `InputError` if a setting in the config of the released code differs from
        the code.
    """
    configs, lines = RELEASED[name], []
    experiments = [load_experiment(checkout / "configs" / file) for file in configs]
    for row in read_differences(checkout)[name]:
        cells = [row["here"]] * len(configs)
        setting = row["setting"]
        if setting:
            values = [
                functools.reduce(getattr, setting.split("."), experiment)
                for experiment in experiments
            ]
            cells = [f"`{setting}: {_write_yaml(value)}`" for value in values]
            if len(configs) > 1 and values[-1] != row["value"]:
                raise InputError(
                    f"configs/{configs[-1]}: expected '{setting}: {row['value']}' as "
                    f"in the released code. Received: {values[-1]}"
                )
        lines.append([row["what"], row["code"], *cells])
    names = [f"`{file.split('/')[-1]}`" for file in configs]
    return format_markdown_table(["", "released code", *names], lines)


def _write_yaml(value):
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return value if isinstance(value, str) else json.dumps(value)
