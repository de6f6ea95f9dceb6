// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Kernels with one mistake each, and what is said of it: those that a device does not survive end the kernel; those
// that are found under a check alone are reported. The same kernels, mended, are the other tests, which run under the
// check here, too, and are to be silent.
#include "ascendc_support.h"

#include "lib/matmul_intf.h"

#include <unistd.h>

using namespace AscendC;

namespace
{
/* Runs the mistake with standard error in a file, and looks for each part of the sentence. */
template <typename Kernel>
void expect(const char *name, uint32_t blocks, uint32_t kind, bool ends, std::vector<const char *> parts,
            int line, Kernel kernel)
{
    Memory x(std::vector<float>(256, 1)), y(std::vector<float>(256, 2));
    std::FILE *file = std::tmpfile();
    std::fflush(stderr);
    const int before = dup(2);
    dup2(fileno(file), 2);
    const int status = belay_kernel::run_here(name, kind, kernel, blocks)(x.gm(), y.gm());
    std::fflush(stderr);
    dup2(before, 2);
    close(before);
    std::rewind(file);
    std::string said;
    for (int c; (c = std::fgetc(file)) != EOF;)
        said += (char)c;
    std::fclose(file);
    bool is_found = (status != 0) == ends && said.find(name) != std::string::npos;
    for (const char *part : parts)
        is_found = is_found && said.find(part) != std::string::npos;
    is_found = is_found && said.find("ascendc_mistakes.cpp:") != std::string::npos;
    if (!is_found) {
        std::fprintf(stderr, "%s:%d: %s: status %d; said: %s\n", __FILE__, line, name, status, said.c_str());
        Case::failures++;
    }
}

bool is_checked()
{
    return getenv("BELAY_CHECK") != nullptr;
}

/* A mistake that always ends the kernel, in a kernel of vectors with one block. */
#define ENDS(name, ...)                                                                        \
    struct name##_kernel {                                                                     \
        void operator()(GM_ADDR gx, GM_ADDR gy) const;                                         \
    };                                                                                         \
    TEST(name)                                                                                 \
    {                                                                                          \
        expect(#name, 1, BELAY_KERNEL_VECTOR, true, {__VA_ARGS__}, __LINE__, name##_kernel()); \
    }                                                                                          \
    void name##_kernel::operator()([[maybe_unused]] GM_ADDR gx, [[maybe_unused]] GM_ADDR gy) const

/* One that a check reports. */
#define REPORTED(name, blocks, ...)                                                                      \
    struct name##_kernel {                                                                               \
        void operator()(GM_ADDR gx, GM_ADDR gy) const;                                                   \
    };                                                                                                   \
    TEST(name)                                                                                           \
    {                                                                                                    \
        if (is_checked())                                                                                \
            expect(#name, blocks, BELAY_KERNEL_VECTOR, false, {__VA_ARGS__}, __LINE__, name##_kernel()); \
    }                                                                                                    \
    void name##_kernel::operator()([[maybe_unused]] GM_ADDR gx, [[maybe_unused]] GM_ADDR gy) const

struct Ground {
    TPipe pipe;
    TBuf<> buffer, more;
    LocalTensor<float> a, b;
    GlobalTensor<float> x, y;

    Ground(GM_ADDR gx, GM_ADDR gy)
    {
        pipe.InitBuffer(buffer, 1024);
        pipe.InitBuffer(more, 1024);
        a = buffer.Get<float>();
        b = more.Get<float>();
        x.SetGlobalBuffer((__gm__ float *)gx, 256);
        y.SetGlobalBuffer((__gm__ float *)gy, 256);
    }
    void fill()
    {
        Duplicate(a, 1.0f, 256);
        Duplicate(b, 1.0f, 256);
        PipeBarrier<PIPE_ALL>();
    }
};

/* On-chip memory. */
ENDS(a_count_past_the_buffer, "Adds", "goes 32 bytes past the end of the buffer of 1024 bytes",
     "a smaller count")
{
    Ground g(gx, gy);
    g.fill();
    Adds(g.b, g.b, 1.0f, 264);
}

ENDS(repeats_past_the_buffer, "Add", "past the end of the buffer of 1024 bytes")
{
    Ground g(gx, gy);
    Add(g.a, g.a, g.a, 64, 5, {1, 1, 1, 8, 8, 8});
}

ENDS(strides_past_the_buffer, "Muls", "past the end of the buffer")
{
    Ground g(gx, gy);
    Muls(g.a, g.a, 2.0f, 64, 2, {3, 1, 16, 8});
}

ENDS(a_copy_past_the_buffer, "DataCopy", "goes 512 bytes past the end", "larger buffer from InitBuffer")
{
    Ground g(gx, gy);
    DataCopy(g.a[128], g.x, 256);
}

ENDS(padding_past_the_buffer, "DataCopyPad", "past the end of the buffer")
{
    Ground g(gx, gy);
    DataCopyPad(g.a[248], g.x, DataCopyExtParams{2, 4, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
}

ENDS(an_index_past_the_buffer, "LocalTensor::GetValue", "goes 4 bytes past the end")
{
    Ground g(gx, gy);
    g.a.GetValue(256);
}

ENDS(a_store_past_the_buffer, "LocalTensor::SetValue", "past the end")
{
    Ground g(gx, gy);
    g.a.SetValue(256, 1.0f);
}

ENDS(an_offset_before_the_buffer, "Duplicate", "begins 32 bytes before the buffer")
{
    Ground g(gx, gy);
    LocalTensor<float> before = g.b;
    before.SetAddr(-8);
    Duplicate(before, 1.0f, 8);
}

ENDS(more_than_ub_has, "InitBuffer", "asks for 196608 bytes of UB, of which 195584 are left of")
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 1024);
    pipe.InitBuffer(buffer, 196608);
}

ENDS(an_empty_buffer, "InitBuffer", "0 bytes")
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 0);
}

ENDS(a_buffer_that_was_never_made, "TBuf::Get", "TPipe::InitBuffer before it")
{
    TPipe pipe;
    TBuf<> buffer;
    buffer.Get<float>();
}

ENDS(a_tensor_without_a_buffer, "Add", "the tensor has no buffer")
{
    LocalTensor<float> none;
    Add(none, none, none, 8);
}

ENDS(a_gather_from_outside, "Gather", "past the end")
{
    Ground g(gx, gy);
    auto offsets = g.b.ReinterpretCast<uint32_t>();
    Duplicate(offsets, 1024, 8);
    Gather(g.a, g.a, offsets, 0, 8);
}

ENDS(a_pool_that_is_used_up, "TBufPool::InitBuffer", "of a pool that has 256 left of 512")
{
    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool;
    TBuf<> buffer;
    pipe.InitBufPool(pool, 512);
    pool.InitBuffer(buffer, 256);
    pool.InitBuffer(buffer, 512);
}

/* Alignment, blocks, repeats and masks. */
ENDS(an_offset_within_a_block, "Adds", "offset 4, which is no multiple of 32 bytes")
{
    Ground g(gx, gy);
    Adds(g.a[1], g.a, 1.0f, 8);
}

ENDS(a_copy_to_within_a_block, "DataCopy", "no multiple of 32")
{
    Ground g(gx, gy);
    DataCopy(g.a[4], g.x, 8);
}

ENDS(a_copy_of_no_whole_blocks, "DataCopy", "moves 40 bytes", "a device would move 32", "DataCopyPad")
{
    Ground g(gx, gy);
    DataCopy(g.a, g.x, 10);
}

ENDS(a_store_of_no_whole_blocks, "DataCopy", "moves 4 bytes", "DataCopyPad")
{
    Ground g(gx, gy);
    DataCopy(g.x, g.a, 1);
}

ENDS(more_than_255_repeats, "Muls", "300 repeats; 0 to 255 are expected")
{
    Ground g(gx, gy);
    Muls(g.a, g.a, 1.0f, 8, 300, {1, 1, 0, 0});
}

ENDS(a_mask_of_too_many_lanes, "Add", "a mask of 128 lanes; 1 to 64 are expected")
{
    Ground g(gx, gy);
    Add(g.a, g.a, g.a, 128, 1, {1, 1, 1, 8, 8, 8});
}

ENDS(a_pattern_that_there_is_not, "GatherMask", "pattern 8; 1 to 7")
{
    Ground g(gx, gy);
    uint64_t taken;
    GatherMask(g.a, g.b, 8, false, 0, {1, 1, 8, 0}, taken);
}

ENDS(padding_of_more_than_a_block, "DataCopyPad", "at most 32 bytes on either side")
{
    Ground g(gx, gy);
    DataCopyPad(g.a, g.x, DataCopyExtParams{1, 4, 0, 0, 0}, DataCopyPadExtParams<float>{true, 0, 9, 0});
}

ENDS(a_row_of_more_than_its_matrix_has, "SoftMax", "oriSrcK is 16; at most srcK, 8, is expected")
{
    Ground g(gx, gy);
    SoftMax(g.a, g.b, LocalTensor<uint8_t>(), 0, SoftMaxShapeInfo{2, 8, 2, 16});
}

ENDS(maxima_of_rows_before_past_their_buffer, "SoftmaxFlash", "32 bytes past the end")
{
    Ground g(gx, gy);
    SoftmaxFlash(g.a, g.a[64], g.a[96], g.b, g.a[128], g.b[64], g.b[248], 0, true, SoftMaxShapeInfo{2, 8});
}

ENDS(rows_of_no_known_shape, "SoftMax", "nothing says how many rows and columns there are", "SetShapeInfo")
{
    Ground g(gx, gy);
    SoftMax(g.a, g.b, LocalTensor<uint8_t>(), 0);
}

ENDS(more_of_a_row_than_there_is, "TopK", "k is 33; 1 to n, 32, is expected")
{
    Ground g(gx, gy);
    TopK(g.a, g.b.ReinterpretCast<int32_t>(), g.a, LocalTensor<int32_t>(), LocalTensor<bool>(), 33, 0,
         TopKInfo{1, 32, 32});
}

ENDS(a_row_of_results_past_its_buffer, "TopK", "64 bytes past the end")
{
    Ground g(gx, gy);
    TopK(g.a, g.b[240].ReinterpretCast<int32_t>(), g.a, LocalTensor<int32_t>(), LocalTensor<bool>(), 32, 0,
         TopKInfo{1, 32, 32});
}

ENDS(rows_that_are_no_whole_blocks, "CumSum", "36 bytes")
{
    Ground g(gx, gy);
    CumSum(g.a, g.b, g.a, CumSumInfo{2, 9});
}

ENDS(a_row_without_elements, "Mean", "rows of 32 elements of which 0 count")
{
    Ground g(gx, gy);
    Mean(g.a, g.b, MeanParams{1, 32, 0});
}

ENDS(a_mask_shorter_than_its_rows, "SelectWithBytesMask", "rows of 64 elements and of 32 of the mask")
{
    Ground g(gx, gy);
    SelectWithBytesMask(g.a, g.b, 1.0f, g.b.ReinterpretCast<uint8_t>(), LocalTensor<uint8_t>(),
                        SelectWithBytesMaskShapeInfo{1, 64, 32});
}

ENDS(a_block_beyond_the_image, "BilinearInterpolation", "past the end")
{
    Ground g(gx, gy);
    Duplicate(g.b, 0.0f, 128);
    auto offsets = g.b.ReinterpretCast<uint32_t>();
    offsets.SetValue(3, 1u << 20);
    BilinearInterpolation(g.a.ReinterpretCast<half>(), g.a.ReinterpretCast<half>(), offsets,
                          g.b.ReinterpretCast<half>(), 128, 1, false, 1, 128, 1, LocalTensor<uint8_t>());
}

/* Products. */
using Matrix = MatmulType<TPosition::GM, CubeFormat::ND, float>;

ENDS(a_product_without_a_tiling, "Matmul::IterateAll", "REGIST_MATMUL_OBJ or Init before it is expected")
{
    Ground g(gx, gy);
    Matmul<Matrix, Matrix, Matrix> product;
    product.IterateAll(g.x);
}

ENDS(a_tile_that_was_not_computed, "Matmul::GetTensorC", "an Iterate that returns true before it is expected")
{
    Ground g(gx, gy);
    TCubeTiling tiling;
    tiling.M = tiling.N = tiling.Ka = tiling.Kb = tiling.baseM = tiling.baseN = 16;
    tiling.singleCoreM = tiling.singleCoreN = tiling.singleCoreK = 16;
    Matmul<Matrix, Matrix, Matrix> product;
    product.Init(&tiling);
    product.GetTensorC(g.x);
}

ENDS(a_matrix_past_its_allocation, "Matmul::IterateAll", "past the end of an allocation of 1024 bytes")
{
    Ground g(gx, gy);
    TCubeTiling tiling;
    tiling.M = tiling.N = tiling.baseM = tiling.baseN = tiling.singleCoreM = tiling.singleCoreN = 16;
    tiling.Ka = tiling.Kb = tiling.singleCoreK = 17;
    Matmul<Matrix, Matrix, Matrix> product;
    product.Init(&tiling);
    product.SetTensorA(g.x);
    product.SetTensorB(g.x);
    product.IterateAll(g.y);
}

ENDS(a_product_without_tiles, "Matmul::Iterate", "in tiles of 0 by 0")
{
    Ground g(gx, gy);
    TCubeTiling tiling;
    tiling.singleCoreM = tiling.singleCoreN = tiling.singleCoreK = 16;
    Matmul<Matrix, Matrix, Matrix> product;
    product.Init(&tiling);
    (void)product.Iterate();
}

ENDS(an_image_smaller_than_its_filter, "LoadData", "a filter of 5 by 5")
{
    const uint8_t around[] = {1, 0, 0, 0};
    LocalTensor<half> image(TPosition::A1, 0, 256), to(TPosition::A2, 0, 256);
    LoadData(
        to, image,
        LoadData3DParamsV2<half>(around, 4, 4, 16, 16, 16, 0, 0, 1, 1, 5, 5, 1, 1, false, false, half(0)));
}

ENDS(a_part_of_a_fractal, "LoadData", "whole fractals of 16 by 16")
{
    const uint8_t around[] = {0, 0, 0, 0};
    LocalTensor<half> image(TPosition::A1, 0, 256), to(TPosition::A2, 0, 256);
    LoadData(
        to, image,
        LoadData3DParamsV2<half>(around, 4, 4, 16, 8, 16, 0, 0, 1, 1, 1, 1, 1, 1, false, false, half(0)));
}

ENDS(scales_that_nobody_named, "DataCopy", "SetFixPipeConfig before it is expected")
{
    Ground g(gx, gy);
    LocalTensor<int32_t> product(TPosition::CO1, 0, 256);
    GlobalTensor<half> out;
    out.SetGlobalBuffer((__gm__ half *)gx, 256);
    DataCopy(out, product, DataCopyCO12DstParams(16, 16, 16, 16, QuantMode_t::VDEQF16, 0, false, true));
}

/* Global memory. */
ENDS(a_read_past_the_allocation, "DataCopy", "reads 32 bytes past the end of an allocation of 1024 bytes")
{
    Ground g(gx, gy);
    DataCopy(g.a, g.x[200], 64);
}

ENDS(a_write_past_the_allocation, "DataCopyPad", "writes 4 bytes past the end of an allocation of 1024 bytes")
{
    Ground g(gx, gy);
    g.fill();
    DataCopyPad(g.x[255], g.a, DataCopyExtParams{1, 8, 0, 0, 0});
}

ENDS(an_address_that_is_no_memory, "DataCopy", "is in no live allocation of device memory")
{
    Ground g(gx, gy);
    g.x.SetGlobalBuffer((__gm__ float *)0x100000);
    DataCopy(g.a, g.x, 64);
}

ENDS(a_global_tensor_without_an_address, "DataCopy", "the GlobalTensor has no address")
{
    Ground g(gx, gy);
    GlobalTensor<float> none;
    DataCopy(g.a, none, 64);
}

ENDS(a_global_tensor_that_begins_at_null, "DataCopy", "the GlobalTensor has no address")
{
    Ground g(gx, gy);
    g.x.SetGlobalBuffer((__gm__ float *)nullptr);
    DataCopy(g.a, g.x[240], 64);
}

ENDS(a_value_past_the_allocation, "GlobalTensor::SetValue", "allocation of 1024 bytes")
{
    Ground g(gx, gy);
    g.x.SetValue(255, 1.0f);
    g.x.SetValue(256, 1.0f);
}

/* Queues. */
struct Queues {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in, other;
    GlobalTensor<float> x;

    explicit Queues(GM_ADDR gx)
    {
        pipe.InitBuffer(in, 2, 256);
        pipe.InitBuffer(other, 1, 256);
        x.SetGlobalBuffer((__gm__ float *)gx, 256);
    }
};

ENDS(tensors_that_are_never_freed, "AllocTensor", "all 2 buffers of the queue are taken", "FreeTensor")
{
    Queues q(gx);
    for (int i = 0; i < 3; i++) {
        auto t = q.in.AllocTensor<float>();
        DataCopy(t, q.x, 64);
        q.in.EnQue(t);
        q.in.DeQue<float>();
    }
}

ENDS(a_tensor_that_nobody_queued, "DeQue", "the queue is empty", "EnQue before it")
{
    Queues q(gx);
    q.in.AllocTensor<float>();
    q.in.DeQue<float>();
}

ENDS(a_tensor_of_another_queue_freed, "FreeTensor", "the tensor is not of this queue")
{
    Queues q(gx);
    auto t = q.in.AllocTensor<float>();
    q.other.FreeTensor(t);
}

ENDS(a_tensor_of_another_queue_queued, "EnQue", "the tensor is not of this queue")
{
    Queues q(gx);
    auto t = q.in.AllocTensor<float>();
    q.other.EnQue(t);
}

ENDS(a_tensor_queued_twice, "EnQue", "in the queue already")
{
    Queues q(gx);
    auto t = q.in.AllocTensor<float>();
    q.in.EnQue(t);
    q.in.EnQue(t);
}

ENDS(a_tensor_freed_twice, "FreeTensor", "free already")
{
    Queues q(gx);
    auto t = q.in.AllocTensor<float>();
    q.in.FreeTensor(t);
    q.in.FreeTensor(t);
}

ENDS(a_tensor_freed_in_the_queue, "FreeTensor", "still in the queue", "DeQue before it")
{
    Queues q(gx);
    auto t = q.in.AllocTensor<float>();
    q.in.EnQue(t);
    q.in.FreeTensor(t);
}

ENDS(a_queue_that_was_never_made, "AllocTensor", "the queue has no buffers", "TPipe::InitBuffer")
{
    TPipe pipe;
    TQue<QuePosition::VECOUT, 1> queue;
    queue.AllocTensor<float>();
}

ENDS(too_many_buffers, "InitBuffer", "40 buffers; 1 to 32 are expected")
{
    TPipe pipe;
    TQue<QuePosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 40, 32);
}

/* Flags and cores. */
ENDS(a_flag_that_nobody_sets, "WaitFlag", "event 2 of MTE2_V, which nothing has set",
     "SetFlag<HardEvent::MTE2_V>(2)")
{
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
}

ENDS(an_event_that_there_is_not, "SetFlag", "event 8; 0 to 7 are expected")
{
    SetFlag<HardEvent::MTE2_V>(8);
}

ENDS(events_that_are_used_up, "AllocEventID", "all 8 events of the pair of pipes are taken", "ReleaseEventID")
{
    TPipe pipe;
    for (int i = 0; i < 9; i++)
        pipe.AllocEventID<HardEvent::V_MTE3>();
}

ENDS(an_event_given_back_twice, "ReleaseEventID", "event 0 is not taken")
{
    TPipe pipe;
    const auto id = pipe.AllocEventID<HardEvent::V_MTE3>();
    pipe.ReleaseEventID<HardEvent::V_MTE3>(id);
    pipe.ReleaseEventID<HardEvent::V_MTE3>(id);
}

ENDS(a_flag_of_mixed_kernels_in_one_of_vectors, "CrossCoreSetFlag", "mode 2 in a kernel of one sort of core")
{
    CrossCoreSetFlag<2, PIPE_MTE3>(1);
}

ENDS(a_flag_of_cores_that_there_is_not, "CrossCoreSetFlag", "flag 16; 0 to 15 are expected")
{
    CrossCoreSetFlag<0, PIPE_MTE3>(16);
}

ENDS(an_assertion, "ASSERT", "gx == gy does not hold")
{
    ASSERT(gx == gy);
}

/* Found under a check. */
REPORTED(bytes_that_nothing_wrote, 1, "Adds", "which nothing has written",
         "a DataCopy or Duplicate before it")
{
    Ground g(gx, gy);
    DataCopy(g.a, g.x, 56);
    PipeBarrier<PIPE_ALL>();
    Adds(g.b, g.a, 1.0f, 64);
}

REPORTED(a_vector_that_does_not_wait_for_the_copy, 1, "Adds", "on pipe V reads what DataCopy",
         "on pipe MTE2 writes", "SetFlag and WaitFlag")
{
    Ground g(gx, gy);
    DataCopy(g.a, g.x, 64);
    Adds(g.b, g.a, 1.0f, 64);
}

REPORTED(a_copy_that_does_not_wait_for_the_vector, 1, "DataCopy", "on pipe MTE3 reads what Duplicate",
         "on pipe V writes")
{
    Ground g(gx, gy);
    Duplicate(g.a, 1.0f, 64);
    DataCopy(g.y, g.a, 64);
}

REPORTED(a_copy_that_overwrites_what_is_read, 1, "DataCopy", "on pipe MTE2 overwrites what Adds",
         "may still read")
{
    Ground g(gx, gy);
    g.fill();
    Adds(g.b, g.a, 1.0f, 64);
    DataCopy(g.a, g.x, 64);
}

REPORTED(a_copy_that_overwrites_what_is_stored, 1, "DataCopy", "on pipe MTE2 overwrites what DataCopy",
         "on pipe MTE3 may still read")
{
    Ground g(gx, gy);
    g.fill();
    DataCopy(g.y, g.a, 64);
    DataCopy(g.a, g.x, 64);
}

REPORTED(a_flag_of_the_wrong_pipes, 1, "Adds", "on pipe V reads what DataCopy")
{
    Ground g(gx, gy);
    DataCopy(g.a, g.x, 64);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    Adds(g.b, g.a, 1.0f, 64);
}

REPORTED(a_flag_that_is_set_too_early, 1, "Adds", "on pipe V reads what DataCopy")
{
    Ground g(gx, gy);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    DataCopy(g.a, g.x, 64);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(g.b, g.a, 1.0f, 64);
}

REPORTED(a_tensor_used_without_dequeuing, 1, "Adds", "on pipe V reads what DataCopy")
{
    Queues q(gx);
    TBuf<> buffer;
    q.pipe.InitBuffer(buffer, 256);
    auto t = q.in.AllocTensor<float>();
    DataCopy(t, q.x, 64);
    q.in.EnQue(t);
    Adds(buffer.Get<float>(), t, 1.0f, 64);
    q.in.FreeTensor(q.in.DeQue<float>());
}

REPORTED(a_tensor_used_after_it_was_freed, 1, "DataCopy", "on pipe MTE2 overwrites what Adds",
         "may still read")
{
    Queues q(gx);
    TBuf<> buffer;
    q.pipe.InitBuffer(buffer, 256);
    auto t = q.other.AllocTensor<float>();
    DataCopy(t, q.x, 64);
    q.other.EnQue(t);
    t = q.other.DeQue<float>();
    q.other.FreeTensor(t);
    auto next = q.other.AllocTensor<float>();
    Adds(buffer.Get<float>(), t, 1.0f, 64);
    DataCopy(next, q.x, 64);
    q.other.EnQue(next);
    q.other.FreeTensor(q.other.DeQue<float>());
}

REPORTED(a_flag_that_nobody_waits_for, 1, "SetFlag", "event 1 of V_MTE3 is set and never waited for",
         "a WaitFlag for each")
{
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
}

REPORTED(a_tensor_that_is_not_freed, 1, "InitBuffer", "1 of the queue's 2 buffers are not free",
         "FreeTensor for each")
{
    Queues q(gx);
    auto t = q.in.AllocTensor<float>();
    DataCopy(t, q.x, 64);
    q.in.EnQue(t);
    q.in.DeQue<float>();
}

REPORTED(two_blocks_that_write_the_same, 2, "DataCopy", "bytes of global memory that core 0 wrote", "SyncAll")
{
    Ground g(gx, gy);
    g.fill();
    DataCopy(g.y[GetBlockIdx() * 8], g.a, 64);
}

REPORTED(more_than_the_global_tensor_was_given, 1, "DataCopy",
         "reads bytes 0 to 256 of a GlobalTensor of 128 bytes")
{
    Ground g(gx, gy);
    g.x.SetGlobalBuffer((__gm__ float *)gx, 32);
    DataCopy(g.a, g.x, 64);
}
} // namespace

TEST(blocks_that_do_not_all_come_to_syncall)
{
    Memory x(std::vector<float>(256));
    CHECK(launch(
              4, BELAY_KERNEL_VECTOR,
              [](GM_ADDR) {
                  if (GetBlockIdx() != 2)
                      SyncAll();
              },
              x.gm()) != 0);
    CHECK(launch(2, BELAY_KERNEL_VECTOR, []() { CrossCoreWaitFlag(1); }) != 0);
    CHECK(launch(1, BELAY_KERNEL_MIXED_1_2, []() {
              if ASCEND_IS_AIC
                  CrossCoreWaitFlag(1);
              else if (GetSubBlockIdx() == 0) /* one of the two alone */
                  CrossCoreSetFlag<2, PIPE_MTE3>(1);
          }) != 0);
}

/* Without an end: by itself, with instructions between, and through an array that has no room. */
__attribute__((noinline)) int64_t descends(int kind, volatile int64_t *above, const LocalTensor<float> &a)
{
    volatile int64_t here[8] = {*above + 1};
    if (kind == 1)
        Adds(a, a, 1.0f, 64);
    return here[0] < INT64_MAX ? descends(kind, here, a) + here[0] : 0;
}

__attribute__((noinline)) int takes_much()
{
    volatile uint8_t large[520 * 1024];
    for (auto &each : large)
        each = 1;
    return large[9];
}

TEST(a_stack_without_an_end)
{
    Memory x(std::vector<float>(256, 1)), y(std::vector<float>(256, 2));
    for (int kind = 0; kind < 3; kind++) {
        std::FILE *file = std::tmpfile();
        std::fflush(stderr);
        const int before = dup(2);
        dup2(fileno(file), 2);
        CHECK(launch(
                  3, BELAY_KERNEL_VECTOR,
                  [](GM_ADDR gx, GM_ADDR gy, int kind) {
                      Ground g(gx, gy);
                      volatile int64_t none = 0;
                      g.fill();
                      if (GetBlockIdx() == 1 && kind < 2)
                          g.x.SetValue(0, (float)descends(kind, &none, g.a));
                      if (GetBlockIdx() == 1 && kind == 2)
                          g.x.SetValue(0, (float)takes_much());
                  },
                  x.gm(), y.gm(), kind) != 0);
        std::fflush(stderr);
        dup2(before, 2);
        close(before);
        std::rewind(file);
        char said[512] = "";
        CHECK(std::fread(said, 1, sizeof said - 1, file) > 0);
        std::fclose(file);
        const std::string all = said;
        CHECK(all.find("block 1: the stack of 512 KiB is used up in ") != std::string::npos);
        CHECK(all.find("(addr2line -e test_kernel_ascendc_mistakes 0x") != std::string::npos);
        if (Case::failures)
            std::fprintf(stderr, "kind %d: %s\n", kind, said);
    }
}

TEST(neighbours_that_nobody_tells)
{
    Memory words(std::vector<int32_t>(64));
    CHECK(launch(
              2, BELAY_KERNEL_VECTOR,
              [](GM_ADDR sync) {
                  GlobalTensor<int32_t> all;
                  all.SetGlobalBuffer((__gm__ int32_t *)sync);
                  IBWait(all, LocalTensor<int32_t>(), (int32_t)GetBlockIdx(), 0);
              },
              words.gm()) != 0);
}
