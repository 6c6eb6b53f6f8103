"""Hooks of `mkdocs build`: what a page of `docs/` needs to be a page of the site.

On GitHub a page links to files of the repository, has marks of generated tables, and
formulas between dollars. On the site these links are absolute, pictures from outside
`docs/` are copied, `<!-- api: NAME -->` is replaced by the docstrings of that name, and
formulas are MathML, which browsers draw without a script.
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
API = re.compile(r"^<!-- api: (\S+) -->$", re.M)
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.S)
FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)


def on_files(files, config):
    """Adds the files of the site that are outside of `docs/`: the pictures that pages
    show, and the model and the runtime of the live demonstration."""
    for path in sorted(DEMO.glob("*.*")):
        uri = f"demo/{path.name}"
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    for page in files.documentation_pages():
        for target in TARGET.findall(page.content_string):
            path = resolve(target, page)
            if is_picture(path) and files.get_file_from_path(path) is None:
                picture = ROOT / path
                files.append(File.generated(config, path, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown, page, config, files):
    """The page with links and marks of the site; code in fences stays."""
    return "".join(
        part if part.startswith("```") else rewrite(part, page.file)
        for part in FENCE.split(markdown)
    )


def rewrite(text, page):
    """A text without code, as the site needs it."""
    text = API.sub(r"::: \1", MARK.sub("\n", text))
    return TARGET.sub(lambda target: address(target[1], page), text)


def address(target, page):
    """Where the site finds a file that a page names relative to itself."""
    path = resolve(target, page)
    if not (ROOT / path).exists():
        return target  # which is an error of a strict build
    if is_picture(path):
        return posixpath.relpath(path, posixpath.dirname(page.src_uri) or ".")
    kind = "tree" if (ROOT / path).is_dir() else "blob"
    return f"{REPOSITORY}/{kind}/main/{path}"


def resolve(target, page):
    """A file's path from the root of the repository."""
    folder = posixpath.join("docs", posixpath.dirname(page.src_uri))
    return posixpath.normpath(posixpath.join(folder, target))


def is_picture(path):
    return path.endswith((".png", ".svg"))


def on_page_content(content, page, config, files):
    """The page with its formulas as MathML."""
    return FORMULA.sub(draw_formula, content)


def draw_formula(formula):
    display = "block" if formula[1] == "div" else "inline"
    return latex2mathml.converter.convert(html.unescape(formula[2]), display=display)
