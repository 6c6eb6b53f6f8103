"""Parts of `scripts/gpu_campaign.py`, in the order of the measurements."""

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bounded import BoundedExecutor, TimeIsUp, run_bounded
from campaign_size import SEEDS, TINY

from dsa.errors import InputError
from dsa.experiment.yaml_file import parse_overrides
from dsa.papers.planning import plan_runs
from dsa.papers.presets import FULL as PUBLISHED
from dsa.papers.table import Measure, Row, Table
from dsa.sweeps.finished_runs import RunIndex, read_evaluations
from dsa.sweeps.planned_runs import complete_runs
from dsa.system.atomic_files import write_atomically

CHECKOUT = Path(__file__).resolve().parents[1]
MODELS = ("real", "no_mask", "disan", "esim")  # sides of train_step.py
PLAIN = ("dsa", "esim")  # models of plain_step.py
SPLITS = ("dev",)
DONE = "done"  # state of a part
MARGIN = 30  # seconds to start and end a nested campaign
BUNDLED = CHECKOUT / "data"  # the data root of the bundled corpus
ROWS = (  # name and config, in order of priority
    ("DSA", "configs/snli/dsa.yaml"),
    ("DSA without distance mask", "configs/snli/dsa_no_distance.yaml"),
    ("ESIM", "configs/snli/esim.yaml"),
    ("Bi-LSTM, max pooling", "configs/snli/bilstm_max.yaml"),
)
SMOKE = (("DSA, bundled corpus", "configs/mini/dsa.yaml"),)
FACTS = (  # keys of a run's `environment.json` that are copied to the results
    "backend",
    "device",
    "commit",
    "steps",
    "seconds",
    "seconds_per_epoch",
    "peak_device_memory_bytes",
)


class Campaign:
    """Parts of a campaign. Each part writes its results to a file of its own.

    Args:
        size: the `Size`.
        out: folder of the results.
        runs: folder of the runs.
        data: data root.
        torch: Python interpreter of the PyTorch parts, which are omitted if it cannot
            import PyTorch.
    """

    def __init__(self, size, out, runs, data, torch):
        self.size = size
        self.out, self.runs, self.data = out.resolve(), runs.resolve(), data.resolve()
        self.torch = torch
        self.problems = []

    def run_part(self, name, minutes):
        """Runs a part within its time limit.

        Returns: the record of the part for `campaign.json`.
        """
        began, before = time.monotonic(), len(self.problems)
        self.left_out = []
        self.deadline = began + 60 * minutes
        state = DONE
        try:
            getattr(self, f"do_{name}")()
        except TimeIsUp:
            state = "time limit reached, the same command resumes"
        problems = self.problems[before:]
        return {
            "state": "failed" if problems else state,
            "minutes": round((time.monotonic() - began) / 60, 2),
            "minutes_at_most": minutes,
            "problems": problems,
            "left_out": self.left_out,
        }

    def do_smoke(self):
        """Trains and evaluates DSA on the bundled corpus."""
        self._train("smoke", self._plan_smoke(), BUNDLED)

    def do_speed(self):
        """Measures the speed table, combination by combination, for all models."""
        size = self.size
        combinations = list(itertools.product(size.precisions, size.batch_sizes))
        for (precision, batch), model in itertools.product(combinations, MODELS):
            line = ["train_step.py", "--sides", model]
            line += [*_list_shape(precision, batch), *size.benchmark]
            self._measure("speed", f"{model}, {precision}, batch {batch}", line)
        self._compare_with_plain(combinations)

    def _compare_with_plain(self, combinations):
        if not has_torch(self.torch):
            self.left_out.append(f"plain PyTorch: {self.torch} cannot import torch")
            return
        for (precision, batch), model in itertools.product(combinations, PLAIN):
            line = ["plain_step.py", "--model", model, "--torch", self.torch]
            line += [*_list_shape(precision, batch), *self.size.plain]
            name = f"plain {model}, {precision}, batch {batch}"
            self._measure("speed", name, line)

    def do_snli(self):
        """Trains all models with the first seed, then with the remaining seeds."""
        self._train("snli", self.plan_snli(), self.data)

    def do_snli_torch(self):
        """Trains the runs of `do_snli` with PyTorch, in a nested campaign."""
        if not has_torch(self.torch):
            self.left_out.append(f"PyTorch: {self.torch} cannot import torch")
            return
        minutes = (self.deadline - time.monotonic()) / 60
        line = [self.torch, "scripts/gpu_campaign.py", "--parts", "snli"]
        line += ["--minutes", f"snli={minutes:.2f}", "--data-root", str(self.data)]
        line += ["--runs", str(self.runs / "torch"), "--out", str(self.out / "torch")]
        if self.size is TINY:
            line.append("--tiny")
        variables = {**self._list_variables(), "KERAS_BACKEND": "torch"}
        # the nested campaign ends its run at its own deadline
        code = run_bounded(line, self.deadline + MARGIN, CHECKOUT, variables)
        if code:
            self.problems.append(f"snli_torch: exit code {code}, see above")
        elif self.read("torch/campaign")["snli"]["state"] != DONE:
            raise TimeIsUp

    def do_encode(self):
        """Measures sentences per second of encoders and of bulk encoding."""
        for precision in self.size.precisions:
            line = ["encoding.py", "--precision", precision, *self.size.encode]
            self._measure("encode", precision, line)
        if (run := self._find_dsa()) is None:
            self.left_out.append("bulk encoding: no DSA has been trained")
            return
        line = ["bulk_encoding.py", "--run", str(run), "--workers", "1"]
        self._measure("encode", "bulk", [*line, *self.size.bulk])

    def _find_dsa(self):
        """Returns the folder of a trained DSA, preferably on all available data."""
        for part, plans, root in (
            ("snli", self.plan_snli(), self.data),
            ("smoke", self._plan_smoke(), BUNDLED),
        ):
            run = RunIndex.scan(self.runs / part, root).find(plans[0].experiment)
            if run is not None:
                return run.path
        return None

    def _plan_smoke(self):
        return self._plan(SMOKE, PUBLISHED, self.size.smoke, SEEDS[:1])

    def plan_snli(self):
        """Returns the planned runs of `do_snli` in order of priority."""
        size = self.size
        plans = self._plan(ROWS, size.preset, size.settings, size.seeds)
        return sorted(plans, key=lambda plan: plan.overrides["seed"])

    def _measure(self, part, name, line):
        """Runs a benchmark and adds its figures to the file of the part.

        Returns immediately if the file already contains the figures.
        """
        figures = self.read(part).get("figures", {})
        if name in figures:
            return
        print(f"{part}: {name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "figures.json")
            script, *arguments = line
            code = run_bounded(
                [
                    sys.executable,
                    f"benchmarks/{script}",
                    *("--anyway", "--rounds", str(self.size.rounds)),
                    *("--out", str(file)),
                    *arguments,
                ],
                self.deadline,
                CHECKOUT,
                self._list_variables(),
            )
            if code:
                self.problems.append(f"{part}, {name}: exit code {code}, see above")
                return
            measured = json.loads(file.read_text())
        facts = {key: measured[key] for key in ("date", "commit", "processor", "cores")}
        figures[name] = {**facts, "sides": _shorten(measured["figures"])}
        self.write(part, {"figures": figures})

    def _list_variables(self):
        paths = [str(CHECKOUT), os.environ.get("PYTHONPATH", "")]
        return {
            "DSA_DATA": str(self.data),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }

    def _plan(self, rows, preset, settings, seeds):
        """Returns the `Plan`s of some rows, as for a table of `dsa.papers`."""
        overrides = parse_overrides(settings)
        table = Table(
            title="campaign",
            corpus="snli",
            rows=tuple(Row(name, config, overrides) for name, config in rows),
            measures=(Measure("dev", SPLITS),),
        )
        return plan_runs(table, preset, seeds, CHECKOUT)

    def _train(self, part, plans, root):
        """Trains the unfinished runs of some plans, and writes the metrics of all."""
        folder = self.runs / part
        try:
            complete_runs(plans, SPLITS, folder, root, BoundedExecutor(self.deadline))
        except InputError as error:  # includes failed runs
            self.problems.append(f"{part}: {error}")
        finally:
            self.write(part, {"rows": _read_runs(plans, folder, root)})

    def read(self, name):
        """Returns the content of a results file, `{}` if the file is missing."""
        path = self.out / f"{name}.json"
        return json.loads(path.read_text()) if path.is_file() else {}

    def write(self, name, content):
        """Writes a results file."""
        self.out.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content, indent=1) + "\n"
        write_atomically(self.out / f"{name}.json", text.encode())


def _list_shape(precision, batch):
    return ["--precision", precision, "--batch-size", str(batch)]


def _read_runs(plans, folder, root):
    """Returns the dev metrics of the finished runs by row, for JSON."""
    runs, rows = RunIndex.scan(folder, root), {}
    for plan in plans:
        run = runs.find(plan.experiment)
        evaluation = run and read_evaluations(run, root).get("dev")
        if not evaluation:
            continue
        facts = run.environment()
        rows.setdefault(plan.row, {})[plan.overrides["seed"]] = {
            "accuracy": evaluation["accuracy"],
            "rows": evaluation["count"],
            **{key: facts[key] for key in FACTS if key in facts},
        }
    for name, seeds in rows.items():
        accuracies = [run["accuracy"] for run in seeds.values()]
        rows[name] = {
            "mean": round(statistics.fmean(accuracies), 6),
            "min": min(accuracies),
            "max": max(accuracies),
            "seeds": seeds,
        }
    return rows


def _shorten(figures):
    """Returns the medians of the figures of a benchmark by side."""
    return {
        side: {
            name: value if name == "ran_on" else value["median"]
            for name, value in side_figures.items()
        }
        for side, side_figures in figures.items()
    }


def has_torch(python):
    """Returns whether a Python interpreter can import PyTorch."""
    try:
        command = [python, "-c", "import torch"]
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:  # the interpreter does not exist
        return False
