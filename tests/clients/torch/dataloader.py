# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A loader of data with processes of its own and pinned memory."""
import torch
from torch.utils.data import DataLoader, TensorDataset

if __name__ == "__main__":
    data = torch.arange(4000, dtype=torch.float32).reshape(1000, 4)
    torch.ones(1).npu()
    for workers in (0, 2):
        loader = DataLoader(TensorDataset(data), batch_size=50, num_workers=workers, pin_memory=True,
                            multiprocessing_context="spawn" if workers else None)
        rows = [batch.npu(non_blocking=True) + 1 for (batch,) in loader]
        assert torch.equal(torch.cat([row.cpu() for row in rows]), data + 1)
