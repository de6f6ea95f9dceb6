#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# docs/checker-examples.md has the reports of the planted mistakes as they are printed.
#
#   page.sh SOURCE BUILD
python=$(sh "$1/tests/python/interpreter.sh")
[ -n "$python" ] || exit 77
exec "$python" -B "$1/scripts/checker_table.py" "$2" --compare
