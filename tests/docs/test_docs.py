"""Files, commands and links in the pages exist."""

import ast
import os
import pathlib
import re
import shutil
import zipfile

import pytest
import yaml

import dsa
from dsa.inference.trained_model import PUBLIC, TrainedModel
from dsa.runs.studies import list_runs

ROOT = pathlib.Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [
    README,
    *DOCS,
    *sorted((ROOT / "docs/papers").glob("*.md")),
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    ROOT / "data/README.md",
    ROOT / "data/mini/README.md",
    ROOT / "results/README.md",
    ROOT / "results/benchmarks/NOTES.md",
]
by_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: str(page.relative_to(ROOT))
)


def text_of(page):
    return page.read_text(encoding="utf-8")


def without_code(text):
    """A page without its fenced and indented blocks."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.M)


def code_of(text, language=""):
    """The fenced blocks of a language; without one, the indented lines."""
    if language:
        return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.M | re.S)
    lines = re.findall(r"^ {4}(\S(?:.*\\\n)*.*)$", text, flags=re.M)
    return [re.sub(r"\\\n\s*", "", line) for line in lines]


def links_of(page):
    """The targets of a page's links and pictures below this repository."""
    text = without_code(text_of(page))
    targets = re.findall(r"\]\(([^()\s]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def anchors_of(page):
    """The anchors that GitHub gives a page's headings."""
    headings = re.findall(r"^#+ (.+)$", without_code(text_of(page)), flags=re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        for heading in headings
    }


@by_page
def test_every_link_and_anchor_of_a_page_resolves(page):
    for target in links_of(page):
        path, _, anchor = target.partition("#")
        linked = (page.parent / path) if path else page
        assert linked.exists(), f"{target}: no such file"
        assert not anchor or anchor in anchors_of(linked), f"{target}: no such heading"


@by_page
def test_a_command_is_a_block_of_code(page):
    """Four spaces before it were lost, if it stands in the text."""
    lost = re.findall(r"^(?:dsa|pip|curl) .*$", without_code(text_of(page)), flags=re.M)
    assert lost == []


def test_the_pages_have_links():
    assert len(links_of(ROOT / "docs/index.md")) > len(DOCS)


def test_the_readme_is_short_and_soon_at_its_first_command():
    text = text_of(README)
    assert len(text.encode("utf-8")) <= 6_500
    beginning = "\n".join(text.splitlines()[:40])
    assert "    make train" in beginning
    assert "(standard error)" in beginning and "metrics.json there." in beginning


def test_the_readme_lists_requirements_before_its_first_command():
    first = text_of(README).split("    make train")[0]
    assert "Linux or macOS" in first and "Windows only by WSL" in first


def test_the_readmes_python_is_six_lines():
    (code,) = code_of(text_of(README), "python")
    assert len([line for line in code.splitlines() if line]) == 6


def test_no_page_is_missing_from_the_map():
    linked = set(links_of(ROOT / "docs/index.md"))
    pages = {
        str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")
    }
    assert pages - {"index.md"} <= linked
    assert "docs/index.md" in links_of(README)


def test_the_site_has_every_page_once():
    site = yaml.safe_load(text_of(ROOT / "mkdocs.yml"))
    pages = [str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")]
    assert sorted(re.findall(r"'([\w/]+\.md)'", str(site["nav"]))) == sorted(pages)
    groups = [next(iter(group)) for group in site["nav"]]
    assert groups == ["Start", "Use a model", "Research", "Reference"]


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_a_page_begins_with_its_goal_and_an_example(page):
    title, empty, purpose = text_of(page).splitlines()[:3]
    assert title.startswith("# ") and not empty
    if page.name == "index.md":
        return  # see the next test
    if page.name in ("results.md", "released_codes.md"):
        assert purpose.startswith("This page ")
        return
    assert purpose.startswith("This page shows how to ")
    begin = text_of(page).split("\n## ")[0]
    assert code_of(begin) or code_of(begin, "python")


def test_the_landing_page_describes_the_package_before_the_demonstration():
    text = text_of(ROOT / "docs/index.md")
    parts = ["`dsa` is a Keras 3 package", "(../CHANGELOG.md)", "<iframe", "make train"]
    assert sorted(parts, key=text.index) == parts


def test_the_reference_shows_the_public_members_of_a_model():
    site = yaml.safe_load(text_of(ROOT / "mkdocs.yml"))
    (handler,) = [p["mkdocstrings"] for p in site["plugins"] if "mkdocstrings" in p]
    filters = handler["handlers"]["python"]["options"]["filters"]
    hidden = [re.compile(filter.removeprefix("!")) for filter in filters]
    members = [m for m in vars(TrainedModel) if not any(h.search(m) for h in hidden)]
    assert set(members) <= set(PUBLIC)


@by_page
def test_every_config_and_script_and_module_that_a_page_names_exists(page):
    folders = "benchmarks|configs|dsa|examples|results|scripts|tests|tools"
    text = text_of(page).replace("...", "*")
    for name in re.findall(rf"(?<![\w./])((?:{folders})/[\w./*-]*[\w*])", text):
        assert any(ROOT.glob(name)) or list_runs(ROOT / name), name


@by_page
def test_every_python_block_parses(page):
    for code in code_of(text_of(page), "python"):
        ast.parse(code)


@by_page
def test_commands_are_among_those_of_the_page_of_commands(page):
    known = commands()
    for line in code_of(text_of(page)):
        command = re.match(r"dsa ([\w-]+)", line)
        assert not command or command[1] in known, line


def commands():
    rows = re.findall(
        r"^\| `dsa ([\w-]+)", text_of(ROOT / "docs/commands.md"), flags=re.M
    )
    return set(rows)


def test_the_page_of_commands_names_every_script():
    named = re.findall(r"`scripts/(\w+)\.py`", text_of(ROOT / "docs/commands.md"))
    scripts = [path.stem for path in (ROOT / "scripts").glob("*.py")]
    assert sorted(named) == sorted(scripts)


def test_every_target_of_make_that_a_page_names_exists():
    makefile = text_of(ROOT / "Makefile")
    for page in (README, *DOCS, ROOT / "CONTRIBUTING.md"):
        for targets in re.findall(r"`make ((?:[\w-]+ ?)+)`", text_of(page)):
            for target in targets.split():
                assert re.search(rf"^{target}:", makefile, flags=re.M), target


def test_the_changelog_begins_with_unreleased_changes_and_lists_versions_once():
    titles = re.findall(r"^## (.+)$", text_of(ROOT / "CHANGELOG.md"), flags=re.M)
    assert titles[0] == "Unreleased"
    assert len(titles) == len(set(titles))
    parts = re.findall(r"^### (.+)$", text_of(ROOT / "CHANGELOG.md"), flags=re.M)
    assert set(parts) == {"Removed", "Added", "Changed", "Fixed"}


def test_extras_are_installed_from_the_checkout():
    files = [*PAGES, *(ROOT / "dsa").rglob("*.py")]
    wrong = [str(file) for file in files if re.search(r"\bdsa\[\w", text_of(file))]
    assert wrong == []  # another project could have this name in the package index


def test_examples_on_the_bundled_corpus_use_its_vocabulary():
    with zipfile.ZipFile(ROOT / "dsa/hub/mini.zip") as packed:
        known = {*packed.read("vocabulary.txt").decode().split()}
    commands = re.findall(
        r"dsa \w+ (?:mini|runs/mini/dsa/seed-13) (?:--pair |--sentence )?(\".*\")",
        "\n".join(text_of(page) for page in [README, *DOCS]),
    )
    assert len(commands) >= 3
    words = {*re.findall(r"[a-z]+", " ".join(commands).lower())}
    assert words <= known


def test_the_page_of_models_names_every_folder_of_configs():
    folders = {path.name for path in (ROOT / "configs").iterdir()}
    folders -= {"mini", "own", "tables"}
    text = text_of(ROOT / "docs/models.md")
    assert [name for name in folders if f"`configs/{name}`" not in text] == []


def test_the_page_of_development_names_every_package():
    packages = {path.parent.name for path in (ROOT / "dsa").glob("*/__init__.py")}
    text = text_of(ROOT / "docs/development.md")
    assert [name for name in packages if f"{name}/`" not in text] == []


def test_the_citation_has_the_version_of_the_changelog():
    citation = yaml.safe_load(text_of(ROOT / "CITATION.cff"))
    assert citation["cff-version"] == "1.2.0"
    assert {"title", "message", "authors"} <= set(citation)
    assert citation["version"] == dsa.__version__
    released = f"## {citation['version']} ({citation['date-released']})"
    assert released in text_of(ROOT / "CHANGELOG.md").splitlines()


def test_the_citation_names_every_paper_that_the_readme_or_the_models_link_to():
    citation = yaml.safe_load(text_of(ROOT / "CITATION.cff"))
    cited = [reference["url"] for reference in citation["references"]]
    pages = text_of(README) + text_of(ROOT / "docs/models.md")
    linked = re.findall(r"https://arxiv\.org/abs/[\d.]+\d", pages)
    assert cited == linked and len(cited) >= 4


@pytest.mark.slow
def test_the_six_lines_of_the_readme_run(tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "configs/mini", tmp_path / "configs/mini")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DSA_DATA", os.fspath(ROOT / "data"))
    (code,) = code_of(text_of(README), "python")
    assert "training.epochs=1" in code
    exec(code.replace("training.epochs=1", "training.steps=2"), {})
    assert "entailment" in capsys.readouterr().out
