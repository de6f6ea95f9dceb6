# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The examples of docs/python.md give what the page says."""
import doctest
import os
import sys

failed, tried = doctest.testfile(os.path.join(os.environ["BELAY_SOURCE"], "docs", "python.md"), module_relative=False)
print(f"{tried} examples, {failed} wrong")
sys.exit(1 if failed or tried < 20 else 0)
