# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-024 aclnnLinalgCholesky
"""A matrix that is not positive-definite: the exception says which, and the program goes on."""
import torch

matrices = torch.eye(3).repeat(4, 1, 1)
matrices[2, 1, 1] = -1
try:
    torch.linalg.cholesky(matrices.npu())
    torch.npu.synchronize()
except RuntimeError as error:
    assert "matrix 2 of self, of 4, is not positive-definite: its leading minor of order 2" in str(error), error
else:
    raise AssertionError("there is a triangle of a matrix that has none")
assert (torch.linalg.cholesky(4 * torch.eye(3).npu()).cpu() == 2 * torch.eye(3)).all()
