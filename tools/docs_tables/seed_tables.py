"""Tables of models trained alike: means, and differences seed by seed."""

import statistics

from dsa.data.corpora.catalogue import get_corpus
from dsa.papers.table_files import find_table
from dsa.runs.studies import list_runs
from tools.comparisons import ALL, NAME
from tools.docs_tables.comparison_tables import read_lines
from tools.docs_tables.run_records import join, read_runs, write_share, write_table
from tools.docs_tables.trained_alike import (
    MODELS,
    OTHER_BASE,
    Model,
    describe_difference,
    describe_mean,
    measure,
    measure_all,
)

HEADLINE = (
    "ESIM",
    "DSA",
    "DSA without distance mask",
    "Bi-LSTM, max pooling",
    "DiSAN, own dropout, trained vectors",
)
CONVOLUTIONS = {"one-conv": "", "two-conv": "_two"}
ATTENTION = ("ABCNN-1", "ABCNN-2", "ABCNN-3")
MEASURED = (  # folder of the runs, the corpus's title, the paper's table, metric
    ("convolutions/wikiqa", "WikiQA, MAP", "abcnn-3", "map"),
    ("convolutions/msrp", "MSRP, accuracy", "abcnn-4", "accuracy"),
    ("convolutions/sick_entailment", "SICK, accuracy", "abcnn-6", "accuracy"),
)
FORMS = {  # of WikiQA's networks: (form, {network: its base})
    "sums, as in the authors' code": {
        "abcnn1_sums": "bcnn_sums",
        "abcnn2_sums": "bcnn_sums",
        "abcnn3_sums": "bcnn_sums",
    },
    "no scale and plain all-ap, as in the paper": {
        "abcnn3_paper": "bcnn",
        "abcnn2_two_paper": "bcnn_two",
        "abcnn3_two_paper": "bcnn_two",
    },
}


PAPER_FEATURES = {  # points, section 6 of Yin et al. 2016
    "abcnn-3": 3.21,
    "abcnn-4": 3.8,
    "abcnn-6": 1.6,
}


def write_alike_table(checkout):
    """All `MODELS`, the highest mean first, and what each differs from DSA."""
    measured, lines = measure_all(MODELS, checkout), []
    for one in measured:
        base = measure(Model("", (one.model.base,)), checkout).values
        is_base = one.model.runs == (one.model.base,)
        difference = None if is_base else describe_difference(base, one.values)
        lines.append(
            {
                "model": one.model.name,
                "mean": f"{100 * statistics.mean(one.values.values()):.2f}",
                f"seeds {join(one.values)}": join(
                    f"{100 * value:.2f}" for value in one.values.values()
                ),
                "minus DSA": "-" if is_base else f"{100 * difference[0]:+.2f}",
                "95 % of the difference": "-"
                if is_base
                else write_interval(difference[1]),
                "parameters": f"{one.parameters:,}",
                "processor": one.processor,
            }
        )
    return "\n\n".join(
        [
            _describe_training(measured[0], checkout),
            write_table(lines),
            _describe_other_base(checkout),
            _describe_papers(measured),
        ]
    )


def _describe_training(one, checkout):
    """What all rows have in common, in a sentence."""
    run, *_ = read_runs(checkout / "results" / one.model.runs[0])
    whole = get_corpus("snli").training_pairs
    count = run["evaluations"]["dev"]["count"]
    return (
        f"Accuracy in per cent on the {count:,} pairs of SNLI dev. All models were "
        f"trained for {run['training.epochs']} epochs on the same {one.pairs:,} of "
        f"{whole:,} training pairs (**{100 * one.pairs / whole:.0f} %, partial**), "
        f"with {run['embedding.units']}-d GloVe vectors, and compared seed by seed."
    )


def _describe_other_base(checkout):
    """What the rows of the other kind of processor are compared with, in a sentence."""
    base = measure(Model("", (OTHER_BASE,)), checkout)
    values = [100 * value for value in base.values.values()]
    return (
        f"Rows with {base.processor} are compared with DSA's runs there, "
        f"{join(f'{value:.2f}' for value in values)} (mean "
        f"{statistics.mean(values):.2f}), not with DSA's row."
    )


def _describe_papers(measured):
    """What the papers report of these models, in a sentence of its own: it is of test
    and of all training pairs."""
    printed = [
        f"{one.model.name.split(',')[0]} {source.number(name).text} in {source.paper}"
        for one in measured
        if one.model.paper
        for source, name in [one.model.paper]
    ]
    return (
        "The papers' numbers are of SNLI test and of all training pairs: "
        f"{'; '.join(printed)}."
    )


def write_headline_table(checkout):
    """The README's: sentence pairs on a part of SNLI, questions on all of WikiQA."""
    models = [model for model in MODELS if model.name in HEADLINE]
    measured = measure_all(models, checkout)
    lines = [
        {
            "model": one.model.name,
            "SNLI dev accuracy": f"{100 * mean:.1f} %",
            "95 % interval of the mean": write_interval(interval, digits=1, sign=""),
        }
        for one in measured
        for mean, interval in [describe_mean(one.values)]
    ]
    share = write_share("snli", measured[0].pairs)
    seeds = join(measured[0].values)
    (printed,) = [one.model.paper for one in measured if one.model.name == "DSA"]
    return (
        f"{write_table(lines)}\n\nAll on the same {share}, seeds {seeds}; with all "
        f"pairs the paper's DSA has {printed[0].number(printed[1]).text} % on SNLI "
        f"test. On the complete WikiQA, mean test MAP:\n\n"
        f"{_write_small_ranking_table(checkout)}"
    )


def _write_small_ranking_table(checkout):
    source, lines = find_table("abcnn-3").source, []
    for name in ("BCNN", *ATTENTION):
        values = _measure_convolutions("convolutions/wikiqa", name, "", "map", checkout)
        mean, interval = describe_mean(values)
        lines.append(
            {
                "model, one convolution": name,
                "ours": f"{mean:.3f}",
                "95 % interval of the mean": write_interval(interval, 1, 3, ""),
                "paper": source.number(f"{name} one-conv").text,
            }
        )
    return write_table(lines)


def _measure_convolutions(corpus, name, ending, metric, checkout):
    folder = f"{corpus}/{name.lower().replace('-', '')}{ending}"
    return measure(Model(name, (folder,)), checkout, metric, "test").values


def write_attention_table(checkout):
    """What attention adds to BCNN on test, seed by seed, in points; beside it what it
    adds in the paper. Networks that were not run have no row, and without answers of
    both there is no interval over rows."""
    lines = []
    for corpus, title, table, metric in MEASURED:
        source = find_table(table).source
        scale, digits = (1, 1) if metric == "accuracy" else (100, 2)  # as it is printed
        answered = find_answered_differences(checkout / "results" / corpus, metric)
        for depth, ending in CONVOLUTIONS.items():
            base = _measure_convolutions(corpus, "BCNN", ending, metric, checkout)
            printed = source.number(f"BCNN {depth}").value
            for name in ATTENTION:
                folder = f"{name.lower().replace('-', '')}{ending}"
                if not list_runs(checkout / "results" / corpus / folder):
                    continue
                values = _measure_convolutions(corpus, name, ending, metric, checkout)
                mean, interval = describe_difference(base, values)
                both = answered.get((f"bcnn{ending}", folder))
                mark = "**" if both and both["significant"] == "yes" else ""
                gain = scale * (source.number(f"{name} {depth}").value - printed)
                lines.append(
                    {
                        "corpus": title,
                        "models": f"{name} minus BCNN, {depth}",
                        "ours": f"{mark}{100 * mean:+.2f}{mark}",
                        "95 % over seeds": write_interval(interval),
                        "95 % over seeds and rows": write_bootstrap(both),
                        "paper": f"{gain:+.{digits}f}",
                    }
                )
    return write_table(lines)


def write_forms_table(checkout):
    """Other forms of ABCNN on WikiQA: MAP on test minus that of BCNN in this form."""
    answered = find_answered_differences(
        checkout / "results/convolutions/wikiqa", "map"
    )
    lines = []
    for form, networks in FORMS.items():
        for network, base in networks.items():
            line = answered[base, network]
            depth = "two-conv" if "_two" in network else "one-conv"
            mark = "**" if line["significant"] == "yes" else ""
            mean = f"{mark}{100 * float(line['difference']):+.2f}{mark}"
            over_seeds = float(line["t_low"]), float(line["t_high"])
            lines.append(
                {
                    "form": form,
                    "models": f"ABCNN-{network[5]} minus BCNN, {depth}",
                    "ours": mean,
                    "95 % over seeds": write_interval(over_seeds),
                    "95 % over seeds and rows": write_bootstrap(line),
                }
            )
    return write_table(lines)


def write_features_table(checkout):
    """What features of pairs add to ABCNN-3 with two convolutions on test, in points;
    beside it what they add in the paper (its footnotes). Corpora without answers of
    both have no row."""
    lines = []
    for corpus, title, table, metric in MEASURED:
        answered = find_answered_differences(checkout / "results" / corpus, metric)
        line = answered.get(("abcnn3_two", "abcnn3_two_no_features"))
        if line is None:
            continue
        mean, *ends = (
            -float(line[name])
            for name in ("difference", "bootstrap_high", "bootstrap_low")
        )
        over_seeds = -float(line["t_high"]), -float(line["t_low"])
        mark = "**" if line["significant"] == "yes" else ""
        lines.append(
            {
                "corpus": title,
                "with features": f"{100 * float(line['first_mean']):.2f}",
                "without": f"{100 * float(line['other_mean']):.2f}",
                "difference": f"{mark}{100 * mean:+.2f}{mark}",
                "95 % over seeds": write_interval(over_seeds),
                "95 % over seeds and rows": write_interval(ends),
                "paper": f"{PAPER_FEATURES[table]:+.1f}",
            }
        )
    return write_table(lines)


def find_answered_differences(folder, metric):
    """`{(first, other): line}` of an experiment's comparisons on test; nothing where
    there are none."""
    if not (folder / NAME).is_file():
        return {}
    return {
        (line["first"], line["other"]): line
        for line in read_lines(folder / NAME)
        if (line["split"], line["rows"], line["metric"]) == ("test", ALL, metric)
    }


def write_bootstrap(line):
    """The interval over seeds and rows of a line of comparisons; of none a dash."""
    if line is None:
        return "-"
    return write_interval([float(line[f"bootstrap_{end}"]) for end in ("low", "high")])


def write_interval(interval, scale=100, digits=2, sign="+"):
    """Both ends of an interval, times a scale."""
    low, high = (f"{scale * end:{sign}.{digits}f}" for end in interval)
    return f"{low} to {high}"
