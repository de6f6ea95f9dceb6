// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// PyTorch through its C++ API, on tensors over the benchmark's memory, in inference mode: the least overhead
// that it offers. What has no variant that computes into a given tensor (hardswish_backward) allocates.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <string_view>
#include <torch/headeronly/version.h>
#include <vector>

#include "peer.h"

namespace
{

struct Prepared {
    at::Tensor in[3], out;
    at::Tensor other; // the first attribute as a tensor without axes: what PyTorch makes of a number
    const double *attribute;
    int64_t reduction;
    std::vector<int64_t> axes;
    std::vector<at::Tensor> list;
    void (*call)(Prepared &);
};

// A line per operator that has an equal here; those in place change in[0].
const struct {
    std::string_view api;
    void (*call)(Prepared &);
} calls[] = {
    {"aclnnSiluBackward", [](Prepared &p) { at::silu_backward_out(p.out, p.in[0], p.in[1]); }},
    {"aclnnHardswishBackward", [](Prepared &p) { at::hardswish_backward(p.in[0], p.in[1]); }},
    {"aclnnLeakyReluBackward",
     [](Prepared &p) { at::leaky_relu_backward_out(p.out, p.in[0], p.in[1], p.attribute[0], false); }},
    {"aclnnSmoothL1LossBackward",
     [](Prepared &p) {
         at::smooth_l1_loss_backward_out(p.out, p.in[0], p.in[1], p.in[2], p.reduction, p.attribute[1]);
     }},
    {"aclnnHardswishBackwardV2", [](Prepared &p) { at::hardswish_backward(p.in[0], p.in[1]); }},
    {"aclnnSwishBackward", [](Prepared &p) { at::silu_backward_out(p.out, p.in[0], p.in[1]); }},
    {"aclnnSmoothL1Loss",
     [](Prepared &p) {
         if (p.reduction == at::Reduction::None)
             at::smooth_l1_loss_out(p.out, p.in[0], p.in[1], p.reduction, p.attribute[1]);
         else // its variant with out resizes it to all elements on the way, which memory of others cannot be
             at::smooth_l1_loss(p.in[0], p.in[1], p.reduction, p.attribute[1]);
     }},
    {"aclnnThresholdBackward",
     [](Prepared &p) { at::threshold_backward_out(p.out, p.in[0], p.in[1], p.attribute[0]); }},
    {"aclnnSigmoidBackward", [](Prepared &p) { at::sigmoid_backward_out(p.out, p.in[0], p.in[1]); }},
    {"aclnnTanhBackward", [](Prepared &p) { at::tanh_backward_out(p.out, p.in[0], p.in[1]); }},
    {"aclnnGeluBackward", [](Prepared &p) { at::gelu_backward_out(p.out, p.in[0], p.in[1], "tanh"); }},
    {"aclnnHardswish", [](Prepared &p) { at::hardswish_out(p.out, p.in[0]); }},
    {"aclnnSilu", [](Prepared &p) { at::silu_out(p.out, p.in[0]); }},
    {"aclnnSwish", [](Prepared &p) { at::silu_out(p.out, p.in[0]); }},
    {"aclnnLeakyRelu", [](Prepared &p) { at::leaky_relu_out(p.out, p.in[0], p.attribute[0]); }},
    {"aclnnRelu", [](Prepared &p) { at::clamp_min_out(p.out, p.in[0], 0); }}, // which relu is
    {"aclnnSigmoid", [](Prepared &p) { at::sigmoid_out(p.out, p.in[0]); }},
    {"aclnnTanh", [](Prepared &p) { at::tanh_out(p.out, p.in[0]); }},
    {"aclnnGelu", [](Prepared &p) { at::gelu_out(p.out, p.in[0], "tanh"); }},
    {"aclnnInplaceHardswish", [](Prepared &p) { at::hardswish_(p.in[0]); }},
    {"aclnnInplaceLeakyRelu", [](Prepared &p) { at::leaky_relu_(p.in[0], p.attribute[0]); }},
    {"aclnnInplaceRelu", [](Prepared &p) { at::relu_(p.in[0]); }},
    {"aclnnInplaceSigmoid", [](Prepared &p) { at::sigmoid_(p.in[0]); }},
    {"aclnnInplaceTanh", [](Prepared &p) { at::tanh_(p.in[0]); }},
    {"aclnnCast", [](Prepared &p) { p.out.copy_(p.in[0]); }},
    {"aclnnInplaceCopy", [](Prepared &p) { p.out.copy_(p.in[0]); }},
    {"aclnnInplaceFillScalar", [](Prepared &p) { p.out.fill_(p.attribute[0]); }},
    {"aclnnInplaceZero", [](Prepared &p) { p.out.zero_(); }},
    {"aclnnInplaceOne", [](Prepared &p) { p.out.fill_(1); }},
    {"aclnnAdd", [](Prepared &p) { at::add_out(p.out, p.in[0], p.in[1], p.attribute[0]); }},
    {"aclnnSub", [](Prepared &p) { at::sub_out(p.out, p.in[0], p.in[1], p.attribute[0]); }},
    {"aclnnMul", [](Prepared &p) { at::mul_out(p.out, p.in[0], p.in[1]); }},
    {"aclnnDiv", [](Prepared &p) { at::div_out(p.out, p.in[0], p.in[1]); }},
    {"aclnnAdds", [](Prepared &p) { at::add_out(p.out, p.in[0], p.other, p.attribute[1]); }},
    {"aclnnSubs", [](Prepared &p) { at::sub_out(p.out, p.in[0], p.other, p.attribute[1]); }},
    {"aclnnMuls", [](Prepared &p) { at::mul_out(p.out, p.in[0], p.other); }},
    {"aclnnDivs", [](Prepared &p) { at::div_out(p.out, p.in[0], p.other); }},
    {"aclnnInplaceAdd", [](Prepared &p) { p.in[0].add_(p.in[1], p.attribute[0]); }},
    {"aclnnInplaceSub", [](Prepared &p) { p.in[0].sub_(p.in[1], p.attribute[0]); }},
    {"aclnnInplaceMul", [](Prepared &p) { p.in[0].mul_(p.in[1]); }},
    {"aclnnInplaceDiv", [](Prepared &p) { p.in[0].div_(p.in[1]); }},
    {"aclnnInplaceAdds", [](Prepared &p) { p.in[0].add_(p.other, p.attribute[1]); }},
    {"aclnnInplaceSubs", [](Prepared &p) { p.in[0].sub_(p.other, p.attribute[1]); }},
    {"aclnnInplaceMuls", [](Prepared &p) { p.in[0].mul_(p.other); }},
    {"aclnnInplaceDivs", [](Prepared &p) { p.in[0].div_(p.other); }},
    {"aclnnMm", [](Prepared &p) { at::mm_out(p.out, p.in[0], p.in[1]); }},
    {"aclnnBatchMatMul", [](Prepared &p) { at::bmm_out(p.out, p.in[0], p.in[1]); }},
    {"aclnnAddmm", [](Prepared &p) { at::addmm_out(p.out, p.in[0], p.in[1], p.in[2]); }},
    {"aclnnSoftmax", [](Prepared &p) { at::_softmax_out(p.out, p.in[0], int64_t(p.attribute[0]), false); }},
    {"aclnnLayerNorm",
     [](Prepared &p) { at::layer_norm(p.in[0], p.axes, p.in[1], p.in[2], p.attribute[1]); }},
    {"aclnnReduceSum", [](Prepared &p) { at::sum_out(p.out, p.in[0], p.axes); }},
    {"aclnnCat", [](Prepared &p) { at::cat_out(p.out, p.list, int64_t(p.attribute[0])); }},
    {"aclnnPermute", [](Prepared &p) { p.out.copy_(p.in[0].permute(p.axes)); }},
    {"aclnnIndexSelect",
     [](Prepared &p) { at::index_select_out(p.out, p.in[0], int64_t(p.attribute[0]), p.in[1]); }},
};

at::Tensor tensor_on(const workload *work, operand which)
{
    static const at::ScalarType types[DTYPES] = {at::kFloat, at::kHalf, at::kBFloat16, at::kDouble,
                                                 at::kInt,   at::kLong, at::kChar};
    const view &shape = work->view[which];
    char *first =
        static_cast<char *>(work->memory[which]) + shape.offset * workload_element_bytes(work, which);
    return at::from_blob(first, at::IntArrayRef(shape.shape, static_cast<size_t>(shape.rank)),
                         at::IntArrayRef(shape.stride, static_cast<size_t>(shape.rank)),
                         at::TensorOptions().dtype(types[workload_dtype(work, which)]));
}

void set_threads(int threads)
{
    at::set_num_threads(threads);
}

void *prepare(const workload *work)
{
    c10::InferenceMode inference;
    auto *prepared = new Prepared{};
    try {
        for (const auto &known : calls)
            if (known.api == work->subject->api)
                prepared->call = known.call;
        for (int i = 0; i < work->subject->inputs; i++) {
            prepared->in[i] = tensor_on(work, static_cast<operand>(i));
            prepared->list.push_back(prepared->in[i]);
        }
        prepared->axes.assign(work->axis, work->axis + work->axes);
        prepared->out = tensor_on(work, OUT);
        prepared->attribute = work->subject->attribute;
        prepared->other = at::scalar_tensor(work->subject->attribute[0], prepared->out.options());
        prepared->reduction = work->is_reduced ? at::Reduction::Mean : at::Reduction::None;
        if (prepared->call) {
            prepared->call(*prepared);
            return prepared;
        }
    } catch (const std::exception &) {
        // it has no such dtype
    }
    delete prepared;
    return nullptr;
}

void run(void *bytes, uint64_t repetitions)
{
    c10::InferenceMode inference;
    auto *prepared = static_cast<Prepared *>(bytes);
    for (uint64_t i = 0; i < repetitions; i++)
        prepared->call(*prepared);
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
