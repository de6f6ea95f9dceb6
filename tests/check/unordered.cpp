// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Programs with one mistake each that the checks race, init and num are about, and the same programs mended:
//
//   unordered NAME [mended]
//
// Exits with 0 unless a call fails.
#include "unordered.h"

#include <cmath>
#include <limits>
#include <string>

#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_masked_fill_scalar.h"

namespace unordered
{

bool mended;
aclrtStream first, second;
aclrtEvent event;

} // namespace unordered

namespace
{

using namespace unordered;

// Two streams, without and with the wait.

void read_after_write()
{
    float *a = device(), *b = device(), *c = device();
    relu(a, b, first);
    if (mended)
        order(first, second);
    relu(b, c, second);
    synchronise();
}

void write_after_read()
{
    float *a = device(), *b = device(), *c = device();
    relu(a, b, first);
    if (mended)
        order(first, second);
    relu(c, a, second);
    synchronise();
}

void write_after_write()
{
    float *a = device(), *b = device();
    relu(a, b, first);
    if (mended)
        order(first, second);
    CALL(aclrtMemsetAsync(b, BYTES, 0, BYTES, second));
    synchronise();
}

// What was written is read again on the same stream: the write is what the other stream does not wait for.
void read_in_between()
{
    float *a = device(), *b = device(), *c = device(), *d = device();
    relu(a, b, first);
    relu(b, c, first);
    if (mended)
        order(first, second);
    relu(b, d, second);
    synchronise();
}

// The event is recorded before the work that is to be waited for; mended behind it.
void event_too_early()
{
    float *a = device(), *b = device(), *c = device();
    if (!mended)
        CALL(aclrtRecordEvent(event, first));
    relu(a, b, first);
    if (mended)
        CALL(aclrtRecordEvent(event, first));
    CALL(aclrtStreamWaitEvent(second, event));
    relu(b, c, second);
    synchronise();
}

// Columns of one matrix on two streams: two of them share bytes, mended they lie between one another.
void interleaved()
{
    float *matrix = device(), *a = device(), *b = device();
    const std::vector<int64_t> shape = {COUNT / 4, 2}, strides = {4, 1};
    const std::vector<int64_t> whole = {COUNT / 4, 2}, dense = {2, 1};
    relu(view(a, whole, dense), view(matrix, shape, strides), first);
    relu(view(b, whole, dense), view(matrix, shape, strides, mended ? 2 : 1), second);
    synchronise();
}

// Two streams that are recorded in one graph.
void captured()
{
    float *a = device(), *b = device(), *c = device();
    aclrtEvent back;
    aclmdlRI graph;
    CALL(aclrtCreateEvent(&back));
    CALL(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    order(first, second);
    relu(a, b, first);
    if (mended)
        order(first, second);
    relu(b, c, second);
    CALL(aclrtRecordEvent(back, second));
    CALL(aclrtStreamWaitEvent(first, back));
    CALL(aclmdlRICaptureEnd(first, &graph));
    CALL(aclmdlRIExecuteAsync(graph, first));
    synchronise();
    CALL(aclmdlRIDestroy(graph));
    CALL(aclrtDestroyEvent(back));
}

// A graph is run on one stream, what it has written is read on another.
void replayed()
{
    float *a = device(), *b = device(), *c = device();
    aclmdlRI graph;
    CALL(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    relu(a, b, first);
    CALL(aclmdlRICaptureEnd(first, &graph));
    CALL(aclmdlRIExecuteAsync(graph, first));
    if (mended)
        order(first, second);
    relu(b, c, second);
    synchronise();
    CALL(aclmdlRIDestroy(graph));
}

void batch_norm(float *mean, bool is_training, aclrtStream stream)
{
    const std::vector<int64_t> shape = {8, 4, 2}, strides = {8, 2, 1};
    float *input = device(), *output = device(), *variance = device(), *saved[2] = {device(), device()};
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    CALL(aclnnBatchNormGetWorkspaceSize(
        view(input, shape, strides), nullptr, nullptr, view(mean, {4}), view(variance, {4}), is_training, 0.1,
        1e-5, view(output, shape, strides), view(saved[0], {4}), view(saved[1], {4}), &bytes, &executor));
    CALL(aclnnBatchNorm(nullptr, 0, executor, stream));
}

// Statistics that training writes on two streams; mended, they are only read.
void running_statistics()
{
    float *mean = device();
    batch_norm(mean, !mended, first);
    batch_norm(mean, false, second);
    synchronise();
}

void shared_workspace()
{
    float *workspace = device(), *other = mended ? device() : workspace;
    relu_with(workspace, first);
    relu_with(other, second);
    synchronise();
}

// Memory that nothing has written.

void never_written()
{
    float *a = device(BYTES, mended), *b = device();
    relu(a, b, first);
    synchronise();
}

// All but the last row.
void partly_written()
{
    float *a = device(BYTES, false), *b = device();
    const size_t bytes = mended ? BYTES : BYTES - 64 * sizeof(float);
    CALL(aclrtMemset(a, BYTES, 0, bytes));
    relu(view(a, {COUNT / 64, 64}, {64, 1}), view(b, {COUNT / 64, 64}, {64, 1}), first);
    synchronise();
}

// Each second column is written, and the others, or mended the same ones, are read.
void gaps()
{
    float *a = device(BYTES, false), *b = device(), *c = device();
    relu(view(b, {COUNT / 2}, {1}), view(a, {COUNT / 2}, {2}), first);
    relu(view(a, {COUNT / 2}, {2}, mended ? 0 : 1), view(c, {COUNT / 2}, {1}), first);
    synchronise();
}

void never_written_to_host()
{
    float *a = device(BYTES, mended);
    std::vector<float> host(COUNT);
    CALL(aclrtMemcpy(host.data(), BYTES, a, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
}

// What was never written is copied, and read there.
void copied()
{
    float *a = device(BYTES, mended), *b = device(), *c = device();
    CALL(aclrtMemcpyAsync(b, BYTES, a, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, first));
    relu(b, c, first);
    synchronise();
}

// A block that is freed and given out again is as new.
void used_again()
{
    float *a = device(), *b = device();
    CALL(aclrtFree(a));
    a = device(BYTES, mended);
    relu(a, b, first);
    synchronise();
}

// Values that are kept do not matter where nobody reads them.
void kept_values()
{
    float *a = device(BYTES, false), *b = device();
    const float value = 1;
    aclScalar *scalar = aclCreateScalar(const_cast<float *>(&value), ACL_FLOAT);
    void *mask_data = nullptr;
    CALL(aclrtMalloc(&mask_data, COUNT, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMemset(mask_data, COUNT, 1, COUNT));
    const int64_t shape[] = {COUNT}, strides[] = {1};
    aclTensor *self = view(a),
              *mask = aclCreateTensor(shape, 1, ACL_BOOL, strides, 0, ACL_FORMAT_ND, shape, 1, mask_data);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    if (mended) {
        CALL(aclnnInplaceMaskedFillScalarGetWorkspaceSize(self, mask, scalar, &bytes, &executor));
        CALL(aclnnInplaceMaskedFillScalar(nullptr, 0, executor, first));
    }
    relu(a, b, first);
    synchronise();
}

// Numbers.

void divide(float by, aclrtStream stream)
{
    float *a = device(), *b = device(), *c = device();
    std::vector<float> ones(COUNT, 1), divisor(COUNT, 2);
    divisor[77] = by;
    CALL(aclrtMemcpy(a, BYTES, ones.data(), BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    CALL(aclrtMemcpy(b, BYTES, divisor.data(), BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *self = view(a), *other = view(b), *out = view(c);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    CALL(aclnnDivGetWorkspaceSize(self, other, out, &bytes, &executor));
    CALL(aclnnDiv(nullptr, 0, executor, stream));
    CALL(aclrtSynchronizeStream(stream));
}

void infinite()
{
    divide(mended ? 1.0F : 0.0F, first);
}

void not_a_number()
{
    float *a = device(), *b = device();
    std::vector<float> numbers(COUNT, 1);
    numbers[5] = mended ? 1.0F : -1.0F;
    CALL(aclrtMemcpy(a, BYTES, numbers.data(), BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *self = view(a), *out = view(b);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    CALL(aclnnLogGetWorkspaceSize(self, out, &bytes, &executor));
    CALL(aclnnLog(nullptr, 0, executor, first));
    synchronise();
    relu(b, a, first); // what comes in so is no second report
    synchronise();
}

// Where there is no path its logarithm is infinite, which says so.
void paths_that_are_not()
{
    const int64_t label = 1, times = 2, shape[][3] = {{2, 1, 2}, {1, 2, 8}};
    auto tensor = [](aclDataType dtype, uint64_t rank, const int64_t *dims, void *memory) {
        int64_t strides[3] = {1, 1, 1};
        for (uint64_t i = rank - 1; i > 0; i--)
            strides[i - 1] = strides[i] * dims[i];
        return aclCreateTensor(dims, rank, dtype, strides, 0, ACL_FORMAT_ND, dims, rank, memory);
    };
    float *zeros = device(), *one = device();
    CALL(aclrtMemset(zeros, BYTES, 0, BYTES));
    CALL(aclrtMemcpy(one, sizeof label, &label, sizeof label, ACL_MEMCPY_HOST_TO_DEVICE));
    aclIntArray *lengths = aclCreateIntArray(&times, 1), *labels = aclCreateIntArray(&label, 1);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    CALL(aclnnCtcLossGetWorkspaceSize(
        tensor(ACL_FLOAT, 3, shape[0], zeros), tensor(ACL_INT64, 1, &label, one), lengths, labels, 0, false,
        tensor(ACL_FLOAT, 1, &label, device()), tensor(ACL_FLOAT, 3, shape[1], device()), &bytes, &executor));
    CALL(aclnnCtcLoss(nullptr, 0, executor, first));
}

// What is asked for by a scalar, or comes in, is none.
void infinite_on_purpose()
{
    if (!mended)
        return divide(0, first);
    float *a = device(), *b = device();
    const float value = -std::numeric_limits<float>::infinity();
    aclScalar *scalar = aclCreateScalar(const_cast<float *>(&value), ACL_FLOAT);
    void *mask_data = nullptr;
    CALL(aclrtMalloc(&mask_data, COUNT, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMemset(mask_data, COUNT, 1, COUNT));
    const int64_t shape[] = {COUNT}, strides[] = {1};
    aclTensor *self = view(a),
              *mask = aclCreateTensor(shape, 1, ACL_BOOL, strides, 0, ACL_FORMAT_ND, shape, 1, mask_data);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    CALL(aclnnInplaceMaskedFillScalarGetWorkspaceSize(self, mask, scalar, &bytes, &executor));
    CALL(aclnnInplaceMaskedFillScalar(nullptr, 0, executor, first));
    relu(a, b, first);
    paths_that_are_not();
    synchronise();
}

const struct {
    const char *name;
    void (*run)();
} programs[] = {
    {"DC-012-read-after-write", read_after_write},
    {"DC-012-write-after-read", write_after_read},
    {"DC-012-write-after-write", write_after_write},
    {"DC-012-read-in-between", read_in_between},
    {"DC-012-event-too-early", event_too_early},
    {"DC-012-interleaved", interleaved},
    {"DC-012-captured", captured},
    {"DC-012-replayed", replayed},
    {"DC-012-source", overwritten_source},
    {"DC-012-statistics", running_statistics},
    {"DC-012-workspace", shared_workspace},
    {"DC-011-workspace", written_workspace},
    {"DC-008-workspace", freed_workspace},
    {"DC-011-read-back", read_back_early},
    {"DC-011-overwritten", overwritten_input},
    {"DC-011-set", set_early},
    {"DC-011-query", query_until_complete},
    {"DC-011-thread", thread_that_waits},
    {"DC-008-freed", freed_early},
    {"DC-013-freed-host", freed_host_early},
    {"DC-013-registered", overwritten_registered},
    {"DC-013-again", filled_again},
    {"DC-013-unregistered", unregistered_early},
    {"none-changed", changed_in_order},
    {"none-gate", filled_behind_a_gate},
    {"none-number", ordered_by_a_number},
    {"DC-010-operator", never_written},
    {"DC-010-rest", partly_written},
    {"DC-010-gaps", gaps},
    {"DC-010-to-host", never_written_to_host},
    {"DC-010-copied", copied},
    {"DC-010-again", used_again},
    {"DC-010-kept", kept_values},
    {"DC-022-infinite", infinite},
    {"DC-022-nan", not_a_number},
    {"DC-022-on-purpose", infinite_on_purpose},
};

} // namespace

int main(int argc, char **argv)
{
    mended = argc > 2 && std::string(argv[2]) == "mended";
    for (const auto &program : programs) {
        if (argc < 2) {
            std::printf("%s\n", program.name);
            continue;
        }
        if (std::strcmp(argv[1], program.name) != 0)
            continue;
        CALL(aclInit(nullptr));
        CALL(aclrtSetDevice(0));
        CALL(aclrtCreateStream(&first));
        CALL(aclrtCreateStream(&second));
        CALL(aclrtCreateEvent(&event));
        program.run();
        return 0;
    }
    return argc < 2 ? 0 : 2;
}
