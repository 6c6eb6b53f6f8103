"""MkDocs hooks that convert the pages of `docs/` from GitHub to the site.

The hooks make links to files of the repository absolute, copy images from outside
`docs/`, remove the markers of generated tables, replace `<!-- api: NAME -->` by the
docstrings of NAME, and convert formulas to MathML, which browsers render without
scripts. They also remove the name of the site from titles, and rank the pages of
settings and of paper tables lower in searches.
"""

import html
import posixpath
import re
from pathlib import Path

import latex2mathml.converter
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "build/demo"  # made by `make docs`
SETUP = (ROOT / "setup.py").read_text(encoding="utf-8")
REPOSITORY = re.search(r'^REPOSITORY = "(.+?)"', SETUP, re.M)[1]
TARGET = re.compile(r"(?<=\]\()((?:\.\./)+[^)#\s]+)")
MARK = re.compile(r"^<!-- (?:table: .*?|end) -->\n", re.M)
SEARCH_BOOST = {"configuration.md": 0.5, "paper_tables.md": 0.5}
API = re.compile(r"^<!-- api: (\S+) -->$", re.M)
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.S)
FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)


def on_files(files, config):
    """Adds files from outside `docs/` to the site: images, and the model and runtime of
    the live demonstration."""
    for path in sorted(DEMO.glob("*.*")):
        uri = f"demo/{path.name}"
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    for page in files.documentation_pages():
        for target in TARGET.findall(page.content_string):
            path = resolve(target, page)
            if is_image(path) and files.get_file_from_path(path) is None:
                image = ROOT / path
                files.append(File.generated(config, path, abs_src_path=str(image)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Converts links and markers of a page, except in fenced code."""
    page.meta["search"] = {"boost": SEARCH_BOOST.get(page.file.src_uri, 1)}
    return "".join(
        part if part.startswith("```") else rewrite(part, page.file)
        for part in FENCE.split(markdown)
    )


def rewrite(text, page):
    """Converts the links and markers of a text without fenced code."""
    text = API.sub(r"::: \1", MARK.sub("\n", text))
    return TARGET.sub(lambda target: address(target[1], page), text)


def address(target, page):
    """Returns the link target on the site for a relative link in a page."""
    path = resolve(target, page)
    if not (ROOT / path).exists():
        return target  # reported as a dead link by the strict build
    if is_image(path):
        return posixpath.relpath(path, posixpath.dirname(page.src_uri) or ".")
    kind = "tree" if (ROOT / path).is_dir() else "blob"
    return f"{REPOSITORY}/{kind}/main/{path}"


def resolve(target, page):
    """Returns the path of a link target relative to the repository root."""
    folder = posixpath.join("docs", posixpath.dirname(page.src_uri))
    return posixpath.normpath(posixpath.join(folder, target))


def is_image(path):
    return path.endswith((".png", ".svg"))


def on_page_content(content, page, config, files):
    """Converts the formulas of a page to MathML."""
    return FORMULA.sub(to_mathml, content)


def on_post_page(output, page, config):
    """Removes the name of the site from the title of a page."""
    return output.replace(f" - {config.site_name}</title>", "</title>")


def to_mathml(formula):
    display = "block" if formula[1] == "div" else "inline"
    return latex2mathml.converter.convert(html.unescape(formula[2]), display=display)
