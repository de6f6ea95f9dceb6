/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators of two packages by their functions, as a program calls them: numbers, what is not contiguous, lists, graphs,
 * and the status of each mistake.
 *   program SCALE_ADD_LIBRARY PARTS_LIBRARY
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <vector>

#include "acl/acl.h"
#include "aclnn_in_blocks.h"
#include "aclnn_mistakes.h"
#include "aclnn_parts.h"
#include "aclnn_scale_add.h"
#include "aclnn_untiled.h"

static int failures;
static aclrtStream stream;

static void check(bool holds, int line, const char *what)
{
    if (holds)
        return;
    std::printf("%d: %s; %s\n", line, what, aclGetRecentErrMsg());
    failures++;
}
#define CHECK(condition) check((condition), __LINE__, #condition)

static void *find(void *library, const char *name)
{
    void *found = library ? dlsym(library, name) : nullptr;
    if (!found) {
        std::printf("%s: %s\n", name, dlerror());
        std::exit(1);
    }
    return found;
}
#define FUNCTIONS(library, name)                                                                         \
    const auto name##_plan = (decltype(&name##GetWorkspaceSize))find(library, #name "GetWorkspaceSize"); \
    const auto name##_run = (decltype(&name))find(library, #name)

/* A tensor of device memory, with the numbers of the memory in order. */
struct Tensor {
    void *memory;
    size_t count;
    aclTensor *tensor;

    Tensor(std::initializer_list<float> values, std::initializer_list<int64_t> shape,
           std::initializer_list<int64_t> strides, aclDataType dtype = ACL_FLOAT)
        : count(values.size())
    {
        const int64_t storage = static_cast<int64_t>(count);
        aclrtMalloc(&memory, count * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory, count * sizeof(float), values.begin(), count * sizeof(float),
                    ACL_MEMCPY_HOST_TO_DEVICE);
        tensor = aclCreateTensor(shape.begin(), shape.size(), dtype, strides.begin(), 0, ACL_FORMAT_ND,
                                 &storage, 1, memory);
    }
    ~Tensor()
    {
        aclDestroyTensor(tensor);
        aclrtFree(memory);
    }
    bool has(std::initializer_list<float> expected) const
    {
        std::vector<float> found(count);
        aclrtMemcpy(found.data(), count * sizeof(float), memory, count * sizeof(float),
                    ACL_MEMCPY_DEVICE_TO_HOST);
        return found == std::vector<float>(expected);
    }
};

/* A matrix of 3 x 20 in memory of 3 x 1 blocks of 16 x 8, FRACTAL_NZ, or in the first of that memory, with numbers in all
 * of it: what is stored besides the matrix, too. */
struct Matrix {
    enum { ROWS = 3, COLUMNS = 20, STORED = 3 * 16 * 8 };
    void *memory;
    aclTensor *tensor;

    Matrix(bool is_in_blocks, float first, int64_t rows = ROWS)
    {
        const int64_t shape[] = {rows, COLUMNS}, strides[] = {COLUMNS, 1}, blocks[] = {3, 1, 16, 8};
        float values[STORED];
        for (int i = 0; i < STORED; i++)
            values[i] = first + (float)i;
        aclrtMalloc(&memory, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
        tensor = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0,
                                 is_in_blocks ? ACL_FORMAT_FRACTAL_NZ : ACL_FORMAT_ND,
                                 is_in_blocks ? blocks : shape, is_in_blocks ? 4 : 2, memory);
    }
    ~Matrix()
    {
        aclDestroyTensor(tensor);
        aclrtFree(memory);
    }
    /* Where an element of the matrix lies in FRACTAL_NZ. */
    static int place(int row, int column)
    {
        return column / 8 * 16 * 8 + row * 8 + column % 8;
    }
    /* What lies there. */
    float at(int i) const
    {
        float value = 0;
        aclrtMemcpy(&value, sizeof value, static_cast<char *>(memory) + i * sizeof value, sizeof value,
                    ACL_MEMCPY_DEVICE_TO_HOST);
        return value;
    }
};

/* Phase 2, and the end of the work. */
template <typename Run>
static int finish(Run run, aclnnStatus planned, uint64_t bytes, aclOpExecutor *executor)
{
    void *workspace = nullptr;
    if (planned != 0)
        return planned;
    if (bytes > 0)
        aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    int status = run(workspace, bytes, executor, stream);
    if (status == 0)
        status = aclrtSynchronizeStream(stream);
    if (workspace != nullptr)
        aclrtFree(workspace);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    void *first = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL), *second = dlopen(argv[2], RTLD_LAZY | RTLD_LOCAL);
    FUNCTIONS(first, aclnnScaleAdd);
    FUNCTIONS(second, aclnnParts);
    FUNCTIONS(second, aclnnMistakes);
    FUNCTIONS(second, aclnnUntiled);
    FUNCTIONS(second, aclnnInBlocks);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    const auto scale_add = [&](const Tensor &x, const Tensor &y, const Tensor &z) {
        const aclnnStatus planned = aclnnScaleAdd_plan(x.tensor, y.tensor, 2.0, z.tensor, &bytes, &executor);
        return finish(aclnnScaleAdd_run, planned, bytes, executor);
    };
    const auto mistakes = [&](const Tensor &var, int64_t kind) {
        const aclnnStatus planned = aclnnMistakes_plan(var.tensor, kind, &bytes, &executor);
        return finish(aclnnMistakes_run, planned, bytes, executor);
    };
    {
        Tensor x({1, 2, 3, 4, 5, 6}, {2, 3}, {3, 1}), z({0, 0, 0, 0, 0, 0}, {2, 3}, {3, 1});
        Tensor turned({1, 2, 3, 4, 5, 6}, {2, 3}, {1, 2}), wrong({0, 0, 0, 0, 0, 0}, {3, 2}, {2, 1});
        CHECK(scale_add(x, turned, z) == 0 && z.has({3, 7, 11, 10, 14, 18})); /* AutoContiguous */
        CHECK(scale_add(x, x, turned) == ACLNN_ERR_PARAM_INVALID);            /* the output has it not */
        CHECK(std::strstr(aclGetRecentErrMsg(), "AutoContiguous() in the definition") != nullptr);
        CHECK(scale_add(x, x, wrong) == ACLNN_ERR_PARAM_INVALID);
        Tensor empty({0}, {0, 3}, {3, 1});
        CHECK(scale_add(empty, empty, empty) == 0);
        CHECK(scale_add(x, x, x) == 0 && x.has({3, 6, 9, 12, 15, 18}));
        CHECK(aclnnScaleAdd_plan(nullptr, x.tensor, 1, z.tensor, &bytes, &executor) ==
              ACLNN_ERR_PARAM_NULLPTR);
        CHECK(aclnnScaleAdd_run(nullptr, 0, nullptr, stream) == ACLNN_ERR_PARAM_NULLPTR);
        /* Recorded and replayed, each time with what the tensors hold. */
        aclmdlRI graph = nullptr;
        CHECK(aclnnScaleAdd_plan(x.tensor, z.tensor, 2.0, z.tensor, &bytes, &executor) == 0);
        CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) == 0);
        CHECK(aclnnScaleAdd_run(nullptr, bytes, executor, stream) == 0);
        CHECK(aclmdlRICaptureEnd(stream, &graph) == 0);
        for (int i = 0; i < 2; i++)
            CHECK(aclmdlRIExecuteAsync(graph, stream) == 0);
        CHECK(aclrtSynchronizeStream(stream) == 0 && z.has({15, 31, 47, 58, 74, 90}));
        CHECK(aclmdlRIDestroy(graph) == 0);
    }
    {
        Tensor a({1, 2, 3}, {3}, {1}), b({10, 20, 30}, {3}, {1}), bias({100, 0, 200, 0, 300}, {3}, {2});
        Tensor total({0, 0, 0, 0, 0, 0}, {3}, {2}), told({0, 0, 0, 0, 0, 0, 0, 0}, {8}, {1});
        const aclTensor *const both[] = {a.tensor, b.tensor};
        const aclTensor *copy[] = {both[0], both[1]};
        aclTensorList *list = aclCreateTensorList(copy, 2);
        const int64_t picks[] = {1, 0, 1};
        const float floats[] = {2.5f};
        const bool bools[] = {false};
        aclIntArray *chosen = aclCreateIntArray(picks, 3), *ints = aclCreateIntArray(picks, 1);
        aclFloatArray *numbers = aclCreateFloatArray(floats, 1);
        aclBoolArray *truths = aclCreateBoolArray(bools, 1);
        aclnnStatus planned = aclnnParts_plan(list, bias.tensor, chosen, 2, true, 9, "ab", ints, numbers,
                                              truths, total.tensor, told.tensor, &bytes, &executor);
        CHECK(planned == 0 && bytes == 4096 + 3 * sizeof(float));
        CHECK(finish(aclnnParts_run, planned, bytes, executor) == 0);
        CHECK(total.has({-142, 0, -284, 0, -426, 0}) && told.has({9, 2, 1, 2.5f, 0, 20, 4, 1}));
        planned = aclnnParts_plan(list, nullptr, ints, 1, false, 9, "", nullptr, nullptr, nullptr,
                                  total.tensor, told.tensor, &bytes, &executor);
        CHECK(finish(aclnnParts_run, planned, bytes, executor) == 0);
        CHECK(total.has({10, 0, 20, 0, 30, 0}) && told.has({9, 0, 0, 0, 0, 20, 3, 1}));
        aclDestroyTensorList(list);
        aclDestroyIntArray(chosen);
        aclDestroyIntArray(ints);
        aclDestroyFloatArray(numbers);
        aclDestroyBoolArray(truths);
    }
    { /* After FLOAT: a FLOAT of 1 has the halves 0 and 1.875, and 5.625 with 0 is the FLOAT of 5120. */
        const std::initializer_list<float> ones = {1, 1, 1, 1, 1, 1, 1, 1};
        Tensor x(ones, {16}, {1}, ACL_FLOAT16), z(ones, {16}, {1}, ACL_FLOAT16);
        CHECK(scale_add(x, x, z) == 0 && z.has({5120, 5120, 5120, 5120, 5120, 5120, 5120, 5120}));
    }
    {
        static const int expected[] = {0,
                                       ACLNN_ERR_STATIC_BLOCK_DIM_INVALID,
                                       ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
                                       ACLNN_ERR_INNER_TILING_ERROR,
                                       ACLNN_ERR_INNER_TILING_ERROR,
                                       507015,
                                       ACLNN_ERR_INNER_TILING_ERROR,
                                       ACLNN_ERR_INNER_INFERSHAPE_ERROR,
                                       ACLNN_ERR_INNER_INFERSHAPE_ERROR};
        Tensor var({1, 2, 3}, {3}, {1}), halves({1, 2, 3}, {3}, {1}, ACL_FLOAT16);
        for (int kind = 0; kind < 9; kind++)
            CHECK(mistakes(var, kind) == expected[kind]);
        CHECK(var.has({2, 4, 6}));
        CHECK(mistakes(halves, 0) == ACLNN_ERR_PARAM_INVALID);
        CHECK(finish(aclnnUntiled_run, aclnnUntiled_plan(var.tensor, nullptr, var.tensor, &bytes, &executor),
                     bytes, executor) == ACLNN_ERR_INNER_TILING_ERROR);
    }
    {
        const auto in_blocks = [&](const Matrix &x, const Matrix *w, const Matrix &y) {
            const aclnnStatus planned =
                aclnnInBlocks_plan(x.tensor, w ? w->tensor : nullptr, y.tensor, &bytes, &executor);
            return finish(aclnnInBlocks_run, planned, bytes, executor);
        };
        /* All that is stored, in its order: three times x. */
        Matrix x(true, 1), w(true, 1000), y(true, 0), plain(false, 1), out(false, 0);
        int wrong = 0;
        CHECK(in_blocks(x, &w, y) == 0);
        for (int i = 0; i < Matrix::STORED; i++)
            wrong += y.at(i) != 3 * (float)(i + 1) + 1000 + (float)i;
        CHECK(wrong == 0);
        /* Plain ones, by the other combination: twice; and one in blocks by a plain copy. */
        CHECK(in_blocks(plain, nullptr, out) == 0);
        for (int i = 0; i < Matrix::ROWS * Matrix::COLUMNS; i++)
            wrong += out.at(i) != 2 * (float)(i + 1);
        CHECK(wrong == 0 && out.at(60) == 60);
        CHECK(in_blocks(x, nullptr, out) == 0);
        for (int i = 0; i < Matrix::ROWS * Matrix::COLUMNS; i++)
            wrong += out.at(i) != 2 * (float)(Matrix::place(i / 20, i % 20) + 1);
        CHECK(wrong == 0);
        CHECK(in_blocks(plain, nullptr, y) == 0 && y.at(Matrix::place(2, 19)) == 120 && y.at(127) == 0);
        CHECK(in_blocks(x, &plain, y) == ACLNN_ERR_PARAM_INVALID);
        CHECK(std::strstr(aclGetRecentErrMsg(), "wOptional is plain; a whole tensor in FRACTAL_NZ (29)"));
        Tensor none({0}, {0}, {1}); /* which the project's own function takes for none */
        CHECK(aclnnInBlocks_plan(plain.tensor, none.tensor, out.tensor, &bytes, &executor) == 0);
        CHECK(finish(aclnnInBlocks_run, 0, bytes, executor) == 0 && out.at(59) == 120);
        Matrix part(true, 1, 2); /* two of the rows that lie there: the storage has no other form */
        CHECK(in_blocks(part, nullptr, y) == ACLNN_ERR_PARAM_INVALID);
    }
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    std::printf("%d failures\n", failures);
    return failures != 0;
}
