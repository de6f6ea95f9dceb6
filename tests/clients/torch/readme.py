# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The README's program prints what the README says."""
import contextlib
import io
import pathlib
import re

text = (pathlib.Path(__file__).parents[3] / "README.md").read_text()
program, expected = re.search(r"```python\n(.*?)```\n(?:\s|<!--.*?-->)*```text\n(.*?)```", text, re.S).groups()
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(compile(program, "README.md", "exec"))  # pylint: disable=exec-used
assert printed.getvalue() == expected, printed.getvalue()
