# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The documents as a site: scripts/site.sh. The pages are those of the tree, as a forge shows them, and the headers that
they lead to; nothing is written for the site alone but the order of its pages, which is below."""
import pathlib
import re
import shutil
import subprocess
import sys

from docutils import nodes
from pygments.lexers.c_cpp import CLexer
from sphinx.parsers import Parser
from sphinx.search.en import SearchEnglish

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tables  # pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAVIGATION = {
    "Start": ["start-pytorch", "start-cpp", "start-ci", "ci", "start-operators"],
    "Use": ["pytorch", "profiler", "distributed", "python", "llama", "vllm", "mindspore", "kernels", "operator-projects",
            "ascendc-names", "triton", "triton-language", "environment", "faults", "npu-smi", "building", "troubleshooting"],
    "Find mistakes": ["checker", "checker-rules", "checker-memory", "checker-races", "checker-values", "checker-leaks",
                      "checker-kernels", "trace"],
    "What it computes": ["operators", "operators-by-name", "torch-npu-operators", "accuracy", "accuracy-sums", "conformance", "performance", "performance-pytorch",
                         "compatibility", "compatibility-operators", "compatibility-families", "compatibility-dtypes",
                         "refusals"],
    "How it is made": ["design", "design-layers", "design-collectives", "adding-an-operator", "reliability", "releasing"],
}
IN_THE_ROOT = ["CHANGELOG", "CONTRIBUTING", "findings/README", "SECURITY"]

project = "Belay"
author = "The Belay authors"
version = release = re.search(r'__version__ = "(.*)"', (ROOT / "python/acl/__init__.py").read_text())[1]
# Sources between releases say so, as the command does.
tags = subprocess.run(["git", "tag", "--points-at", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
html_title = f"Belay {version}" if f"v{version}" in tags.split() else f"Belay {version}.dev0"
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["belay.css"]
html_js_files = [("belay.js", {"defer": "defer"})]
html_search_scorer = str(pathlib.Path(__file__).with_name("scorer.js"))
html_use_index = False
html_copy_source = False
html_show_copyright = html_show_sphinx = False
extensions = ["myst_parser", "sphinx_copybutton"]
# Of a console's block the commands are copied, without their prompts and what they print.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos"
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "findings/*.md", "include/**.h", "examples/**.h"]
source_suffix = {".md": "markdown", ".h": "header"}
myst_heading_anchors = 3
# Parts of programs, with "..." in them, are no C that a lexer knows.
suppress_warnings = ["misc.highlighting_failure"]


class Header(Parser):
    """A header as a page: its name, and its text as it is."""

    supported = ("header",)

    def parse(self, inputstring, document):
        path = pathlib.Path(document["source"]).relative_to(ROOT)
        section = nodes.section(ids=["header"])
        section += nodes.title(text=str(path).removeprefix("include/"))
        section += nodes.literal_block(inputstring, inputstring, language="c")
        document += section
        env = document.settings.env
        env.metadata[env.docname]["orphan"] = ""


class EnglishWithNumbers(SearchEnglish):
    """What is searched for: status codes, too, which Sphinx leaves out of the index as numbers. static/belay.js does not
    leave them out of the question."""

    def word_filter(self, word):
        return word not in self.stopwords


def name_pages(app, doctree, docname):
    """A link that shows the name of a file, as a forge needs it, shows the page's title."""
    for link in doctree.findall(nodes.reference):
        target = re.fullmatch(r"([\w/-]+)\.html(?:#.*)?", link.get("refuri", ""))
        if target and re.fullmatch(r"([\w/-]+)\.md", link.astext()):
            page = (pathlib.PurePosixPath(docname).parent / target[1]).as_posix()
            title = app.env.titles.get(page)
            if title is not None:
                link.clear()
                link += nodes.inline(text=title.astext())


def add_navigation(app, docname, source):
    """Which pages there are stands behind the first page, where a forge would show it."""
    if docname != root_doc:
        return
    listed = set()
    for caption, pages in [*((caption, [f"docs/{page}" for page in pages]) for caption, pages in NAVIGATION.items()),
                           ("The project", IN_THE_ROOT)]:
        there = [page for page in pages if page in app.env.found_docs]
        listed |= set(there)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(there) + "\n```\n"
    # A page that nobody has given a place is not lost.
    rest = sorted(page for page in app.env.found_docs if page.startswith("docs/") and page not in listed)
    if rest:
        source[0] += "\n```{toctree}\n:hidden:\n:caption: More\n\n" + "\n".join(rest) + "\n```\n"


def make_first_page(app, exception):
    if exception is None and app.builder.format == "html":
        shutil.copyfile(f"{app.outdir}/{root_doc}.html", f"{app.outdir}/index.html")


def setup(app):
    app.add_source_parser(Header)
    app.add_lexer("h", CLexer)
    app.add_search_language(EnglishWithNumbers)
    app.add_transform(tables.Rows)
    app.connect("source-read", add_navigation)
    app.connect("doctree-resolved", name_pages)
    app.connect("build-finished", make_first_page)
