# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Long tables of the site: each row can be linked and found by the name that it begins with, and is not wider than a
window. static/belay.js puts a field above such a table that leaves only the rows with a word."""
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

LONG = 40
# The columns of docs/operators.md that a reader needs at hand; the others are shown with them, or when asked for.
OPERATORS = ("function", "family", "what it computes", "PyTorch", "arguments and their dtypes", "accuracy",
             "what stands behind it")


def note(label, entry):
    """The text of a cell as a paragraph of its own, behind a label; nothing where the cell is empty."""
    if not entry.astext().strip():
        return []
    paragraph = nodes.paragraph("", "", nodes.inline(text=label, classes=["label"]), nodes.Text(" "), classes=["note"])
    paragraph += [child.deepcopy() for part in entry.children for child in part.children]
    return [paragraph]


def narrow(row):
    """A row of operators in three columns instead of seven."""
    function, family, computes, pytorch, arguments, accuracy, behind = row.children
    function += note("", family)
    computes += note("PyTorch:", pytorch)
    if arguments.astext().strip():
        computes += nodes.raw("", "<details><summary>arguments and dtypes</summary>", format="html")
        # A line for each argument or group of them.
        computes += note("", arguments)
        computes += nodes.raw("", "</details>", format="html")
    accuracy += note("", behind)
    row.children = []
    row += [function, computes, accuracy]


class Rows(SphinxTransform):
    """Before Sphinx notes what can be found (its transform has 850)."""

    default_priority = 840

    def apply(self):
        for table in self.document.findall(nodes.table):
            group = table.next_node(nodes.tgroup)
            body, head = group.next_node(nodes.tbody), group.next_node(nodes.thead)
            if body is None or head is None or len(body) < LONG:
                continue
            table["classes"].append("long-table")
            titles = [entry.astext() for entry in head[0]]
            for row in body:
                self.name(row, row[3].astext() if len(row) > 3 and titles[3] == "PyTorch" else "")
            if tuple(titles) == OPERATORS:
                table["classes"].append("operators-table")
                for spec in list(group.findall(nodes.colspec))[3:]:
                    group.remove(spec)
                for spec, width in zip(group.findall(nodes.colspec), (25, 50, 25)):
                    spec["colwidth"] = width
                group["cols"] = 3
                head[0].children = [entry for i, entry in enumerate(head[0]) if i in (0, 2, 5)]
                for row in body:
                    narrow(row)

    def name(self, row, others):
        """An address for the row, and the names that lead there."""
        name = row[0].astext().strip()
        if not re.fullmatch(r"[A-Za-z_][\w.:]*", name):
            return
        identifier = name.replace("::", ".")
        if identifier in self.document.ids:
            return
        self.document.ids[identifier] = row
        row["ids"].append(identifier)
        row[0].insert(0, addnodes.index(entries=[("single", found, identifier, "main", None)
                                                 for found in [name, *re.findall(r"[\w.]*\w", others)]]))
