#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Tries what scripts/release.sh made, in a minimal Debian of its own (scripts/minimal_debian.sh) that holds nothing of
# this tree but the tests: the wheels by pip, the packages by apt, programs on both, and that removing them leaves
# nothing. The steps are those of tests/install/artefacts.sh. Needs root, the network, and 2 GB in TMPDIR (/tmp).
#
#   scripts/test_artefacts.sh FOLDER             what is in this folder
#   scripts/test_artefacts.sh --torch FOLDER     PyTorch with its torch_npu too: 8 GB more
#   BELAY_SAMPLES=DOCUMENTS                      documents whose sample programs are built and run (../shared/seeds)
set -euo pipefail
torch=
[ "${1-}" != --torch ] || { torch=torch && shift; }
[[ $# -eq 1 && -e $1/SHA256SUMS ]] || { sed -n '5,12s/^# \{0,1\}//p' "$0"; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "test_artefacts.sh: only root may change the root folder" >&2; exit 2; }
artefacts=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
scripts/install-packages.sh scripts/packages-release.txt
samples=${BELAY_SAMPLES-../shared/seeds}
run=$(mktemp -d)/system
trap 'scripts/minimal_debian.sh remove "$(dirname "$run")"' EXIT
scripts/minimal_debian.sh make "$run"
mkdir "$run/given"
cp -a "$artefacts" "$run/given/artefacts"
cp tests/install/artefacts.sh debian/tests/smoke tests/programs/run_samples.sh "$run/given/"
[ ! -d "$samples" ] || cp -rL "$samples" "$run/given/samples"
mapfile -t pip < <(env | grep -E '^PIP_(CERT|INDEX_URL|DEFAULT_TIMEOUT)=')
scripts/minimal_debian.sh run "$run" ${pip[@]+"${pip[@]}"} bash /given/artefacts.sh $torch
