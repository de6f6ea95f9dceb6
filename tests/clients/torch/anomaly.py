# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-022 aclnnSqrt
"""A loss that is not a number, under anomaly detection: autograd names the function whose gradient it is."""
import torch

x = torch.tensor([4.0, -1.0], device="npu", requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    try:
        (x.sqrt() * 2).sum().backward()
    except RuntimeError as error:
        assert "SqrtBackward0" in str(error) and "nan" in str(error), error
    else:
        raise AssertionError("a gradient that is not a number goes unnoticed")
(x[:1].sqrt() * 2).sum().backward()
assert x.grad.cpu().tolist() == [0.5, 0.0]
