# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Operators by name."""
from entry import compiled, entry, equal
import torch
import torch.nn.functional as F
import torch_npu as N

torch.manual_seed(3)
A, B = torch.randn(2, 3, 4), torch.randn(2, 3)
IMAGE, KERNEL, BIAS = torch.randn(1, 2, 5, 5), torch.randn(3, 2, 3, 3), torch.randn(3)
BOX, OTHER = torch.tensor([[0.0, 0, 10, 10], [5, 5, 15, 15]]), torch.tensor([[0.0, 0, 10, 20], [0, 10, 10, 10]])
CALLS = {
    "npu_transpose": (lambda: N.npu_transpose(A.npu(), (2, 0, 1)), lambda: A.permute(2, 0, 1)),
    "npu_pad": (lambda: N.npu_pad(B.npu(), [1, 1, 0, 2]), lambda: F.pad(B, (0, 2, 1, 1))),
    "npu_slice": (lambda: N.npu_slice(B.npu(), [0, 1], [2, 2]), lambda: B[:, 1:]),
    "npu_indexing": (lambda: N.npu_indexing(B.npu(), [0, 0], [2, 3], [1, 2]), lambda: B[:, ::2]),
    "npu_one_hot": (lambda: N.npu_one_hot(torch.tensor([1, 0, 3]).int().npu(), depth=4), lambda: torch.eye(4)[[1, 0, 3]]),
    "npu_broadcast": (lambda: N.npu_broadcast(B.npu()[:1], (4, 3)), lambda: B[:1].expand(4, 3)),
    "npu_max": (lambda: N.npu_max(A.npu(), dim=1)[0], lambda: A.max(1)[0]),
    "npu_min": (lambda: N.npu_min(A.npu(), dim=1)[0], lambda: A.min(1)[0]),
    "npu_sort_v2": (lambda: N.npu_sort_v2(B.npu()), lambda: B.sort()[0]),
    "npu_silu": (lambda: N.npu_silu(B.npu()), lambda: F.silu(B)),
    "npu_mish": (lambda: N.npu_mish(B.npu()), lambda: F.mish(B)),
    "npu_bmmV2": (lambda: N.npu_bmmV2(A.npu(), A.mT.contiguous().npu(), []), lambda: A @ A.mT),
    "npu_conv2d": (lambda: N.npu_conv2d(IMAGE.npu(), KERNEL.npu(), BIAS.npu(), [1, 1], [1, 1], [1, 1], 1),
                   lambda: F.conv2d(IMAGE, KERNEL, BIAS, 1, 1)),
    "npu_convolution": (lambda: N.npu_convolution(IMAGE.npu(), KERNEL.npu(), BIAS.npu(), [2, 1], [1, 0], [1, 1], 1),
                        lambda: F.conv2d(IMAGE, KERNEL, BIAS, (2, 1), (1, 0))),
    "npu_layer_norm_eval": (lambda: N.npu_layer_norm_eval(B.npu(), [3], BIAS.npu(), BIAS.npu(), 1e-5),
                            lambda: F.layer_norm(B, (3,), BIAS, BIAS)),
    "npu_scaled_masked_softmax": (
        lambda: N.npu_scaled_masked_softmax(torch.ones(1, 1, 32, 32).half().npu(), torch.zeros(1, 1, 32, 32).bool().npu(), 0.5, False),
        lambda: torch.full((1, 1, 32, 32), 1 / 32).half()),
    "npu_iou": (lambda: N.npu_iou(BOX.npu(), OTHER.npu(), 0)[:1], lambda: torch.tensor([[0.5, 0.2]])),
    "npu_ptiou": (lambda: N.npu_ptiou(BOX.npu(), OTHER.npu(), 0)[:1], lambda: torch.tensor([[0.5, 0.2]])),
    "npu_giou": (lambda: N.npu_giou(*[torch.tensor([[5.0], [5], [10], [10]]).npu()] * 2, trans=True, is_cross=False, mode=0).flatten(),
                 lambda: torch.ones(1)),
    "npu_diou": (lambda: N.npu_diou(*[torch.tensor([[5.0], [5], [10], [10]]).npu()] * 2, trans=True, is_cross=False, mode=0).flatten(),
                 lambda: torch.ones(1)),
    "npu_nms_v4": (lambda: N.npu_nms_v4(BOX.npu(), torch.tensor([0.1, 0.9]).npu(), 2, torch.tensor(0.5).npu(), torch.tensor(0.0).npu())[0],
                   lambda: torch.tensor([1, 0])),
    "npu_nms_with_mask": (lambda: N.npu_nms_with_mask(F.pad(BOX, (0, 4)).npu(), 0.5)[2], lambda: torch.tensor([1, 1])),
    "npu_confusion_transpose": (lambda: N.npu_confusion_transpose(A.npu(), [0, 2, 1], (2, 12), True), lambda: A.mT.reshape(2, 12)),
    "npu_alloc_float_status": (lambda: N.npu_alloc_float_status(B.npu()), lambda: torch.zeros(8)),
    "npu_apply_adam": (lambda: N.npu_apply_adam(0.9, 0.99, 0.01, 0.9, 0.99, 1e-8, B.npu(), False, False,
                                                out=(B.npu(), B.npu(), B.abs().npu()))[1], lambda: B),
    "npu_apply_adam_w": (lambda: N.npu_apply_adam_w(0.9, 0.99, 0.01, 0.1, 0.9, 0.99, 1e-8, B.npu(), None, False, False,
                                                    out=(B.npu(), B.npu(), B.abs().npu()))[1], lambda: B),
    "npu_stride_add": (lambda: N.npu_stride_add(*[torch.ones(1, 1, 1, 1, 1).npu()] * 2, 0, 0, 1).flatten()[:1], lambda: torch.tensor([2.0])),
    "npu_sign_bits_unpack": (lambda: N.npu_sign_bits_unpack(torch.tensor([159], dtype=torch.uint8).npu(), 1, torch.float32),
                             lambda: torch.tensor([[1.0, 1, 1, 1, 1, -1, -1, 1]])),
}


@entry("5 torch_npu", "28 functions of torch_npu that go by a kind's name, each")
def functions():
    wrong = []
    for name, (found, wanted) in CALLS.items():
        try:
            equal(found(), wanted(), 2e-3)
        except (AssertionError, RuntimeError) as error:
            wrong.append(f"{name} {type(error).__name__}")
            break
    assert not wrong, wrong


@entry("5 FusedAdam", "the step that DeepSpeed's Adam takes")
def adam():
    found = N.npu_apply_adam_w(0.9, 0.99, 0.01, 0.1, 0.9, 0.99, 1e-8, B.npu(), None, False, False, out=(B.npu(), B.npu(), B.abs().npu()))
    v = B.abs() + 0.01 * (B * B - B.abs())
    wanted = B * (1 - 0.01 * 0.1) - 0.01 / (1 - 0.81) * B / ((v / (1 - 0.9801)).sqrt() + 1e-8), B, v
    for one, other in zip(found, wanted):
        equal(one, other, 1e-6)


PROGRAM = """
#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include <stdio.h>
int main(void)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, c[4] = {0};
    int64_t dim = 4;
    void *memory[3];
    aclTensorDesc *description[3];
    aclDataBuffer *buffer[3];
    aclrtStream stream;
    aclInit(NULL);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    for (int i = 0; i < 3; i++) {
        aclrtMalloc(&memory[i], sizeof a, ACL_MEM_MALLOC_HUGE_FIRST);
        description[i] = aclCreateTensorDesc(ACL_FLOAT, 1, &dim, ACL_FORMAT_ND);
        buffer[i] = aclCreateDataBuffer(memory[i], sizeof a);
    }
    aclrtMemcpy(memory[0], sizeof a, a, sizeof a, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(memory[1], sizeof b, b, sizeof b, ACL_MEMCPY_HOST_TO_DEVICE);
    aclopAttr *attributes = aclopCreateAttr();
    CALL
    int waited = aclrtSynchronizeStream(stream);
    aclrtMemcpy(c, sizeof c, memory[2], sizeof c, ACL_MEMCPY_DEVICE_TO_HOST);
    const char *said = aclGetRecentErrMsg();
    printf("%d %d %g %g %s", status, waited, c[0], c[3], said ? said : "");
    return 0;
}
"""
OPERATOR = """const char *kind = "%s";
    int status = %s(kind, 2, (const aclTensorDesc *const *)description, (const aclDataBuffer *const *)buffer, 1,
                    (const aclTensorDesc *const *)(description + 2), buffer + 2, attributes%s stream);"""


def by_name(kind, function, rest):
    call = OPERATOR % (kind, function, rest)
    if function.endswith("V2"):
        call = call.replace("(const aclTensorDesc *const *)", "").replace("(const aclDataBuffer *const *)", "")
    return compiled(PROGRAM.replace("CALL", call), "ascendcl", "acl_op_compiler")


@entry("5 aclopCompileAndExecute", "Add and Mul, in C")
def compiled_ones():
    rest = ", ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL,"
    assert by_name("Add", "aclopCompileAndExecute", rest).startswith("0 0 11 44")
    assert by_name("Mul", "aclopCompileAndExecute", rest).startswith("0 0 10 160")


@entry("5 aclopExecuteV2", "Add, in C")
def executed():
    assert by_name("Add", "aclopExecuteV2", ",").startswith("0 0 11 44")


@entry("5 aclopCast", "and a handle for it, in C")
def cast():
    call = """description[2] = aclCreateTensorDesc(ACL_INT32, 1, &dim, ACL_FORMAT_ND);
    aclopHandle *handle = NULL;
    int status = aclopCast(description[0], buffer[0], description[2], buffer[2], 0, stream);
    status += aclopCreateHandleForCast(description[2], description[0], 0, &handle);
    status += aclopExecWithHandle(handle, 1, (const aclDataBuffer *const *)(buffer + 2), 1, buffer + 2, stream);"""
    assert compiled(PROGRAM.replace("CALL", call), "ascendcl", "acl_op_compiler").startswith("0 0 1 4")


@entry("5 nearest", "a kind that is missing is told with the nearest ones")
def nearest():
    text = by_name("AddX", "aclopCompileAndExecute", ", ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL,")
    assert "AddX" in text and "AddN" in text, text
