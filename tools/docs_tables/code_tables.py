"""Tables made from the registry, the configs and the evaluation of one run."""

import csv
import functools
import json

import yaml

from dsa.data.corpora.catalogue import get_corpus
from dsa.errors import InputError
from dsa.evaluation.evaluate import describe_evaluation
from dsa.experiment.config_files import list_config_files
from dsa.experiment.yaml_file import load_experiment
from dsa.models.registry import FAMILIES
from dsa.system.reading import read_text
from dsa.system.text_tables import markdown_table
from tools.docs_tables.run_records import read_results, write_table

FIRST_RUN = "mini/dsa/seed-13"
FIRST_RUNS = {  # where they were trained: on which kind of processor
    "mini/dsa": "with AVX2",
    "mini_avx512/dsa": "with AVX-512",
}
SHOWN = 2  # configs of a model
RELEASED = {  # our config, and the one that does as the released code does
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
    """The last lines that `make train` prints, as a block of Markdown, below a sentence
    that says what other seeds and processors give."""
    runs = [r for f in FIRST_RUNS for r in read_results(checkout / "results" / f)]
    shares = [100 * run["evaluations"]["test"]["accuracy"] for run in runs]
    seeds = sorted({run["seed"] for run in runs})
    (run,) = read_results(checkout / "results" / FIRST_RUN)
    task = get_corpus(run["data.corpus"]).task
    text = describe_evaluation(task, run["evaluations"]["test"])
    heading, accuracy, *_ = text.splitlines()
    last = f"The run is in runs/{FIRST_RUN}, its numbers in metrics.json there."
    return "\n".join(
        [
            f"It ends like this; with seeds {seeds[0]} to {seeds[-1]}, on processors "
            f"{' and '.join(FIRST_RUNS.values())},",
            f"its accuracy was {min(shares):.1f} to {max(shares):.1f} %:",
            "",
            *["```", heading, accuracy, "  ...", last, "```"],
        ]
    )


def write_families_table(checkout):
    """Every family: its name in a config, its paper, its kind, and configs of it."""
    folder = checkout / "configs"
    configs = {name: [] for name in FAMILIES}
    for path in list_config_files(folder).values():
        configs[load_experiment(path).model.name].append(path.relative_to(folder))
    return write_table(
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
    if not family.is_network:
        return "linear classifier"
    return "sentence encoder" if family.encodes else "pair model"


def _name_configs(paths):
    """The first configs, those of SNLI before others."""
    first = sorted(paths, key=lambda path: (path.parts[0] != "snli", len(path.name)))
    text = ", ".join(f"`{path.as_posix()}`" for path in first[:SHOWN])
    return f"{text}, ..." if len(paths) > SHOWN else text or "-"


def read_differences(checkout):
    """What released codes do otherwise, from `docs/released_codes.csv`.

    Returns: `{table: [row, ...]}`. A row has `what` it is about, what the `code` does,
        and either our `setting` that decides it, with the `value` that does as the
        code (`None` for no such value), or what is done `here`, without a setting.

    Raises: `InputError` for a row that has both or neither.
    """
    tables = {}
    text = read_text(checkout / "docs/released_codes.csv")
    for row in csv.DictReader(text.splitlines()):
        if bool(row["setting"]) == bool(row["here"]):
            raise InputError(
                f"docs/released_codes.csv: {row['table']}, {row['what']}: either "
                "'setting' or 'here' is needed"
            )
        row["value"] = yaml.safe_load(row["value"])
        tables.setdefault(row["table"], []).append(row)
    return tables


def write_code_table(name, checkout):
    """What one of the `RELEASED` codes does otherwise; our values are read from the
    configs.

    Raises: `InputError` for a config of the released form whose setting is another one
        than the code's.
    """
    configs, lines = RELEASED[name], []
    experiments = [load_experiment(checkout / "configs" / file) for file in configs]
    for row in read_differences(checkout)[name]:
        cells, setting = [row["here"]] * len(configs), row["setting"]
        if setting:
            values = [
                functools.reduce(getattr, setting.split("."), experiment)
                for experiment in experiments
            ]
            cells = [f"`{setting}: {_write_yaml(value)}`" for value in values]
            if len(configs) > 1 and values[-1] != row["value"]:
                raise InputError(
                    f"configs/{configs[-1]}: '{setting}' is {values[-1]}, in the "
                    f"released code {row['value']}"
                )
        lines.append([row["what"], row["code"], *cells])
    names = [f"`{file.split('/')[-1]}`" for file in configs]
    return markdown_table(["", "released code", *names], lines)


def _write_yaml(value):
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return value if isinstance(value, str) else json.dumps(value)
