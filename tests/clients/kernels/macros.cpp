/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnScaleAdd, the operator of a project, behind PyTorch by EXEC_NPU_CMD, the macro of a header that public extension
 * projects carry with them; this one is vllm-ascend's.
 */
#include <torch/extension.h>

#include "op_api_common.h"

static at::Tensor scale_add(const at::Tensor &x, const at::Tensor &y, double scale)
{
    at::Tensor z = at::empty_like(x, x.options(), at::MemoryFormat::Contiguous);
    EXEC_NPU_CMD(aclnnScaleAdd, x, y, scale, z);
    return z;
}

TORCH_LIBRARY(belay_macros, library)
{
    library.def("scale_add(Tensor x, Tensor y, float scale=1.0) -> Tensor");
}

TORCH_LIBRARY_IMPL(belay_macros, PrivateUse1, library)
{
    library.impl("scale_add", &scale_add);
}
