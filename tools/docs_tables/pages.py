"""The tables of Markdown pages by name, and the pages with them."""

import difflib
import re
from functools import partial

from dsa.errors import InputError
from tools.docs_tables import (
    benchmark_tables,
    code_tables,
    comparison_tables,
    cost_tables,
    figure_tables,
    mask_tables,
    one_seed_tables,
    paper_tables,
    seed_tables,
    study_tables,
)

END = "<!-- end -->"
PUBLISHED = ("dsa-1", "dsa-2", "disan-1", "aesim-2", "aesim-3", "aesim-4")
TABLES = {  # each is a function of the checkout's path
    "headline": seed_tables.write_headline_table,
    "first-run": code_tables.write_first_run_output,
    "alike": seed_tables.write_alike_table,
    "abcnn-attention": seed_tables.write_attention_table,
    "abcnn-forms": seed_tables.write_forms_table,
    "abcnn-features": seed_tables.write_features_table,
    "models": paper_tables.write_models_table,
    "tasks": partial(paper_tables.write_tasks_table, (13, 14, 15)),
    "tasks-one-seed": partial(paper_tables.write_tasks_table, (13,)),
    "figures-9-to-11": figure_tables.write_word_figures_table,
    "mask-lengths-3": partial(mask_tables.write_lengths_table, 3),
    "mask-lengths-12": partial(mask_tables.write_lengths_table, 12),
    "mask-surrounded": mask_tables.write_surrounded_table,
    **{
        name: partial(mask_tables.write_surrounded_models_table, models)
        for name, models in mask_tables.SURROUNDED_MODELS.items()
    },
    "mask-long-pairs": mask_tables.write_long_pairs_table,
    "mask-multinli": mask_tables.write_multinli_table,
    "mask-words": mask_tables.write_words_table,
    "mask-more-pairs": mask_tables.write_more_pairs_table,
    "dsa-parts": partial(
        mask_tables.write_changes_table, mask_tables.PARTS, surrounded=True
    ),
    "dsa-transformer": partial(
        mask_tables.write_changes_table,
        mask_tables.TRANSFORMER,
        surrounded=True,
        heading="model",
    ),
    "premises-once": partial(
        mask_tables.write_changes_table, mask_tables.PREMISES_ONCE
    ),
    "mini": study_tables.write_mini_table,
    "studies": study_tables.write_studies_table,
    "batches": study_tables.write_batches_table,
    "precision": study_tables.write_precision_table,
    "onednn": benchmark_tables.write_onednn_table,
    "plain-step": benchmark_tables.write_plain_step_table,
    "goals": benchmark_tables.write_goals_table,
    "cost": cost_tables.write_cost_table,
    "a-day": cost_tables.write_day_table,
    "views": study_tables.write_views_table,
    "views-trained": paper_tables.write_trained_views_table,
    "families": code_tables.write_families_table,
    **{
        f"results-{name}": partial(paper_tables.write_abcnn_table, name)
        for name in ("abcnn-3", "abcnn-4", "abcnn-6")
    },
    **{
        f"published-{name}": partial(paper_tables.write_published_table, name)
        for name in PUBLISHED
    },
    **{
        name: partial(comparison_tables.write_pairs_table, pairs)
        for name, pairs in comparison_tables.PAIRS.items()
    },
    **{
        name: partial(one_seed_tables.write_one_seed_table, *study)
        for name, study in one_seed_tables.STUDIES.items()
    },
    **{
        name: partial(figure_tables.write_lengths_table, folder)
        for name, folder in figure_tables.LENGTHS.items()
    },
    **{
        name: partial(study_tables.write_settings_table, *study)
        for name, study in study_tables.STUDIES.items()
    },
    **{
        name: partial(code_tables.write_code_table, name)
        for name in code_tables.RELEASED
    },
}
COMPARISONS = "comparisons of "  # and an experiment, such as distance_mask/seeds
PAPER = "paper "  # and a table and a preset of `dsa reproduce`
# a line of its own: in a sentence about such comments it is no table
TABLE_COMMENT = re.compile(
    r"(?m)^[ \t]*<!--[ \t]*table:[ \t]*(.*?)[ \t]*-->[ \t]*(\r?\n)"
)


def find_pages(checkout):
    """The Markdown files of the checkout that have tables."""
    pages = [checkout / "README.md"]
    for folder in ("docs", "results"):
        pages += sorted((checkout / folder).rglob("*.md"))
    return [page for page in pages if TABLE_COMMENT.search(page.read_text("utf-8"))]


def fill_tables(text, checkout):
    r"""A Markdown text whose tables are made again, each between
    `<!-- table: name -->` and `<!-- end -->`. Its lines end as the first of these marks
    does, also with "\r\n".

    Args:
        text: the Markdown text.
        checkout: the folder that holds `results/`, `docs/` and `configs/`.

    Raises: `InputError` for an unknown table or one without an end, and for results
        that are missing or damaged.
    """
    parts, position = [], 0
    for comment in TABLE_COMMENT.finditer(text):
        name, line_end = comment[1], comment[2]
        line = text.count("\n", 0, comment.start()) + 1
        _check_table_name(name, line)
        following = TABLE_COMMENT.search(text, comment.end())
        end = text.find(END, comment.end(), following.start() if following else None)
        if end < 0:
            raise InputError(f"line {line}: the table '{name}' has no '{END}'")
        table = f"{_write(name, checkout)}\n".replace("\n", line_end)
        parts += [text[position : comment.end()], table]
        position = end
    return "".join([*parts, text[position:]])


def _write(name, checkout):
    try:
        if name.startswith(COMPARISONS):
            experiment = name.removeprefix(COMPARISONS)
            return comparison_tables.write_comparisons_table(experiment, checkout)
        if name.startswith(PAPER):
            return paper_tables.write_paper_table(*name.split()[1:], checkout)
        return TABLES[name](checkout)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"the table '{name}': a file below {checkout / 'results'} lacks what it "
            f"needs: {error}"
        ) from error


def _check_table_name(name, line):
    if name not in TABLES and not name.startswith((COMPARISONS, PAPER)):
        near = difflib.get_close_matches(name, TABLES, n=1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        raise InputError(
            f"line {line}: unknown table '{name}'. {hint}There are: {', '.join(TABLES)}"
        )
