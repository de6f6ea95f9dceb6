# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-024 aclnnIndexSelect, DC-023 aclnnMatmul
"""An index out of range and shapes that do not fit: exceptions with Belay's sentences, and the program goes on."""
import torch

a = torch.ones(2, 3, device="npu")


def expect(words, function):
    try:
        function()
        torch.npu.synchronize()
    except RuntimeError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"no error with '{words}'")


expect("index holds 7 at [1]", lambda: a.index_select(0, torch.tensor([0, 7], device="npu")))
expect("aclnnMatmul", lambda: a @ torch.ones(2, 2, device="npu"))
expect("must match", lambda: a + torch.ones(4, device="npu"))
assert (a + 1).cpu().sum().item() == 12
