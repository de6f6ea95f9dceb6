/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnScaleAdd behind PyTorch: as torch.ops.belay_example.scale_add, with its shape for tensors without memory, and by
 * pybind.
 */
#include <torch/extension.h>

#include "aclnn_call.h"

static at::Tensor scale_add(const at::Tensor &x, const at::Tensor &y, double scale)
{
    at::Tensor z = at::empty_like(x, x.options(), at::MemoryFormat::Contiguous);
    ACLNN_CALL(aclnnScaleAdd, x, y, scale, z);
    return z;
}

static at::Tensor scale_add_shape(const at::Tensor &x, const at::Tensor &, double)
{
    return at::empty_like(x);
}

TORCH_LIBRARY(belay_example, library)
{
    library.def("scale_add(Tensor x, Tensor y, float scale=1.0) -> Tensor");
}

TORCH_LIBRARY_IMPL(belay_example, PrivateUse1, library)
{
    library.impl("scale_add", &scale_add);
}

TORCH_LIBRARY_IMPL(belay_example, Meta, library)
{
    library.impl("scale_add", &scale_add_shape);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module)
{
    module.def("scale_add", &scale_add, "x * scale + y");
}
