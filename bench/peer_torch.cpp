// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// PyTorch through its C++ API, on tensors over the benchmark's memory, in inference mode: the least overhead
// that it offers. hardswish_backward has no variant that computes into a given tensor, so that one allocates.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include "peer.h"

namespace
{

struct Prepared {
    operation kind;
    at::Tensor gradient, self, target, out;
    at::Scalar slope{NEGATIVE_SLOPE};
};

at::Tensor tensor_on(const workload *work, operand which)
{
    static const at::ScalarType types[DTYPES] = {at::kFloat, at::kHalf, at::kBFloat16, at::kDouble};
    const view &shape = work->view[which];
    char *first = static_cast<char *>(work->memory[which]) + shape.offset * dtype_bytes(work->dtype);
    return at::from_blob(first, at::IntArrayRef(shape.shape, static_cast<size_t>(shape.rank)),
                         at::IntArrayRef(shape.stride, static_cast<size_t>(shape.rank)),
                         at::TensorOptions().dtype(types[work->dtype]));
}

void call(Prepared &prepared)
{
    switch (prepared.kind) {
    case SILU:
        at::silu_backward_out(prepared.out, prepared.gradient, prepared.self);
        break;
    case HARDSWISH:
        at::hardswish_backward(prepared.gradient, prepared.self);
        break;
    case LEAKY_RELU:
        at::leaky_relu_backward_out(prepared.out, prepared.gradient, prepared.self, prepared.slope, false);
        break;
    default:
        at::smooth_l1_loss_backward_out(prepared.out, prepared.gradient, prepared.self, prepared.target,
                                        at::Reduction::None, BETA);
        break;
    }
}

void set_threads(int threads)
{
    at::set_num_threads(threads);
}

void *prepare(const workload *work)
{
    c10::InferenceMode inference;
    auto *prepared = new Prepared;
    try {
        prepared->kind = work->operation;
        prepared->gradient = tensor_on(work, GRADIENT);
        prepared->self = tensor_on(work, SELF);
        if (work->operation == SMOOTH_L1)
            prepared->target = tensor_on(work, TARGET);
        prepared->out = tensor_on(work, OUT);
        call(*prepared);
        return prepared;
    } catch (const std::exception &) {
        delete prepared;
        return nullptr;
    }
}

void run(void *bytes, uint64_t repetitions)
{
    c10::InferenceMode inference;
    auto *prepared = static_cast<Prepared *>(bytes);
    for (uint64_t i = 0; i < repetitions; i++)
        call(*prepared);
}

void release(void *prepared)
{
    delete static_cast<Prepared *>(prepared);
}

} // namespace

extern "C" __attribute__((visibility("default"))) const struct peer *bench_peer(void)
{
    static const peer torch = {"torch", TORCH_VERSION, set_threads, prepare, run, release};
    return &torch;
}
