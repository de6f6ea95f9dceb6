#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Builds the documents as a site, with navigation and search. Any warning, such as a link that leads nowhere, is an error.
# What it needs (scripts/site.txt) is put into build/site-tools by pip where the Python in use (PYTHON) lacks it.
#
#   scripts/site.sh            into build/site: open build/site/index.html
#   scripts/site.sh FOLDER     into another folder
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")/../build/site}")
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
if ! $python -c 'import sphinx, myst_parser, furo, sphinx_copybutton' 2>/dev/null; then
    python=build/site-tools/bin/python
    $python -c 'import sphinx, myst_parser, furo, sphinx_copybutton' 2>/dev/null || {
        [ -z "${ONLY_IF_READY-}" ] || exit 77 # tests fetch nothing
        python3 -m venv build/site-tools
        $python -m pip install --quiet --requirement scripts/site.txt
    }
fi
$python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto -c docs/site -d "$folder-made" . "$folder"
echo "$folder/index.html"
