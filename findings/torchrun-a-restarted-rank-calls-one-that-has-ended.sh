#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torchrun --max-restarts starts all ranks anew when one has failed, and one would guess that they
# meet as if for the first time. Its store outlives them (TORCHELASTIC_USE_AGENT_STORE), and the
# keys by which gloo's ranks tell where they listen are the same at each start: a rank that comes
# to init_process_group before its peer reads the address of the peer that has ended, and fails with
# "Connection refused". Whether a restart works is a matter of which rank is quicker. Here rank 0
# takes ten seconds longer, as one that loads a checkpoint does.
# TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 makes a store for each start. Seen with torch 2.14.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -z "${FINDINGS_PYTHON-}" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install -q numpy==2.4.6 torch==2.14.0
    FINDINGS_PYTHON=$folder/venv/bin/python
fi
cd "$folder"
cat >again.py <<'PROGRAM'
import os
import sys
import time

import torch
import torch.distributed as dist

rank, start = int(os.environ["RANK"]), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
if start == 1 and rank == 0:
    print("torch", torch.__version__, flush=True)
    if os.environ["TORCHELASTIC_USE_AGENT_STORE"] == "True":
        store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False)
        print("what the store has at start 1:", store.list_keys(), flush=True)
    while not os.path.exists("rank 1 begins"):
        time.sleep(0.1)
    time.sleep(10)
elif start == 1:
    open("rank 1 begins", "w", encoding="utf-8").close()
dist.init_process_group("gloo")
dist.barrier()
print(f"start {start}: rank {rank} has met the other", flush=True)
if start == 0:
    sys.exit(1)
dist.destroy_process_group()
PROGRAM
for own in 0 1; do
    rm -f 'rank 1 begins'
    echo "TORCH_DISABLE_SHARE_RDZV_TCP_STORE=$own"
    TORCH_DEVICE_BACKEND_AUTOLOAD=0 TORCH_DISABLE_SHARE_RDZV_TCP_STORE=$own timeout 300 "$FINDINGS_PYTHON" \
        -m torch.distributed.run --standalone --nproc-per-node 2 --max-restarts 1 again.py >log.$own 2>&1 || true
    grep -E '^(torch|what|start)|^RuntimeError' log.$own
done
# With torchrun's own store the second start does not come about; with one for each start it does.
grep -q 'what the store has.*default_pg' log.0
grep -q 'connectFullMesh failed.*Connection refused' log.0
! grep -q '^start 1' log.0
[ "$(grep -c '^start 1: .* has met the other' log.1)" -eq 2 ]
