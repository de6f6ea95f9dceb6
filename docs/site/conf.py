# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The documents as a site: scripts/site.sh. The pages are those of the tree, as a forge shows them, and the headers that
they lead to; nothing is written for the site alone but the order of its pages, which is below."""
import pathlib
import re
import shutil

from docutils import nodes
from pygments.lexers.c_cpp import CLexer
from sphinx.parsers import Parser

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAVIGATION = {
    "Start": ["start-pytorch", "start-cpp", "start-ci", "ci", "start-operators"],
    "Use": ["pytorch", "profiler", "distributed", "python", "llama", "vllm", "mindspore", "kernels", "operator-projects",
            "ascendc-names", "triton", "triton-language", "environment", "faults", "npu-smi", "building", "troubleshooting"],
    "Find mistakes": ["checker", "checker-rules", "checker-memory", "checker-races", "checker-values", "checker-leaks",
                      "checker-kernels", "trace"],
    "What it computes": ["operators", "operators-by-name", "torch-npu-operators", "accuracy", "conformance", "performance",
                         "compatibility", "compatibility-operators", "compatibility-families", "compatibility-dtypes",
                         "refusals"],
    "How it is made": ["design", "design-layers", "design-collectives", "adding-an-operator", "reliability", "releasing"],
}
IN_THE_ROOT = ["CHANGELOG", "CONTRIBUTING", "SECURITY"]

project = "Belay"
author = "The Belay authors"
version = release = re.search(r'__version__ = "(.*)"', (ROOT / "python/acl/__init__.py").read_text())[1]
html_title = f"Belay {version}"
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["belay.css"]
html_copy_source = False
html_show_copyright = html_show_sphinx = False
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "include/**.h"]
source_suffix = {".md": "markdown", ".h": "header"}
myst_heading_anchors = 3
# Parts of programs, with "..." in them, are no C that a lexer knows.
suppress_warnings = ["misc.highlighting_failure"]


class Header(Parser):
    """A header as a page: its name, and its text as it is."""

    supported = ("header",)

    def parse(self, inputstring, document):
        path = pathlib.Path(document["source"]).relative_to(ROOT / "include")
        section = nodes.section(ids=["header"])
        section += nodes.title(text=str(path))
        section += nodes.literal_block(inputstring, inputstring, language="c")
        document += section
        env = document.settings.env
        env.metadata[env.docname]["orphan"] = ""


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
    app.connect("source-read", add_navigation)
    app.connect("build-finished", make_first_page)
