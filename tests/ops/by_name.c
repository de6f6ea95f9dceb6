/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators by their names. A long short-term memory, with the weights in one tensor and in two: steps and
 * what is kept of them against loops in long double, gradients against differences of those; and what is told
 * of calls that are not known. Norms of any order, step by step as torch_npu asks for them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "aclnnop/aclnn_lstm.h"
#include "support/failure.h"

enum { T = 3, N = 2, I = 3, H = 4, GATES = 4 * H, STEPS = T * N * H, STATE = N * H };
enum { X_COUNT = T * N * I, W_COUNT = (I + H) * GATES };
enum { OPERANDS = 24, KEPT = 8 };

/* What the network computes with, one behind the other. */
enum { VALUES = X_COUNT + W_COUNT + GATES + 2 * STATE };
union values {
    struct {
        long double x[X_COUNT], w[W_COUNT], b[GATES], h[STATE], c[STATE];
    };
    long double all[VALUES];
};

/* y, h, c, i, j, f, o, tanh c behind each step. */
struct steps {
    long double of[KEPT][STEPS];
};

/* So that the linker takes the library, of which nothing else is called by a symbol. */
__attribute__((used)) static aclnnStatus (*const of_library)(void *, uint64_t, aclOpExecutor *,
                                                             aclrtStream) = aclnnLSTM;

static aclrtStream stream;
static uint32_t seed = 1;

static long double draw(void)
{
    seed = seed * 1664525 + 1013904223;
    return (long double)(float)((double)(seed >> 8) / (1 << 23) - 1);
}

static long double logistic(long double x)
{
    return 1 / (1 + expl(-x));
}

static void run_reference(const union values *v, struct steps *steps)
{
    for (int at = 0; at < STEPS; at++) {
        const int j = at % H, n = at / H % N, t = at / STATE;
        const long double *before = t > 0 ? steps->of[1] + at - j - STATE : v->h + n * H;
        long double gate[4];
        for (int g = 0; g < 4; g++) {
            gate[g] = v->b[g * H + j];
            for (int k = 0; k < I; k++)
                gate[g] += v->x[(t * N + n) * I + k] * v->w[k * GATES + g * H + j];
            for (int k = 0; k < H; k++)
                gate[g] += before[k] * v->w[(I + k) * GATES + g * H + j];
            gate[g] = g == 2 ? tanhl(gate[g]) : logistic(gate[g]);
        }
        const long double c =
            gate[1] * (t > 0 ? steps->of[2][at - STATE] : v->c[n * H + j]) + gate[0] * gate[2];
        const long double all[KEPT] = {
            gate[3] * tanhl(c), gate[3] * tanhl(c), c, gate[0], gate[2], gate[1], gate[3], tanhl(c)};
        for (int i = 0; i < KEPT; i++)
            steps->of[i][at] = all[i];
    }
}

/* One operand of a call: FLOAT, in memory of its own. */
struct operand {
    float *device;
    int64_t count;
    const aclTensorDesc *desc;
    aclDataBuffer *buffer;
};

static struct operand operand_of(const long double *values, int64_t count, int rank, const int64_t *shape)
{
    struct operand operand = {.count = count};
    float host[W_COUNT + 1];
    memset(host, 0x7F, sizeof host); /* what is not written is seen */
    for (int64_t i = 0; values != NULL && i < count; i++)
        host[i] = (float)values[i];
    const size_t bytes = (size_t)count * sizeof(float);
    assert_int_equal(aclrtMalloc((void **)&operand.device, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemcpy(operand.device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    operand.desc = aclCreateTensorDesc(ACL_FLOAT, rank, shape, ACL_FORMAT_ND);
    operand.buffer = aclCreateDataBuffer(operand.device, bytes);
    return operand;
}

static struct operand left_out(void)
{
    return (struct operand){.desc = aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, NULL, ACL_FORMAT_UNDEFINED),
                            .buffer = aclCreateDataBuffer(NULL, 0)};
}

#define SHAPE(...)                                                               \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) \
    {                                                                            \
        __VA_ARGS__                                                              \
    }

static void assert_close(const struct operand *operand, const long double *wanted, long double bound)
{
    float host[W_COUNT];
    const size_t bytes = (size_t)operand->count * sizeof(float);
    assert_int_equal(aclrtMemcpy(host, bytes, operand->device, bytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    for (int64_t i = 0; i < operand->count; i++)
        if (!(fabsl((long double)host[i] - wanted[i]) <= bound))
            fail_msg("element %d is %g instead of %g", (int)i, (double)host[i], (double)wanted[i]);
}

static void release(struct operand *operand, int count)
{
    for (int i = 0; i < count; i++) {
        aclDestroyTensorDesc(operand[i].desc);
        assert_int_equal(aclDestroyDataBuffer(operand[i].buffer), 0);
        if (operand[i].count > 0)
            assert_int_equal(aclrtFree(operand[i].device), 0);
    }
}

static int call(const char *type, const struct operand *in, int inputs, const struct operand *out,
                int outputs, const char *direction)
{
    const aclTensorDesc *ins[OPERANDS], *outs[KEPT];
    const aclDataBuffer *froms[OPERANDS];
    aclDataBuffer *tos[KEPT];
    aclopAttr *attr = aclopCreateAttr();
    for (int i = 0; i < inputs; i++)
        ins[i] = in[i].desc, froms[i] = in[i].buffer;
    for (int i = 0; i < outputs; i++)
        outs[i] = out[i].desc, tos[i] = out[i].buffer;
    assert_int_equal(aclopSetAttrString(attr, "direction", direction), 0);
    assert_int_equal(aclopSetAttrString(attr, "gate_order", "ifjo"), 0);
    assert_int_equal(aclopSetAttrInt(attr, "cell_depth", 1), 0);
    assert_int_equal(aclopSetAttrBool(attr, "time_major", 1), 0);
    assert_int_equal(aclopSetAttrFloat(attr, "forget_bias", 0), 0);
    const int status = aclopCompileAndExecute(type, inputs, ins, froms, outputs, outs, tos, attr,
                                              ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    aclopDestroyAttr(attr);
    return status;
}

static union values drawn(bool has_start)
{
    union values values;
    for (int i = 0; i < VALUES; i++)
        values.all[i] = !has_start && i >= VALUES - 2 * STATE ? 0 : draw();
    return values;
}

/* x and the weights, in one tensor or two; how many operands that are. */
static int give_weights(struct operand *in, const union values *v, bool is_split)
{
    in[0] = operand_of(v->x, X_COUNT, SHAPE(T, N, I));
    if (!is_split) {
        in[1] = operand_of(v->w, W_COUNT, SHAPE(I + H, GATES));
        return 2;
    }
    in[1] = operand_of(v->w, I * GATES, SHAPE(I, GATES));
    in[2] = operand_of(v->w + I * GATES, H * GATES, SHAPE(H, GATES));
    return 3;
}

static void steps_are_those_of_long_double(void **state)
{
    (void)state;
    for (int round = 0; round < 4; round++) {
        const bool is_split = round % 2, has_start = round / 2;
        const union values v = drawn(has_start);
        struct steps steps;
        struct operand in[OPERANDS], out[KEPT];
        int inputs = give_weights(in, &v, is_split);
        in[inputs++] = operand_of(v.b, GATES, SHAPE(GATES));
        in[inputs++] = left_out();
        in[inputs++] = has_start ? operand_of(v.h, STATE, SHAPE(1, N, H)) : left_out();
        in[inputs++] = has_start ? operand_of(v.c, STATE, SHAPE(1, N, H)) : left_out();
        for (int i = 0; i < KEPT; i++)
            out[i] = operand_of(NULL, STEPS, SHAPE(T, N, H));
        const char *type = is_split ? "DynamicRNNV2" : "DynamicRNN";
        assert_int_equal(call(type, in, inputs, out, KEPT, "UNIDIRECTIONAL"), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        run_reference(&v, &steps);
        for (int i = 0; i < KEPT; i++)
            assert_close(&out[i], steps.of[i], 0x1p-21L);
        /* Another direction, and lengths of sequences, are other operators: told as those that there are not.
         */
        assert_int_equal(call(type, in, inputs, out, KEPT, "BIDIRECTIONAL_AND_LONG"), 0);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, type);
        release(&in[inputs - 3], 1);
        in[inputs - 3] = operand_of(v.b, N, SHAPE(N));
        assert_int_equal(call(type, in, inputs, out, KEPT, "UNIDIRECTIONAL"), 0);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                       "is not in this release of Belay");
        /* As does what it needs and is not given. */
        const struct operand weight = in[1];
        in[1].desc = NULL;
        assert_int_equal(call(type, in, inputs, out, KEPT, "UNIDIRECTIONAL"), 0);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                       "the description or the buffer of the input is NULL");
        in[1] = weight;
        release(in, inputs);
        release(out, KEPT);
    }
}

/* What the gradient is of: y, the last h and c, each times what comes back to it. */
static long double loss_of(const union values *v, const long double *dy, const long double *dh,
                           const long double *dc)
{
    struct steps steps;
    long double sum = 0;
    run_reference(v, &steps);
    for (int i = 0; i < STEPS; i++)
        sum += dy[i] * steps.of[0][i];
    for (int i = 0; i < STATE; i++)
        sum += dh[i] * steps.of[1][STEPS - STATE + i] + dc[i] * steps.of[2][STEPS - STATE + i];
    return sum;
}

static void gradients_are_those_of_long_double(void **state)
{
    static const long double step = 0x1p-20L;
    static const int64_t number[] = {1};
    (void)state;
    for (int round = 0; round < 2; round++) {
        const bool is_split = round == 1;
        union values v = drawn(true), wanted;
        struct steps steps;
        long double dy[STEPS], dh[STATE], dc[STATE], zero = 0;
        for (int i = 0; i < STEPS; i++)
            dy[i] = draw();
        for (int i = 0; i < STATE; i++)
            dh[i] = draw(), dc[i] = draw();
        for (int i = 0; i < VALUES; i++) {
            long double *at = &v.all[i], before = *at;
            *at = before + step;
            const long double above = loss_of(&v, dy, dh, dc);
            *at = before - step;
            wanted.all[i] = (above - loss_of(&v, dy, dh, dc)) / (2 * step);
            *at = before;
        }
        run_reference(&v, &steps);
        struct operand in[OPERANDS], out[KEPT];
        int inputs = give_weights(in, &v, is_split), outputs = 0;
        if (!is_split)
            in[inputs++] = operand_of(v.b, GATES, SHAPE(GATES));
        in[inputs++] = operand_of(steps.of[0], STEPS, SHAPE(T, N, H));
        in[inputs++] = operand_of(v.h, STATE, SHAPE(N, H));
        in[inputs++] = operand_of(v.c, STATE, SHAPE(N, H));
        in[inputs++] = operand_of(steps.of[1], STEPS, SHAPE(T, N, H));
        in[inputs++] = operand_of(steps.of[2], STEPS, SHAPE(T, N, H));
        in[inputs++] = operand_of(dy, STEPS, SHAPE(T, N, H));
        in[inputs++] = operand_of(dh, STATE, SHAPE(N, H));
        in[inputs++] = operand_of(dc, STATE, SHAPE(N, H));
        for (int i = 3; i < KEPT; i++)
            in[inputs++] = operand_of(steps.of[i], STEPS, SHAPE(T, N, H));
        for (int i = 0; i < 5; i++) /* as torch_npu gives what there is not */
            in[inputs++] = i < 2 ? left_out() : operand_of(&zero, 1, 0, number);
        out[outputs++] = operand_of(NULL, is_split ? I * GATES : W_COUNT, SHAPE(is_split ? I : I + H, GATES));
        if (is_split)
            out[outputs++] = operand_of(NULL, H * GATES, SHAPE(H, GATES));
        const int behind = outputs;
        out[outputs++] = operand_of(NULL, GATES, SHAPE(GATES));
        out[outputs++] = operand_of(NULL, X_COUNT, SHAPE(T, N, I));
        out[outputs++] = operand_of(NULL, STATE, SHAPE(N, H));
        out[outputs++] = operand_of(NULL, STATE, SHAPE(N, H));
        const char *type = is_split ? "DynamicRNNV2Grad" : "DynamicRNNGrad";
        assert_int_equal(call(type, in, inputs, out, outputs, "UNIDIRECTIONAL"), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_close(&out[0], wanted.w, 0x1p-18L);
        if (is_split)
            assert_close(&out[1], wanted.w + I * GATES, 0x1p-18L);
        assert_close(&out[behind], wanted.b, 0x1p-18L);
        assert_close(&out[behind + 1], wanted.x, 0x1p-18L);
        assert_close(&out[behind + 2], wanted.h, 0x1p-18L);
        assert_close(&out[behind + 3], wanted.c, 0x1p-18L);
        release(in, inputs);
        release(out, outputs);
    }
}

/* One of one input and one output. */
static int call_unary(const char *type, const struct operand *from, const struct operand *to, float p,
                      int axes, bool keeps)
{
    static const int64_t all_axes[] = {-1, 0, 1};
    aclopAttr *attr = aclopCreateAttr();
    aclDataBuffer *tos[] = {to->buffer};
    const aclDataBuffer *froms[] = {from->buffer};
    assert_int_equal(aclopSetAttrFloat(attr, "p", p), 0);
    assert_int_equal(aclopSetAttrListInt(attr, "axes", axes, all_axes), 0);
    assert_int_equal(aclopSetAttrBool(attr, "keepdim", keeps), 0);
    const int status = aclopCompileAndExecute(type, 1, &from->desc, froms, 1, &to->desc, tos, attr,
                                              ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    aclopDestroyAttr(attr);
    return status;
}

static void norms_are_those_of_long_double(void **state)
{
    static const float orders[] = {4, 1.5F, 0.5F, -2};
    (void)state;
    for (size_t round = 0; round < sizeof orders / sizeof orders[0]; round++) {
        const long double p = (long double)orders[round];
        long double x[24], last[6], whole = 0;
        for (int i = 0; i < 24; i++) {
            x[i] = draw() + (i % 3 ? 1 : -2);
            last[i / 4] = (i % 4 > 0 ? last[i / 4] : 0) + powl(fabsl(x[i]), p);
            whole += powl(fabsl(x[i]), p);
        }
        /* Along one axis, kept, and of all. */
        struct operand in = operand_of(x, 24, SHAPE(2, 3, 4)), sums = operand_of(NULL, 6, SHAPE(2, 3, 1));
        struct operand norms = operand_of(NULL, 6, SHAPE(2, 3, 1)), one = operand_of(NULL, 1, 0, NULL);
        assert_int_equal(call_unary("LpNormReduceV2", &in, &sums, orders[round], 1, true), 0);
        assert_int_equal(call_unary("LpNormUpdateV2", &sums, &norms, orders[round], 0, false), 0);
        assert_int_equal(call_unary("LpNormReduceV2", &in, &one, orders[round], 0, false), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        for (int i = 0; i < 6; i++)
            last[i] = powl(last[i], 1 / p);
        assert_close(&norms, last, 0x1p-14L);
        assert_close(&one, &whole, 0x1p-18L * whole);
        /* A shape that the axes do not lead to is told of where the work would run. */
        assert_int_equal(call_unary("LpNormReduceV2", &in, &sums, orders[round], 2, true), 0);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                       "aclnnReduceSum: ");
        /* The greatest of all is no sum of powers. */
        assert_int_equal(call_unary("LpNormReduceV2", &in, &one, INFINITY, 0, false), 0);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                       "is not in this release of Belay");
        struct operand all[] = {in, sums, norms, one};
        release(all, 4);
    }
}

/* Of any order: one that is infinite is no integer, and none that is 0. */
static void whole_norms_have_infinite_orders_too(void **state)
{
    static const float orders[] = {2, 1.5F, 0, INFINITY, -INFINITY};
    const long double x[] = {3, 0, -4, 12, -1, 1, 2, -2};
    const long double wanted[][2] = {
        {13, sqrtl(10)},
        {powl(powl(3, 1.5L) + 8 + powl(12, 1.5L), 1 / 1.5L), powl(2 + 2 * powl(2, 1.5L), 1 / 1.5L)},
        {3, 4},
        {12, 2},
        {0, 1}};
    const long double most = 12;
    (void)state;
    struct operand in = operand_of(x, 8, SHAPE(2, 4)), norms = operand_of(NULL, 2, SHAPE(2, 1));
    struct operand flat = operand_of(NULL, 2, SHAPE(2)), one = operand_of(NULL, 1, 0, NULL);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        assert_int_equal(call_unary("LpNormV2", &in, &norms, orders[i], 1, true), 0);
        assert_int_equal(call_unary("LpNormV2", &in, &flat, orders[i], 1, false), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_close(&norms, wanted[i], 0x1p-20L);
        assert_close(&flat, wanted[i], 0x1p-20L);
    }
    assert_int_equal(call_unary("LpNormV2", &in, &one, INFINITY, 0, false), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_close(&one, &most, 0);
    struct operand all[] = {in, norms, flat, one};
    release(all, 4);
}

static void casts_are_casts(void **state)
{
    (void)state;
    const long double x[] = {1.7L, -2.5L, 0, 1000};
    struct operand in = operand_of(x, 4, SHAPE(4)), out = operand_of(NULL, 4, SHAPE(4));
    int32_t got[4];
    aclDestroyTensorDesc(out.desc);
    out.desc = aclCreateTensorDesc(ACL_INT32, SHAPE(4), ACL_FORMAT_ND);
    assert_int_equal(call_unary("Cast", &in, &out, 0, 0, false), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(got, sizeof got, out.device, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(got[i], (int32_t)x[i]);
    release(&in, 1);
    release(&out, 1);
}

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_long_double),
        cmocka_unit_test(gradients_are_those_of_long_double),
        cmocka_unit_test(norms_are_those_of_long_double),
        cmocka_unit_test(whole_norms_have_infinite_orders_too),
        cmocka_unit_test(casts_are_casts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
