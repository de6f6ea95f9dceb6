// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// PyTorch's products of matrices, through its C++ API, in inference mode and into a given tensor.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "peer_contraction.h"

namespace
{

struct prepared {
    at::Tensor left, right, bias, out;
    bool is_layer, is_batch;
};

void *create(const product *product, void *left, void *right, void *bias)
{
    c10::InferenceMode guard;
    const int64_t m = int64_t(product->rows), n = int64_t(product->columns), k = int64_t(product->depth);
    const auto dtype = product->dtype == ACL_FLOAT     ? at::kFloat
                       : product->dtype == ACL_FLOAT16 ? at::kHalf
                                                       : at::kBFloat16;
    const auto options = at::TensorOptions().dtype(dtype);
    if (product->batch > 1) {
        const int64_t b = int64_t(product->batch);
        return new prepared{at::from_blob(left, {b, m, k}, options),
                            at::from_blob(right, {b, k, n}, options),
                            {},
                            at::empty({b, m, n}, options),
                            false,
                            true};
    }
    return new prepared{at::from_blob(left, {m, k}, options),
                        product->is_layer ? at::from_blob(right, {n, k}, options).t()
                                          : at::from_blob(right, {k, n}, options),
                        at::from_blob(bias, {n}, options),
                        at::empty({m, n}, options),
                        product->is_layer,
                        false};
}

void run(void *argument)
{
    c10::InferenceMode guard;
    auto *call = static_cast<prepared *>(argument);
    if (call->is_batch)
        at::bmm_out(call->out, call->left, call->right);
    else if (call->is_layer)
        at::addmm_out(call->out, call->bias, call->left, call->right);
    else
        at::mm_out(call->out, call->left, call->right);
}

void destroy(void *argument)
{
    delete static_cast<prepared *>(argument);
}

} // namespace

extern const struct peer_contraction peer_contraction = {"PyTorch", at::set_num_threads, create, run,
                                                         destroy};
