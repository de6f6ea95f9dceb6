/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LogSoftmax, the gradients of both softmaxes, and negative log likelihoods with their gradients, against
 * long double in any layout and dtype; classes that are none; and that bits depend neither on the level nor
 * on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

enum { NONE, MEAN, SUM };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};

/* One row: x and y are the inputs, of LogSoftmax x alone. */
typedef void row_function(const long double *x, const long double *y, long double *out, int64_t count);

static void log_softmax(const long double *x, const long double *y, long double *out, int64_t count)
{
    long double greatest = -(long double)INFINITY, sum = 0;
    (void)y;
    for (int64_t i = 0; i < count; i++)
        greatest = x[i] > greatest ? x[i] : greatest;
    for (int64_t i = 0; i < count; i++)
        sum += expl(x[i] - greatest);
    for (int64_t i = 0; i < count; i++)
        out[i] = x[i] - greatest - logl(sum);
}

static void softmax_backward(const long double *x, const long double *y, long double *out, int64_t count)
{
    long double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    for (int64_t i = 0; i < count; i++)
        out[i] = y[i] * (x[i] - sum);
}

static void log_softmax_backward(const long double *x, const long double *y, long double *out, int64_t count)
{
    long double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i];
    for (int64_t i = 0; i < count; i++)
        out[i] = x[i] - expl(y[i]) * sum;
}

static const struct {
    const char *name;
    unsigned inputs;
    row_function *row;
} softmaxes[] = {{"aclnnLogSoftmax", 1, log_softmax},
                 {"aclnnSoftmaxBackward", 2, softmax_backward},
                 {"aclnnLogSoftmaxBackward", 2, log_softmax_backward}};

enum { SOFTMAXES = sizeof softmaxes / sizeof softmaxes[0], ROW_MAX = 40000 };

static void call_softmax(size_t m, const struct layout *in, const struct layout *out, int64_t dim)
{
    union argument argument[4];
    unsigned count = 0;
    for (; count < softmaxes[m].inputs; count++)
        argument[count].tensor = in[count].tensor;
    argument[count++].int64 = dim;
    argument[count].tensor = out->tensor;
    assert_int_equal(call_function(find(softmaxes[m].name), argument), 0);
}

/* Rows of all along a dim of before, whose results are in out. */
static void check_softmax(size_t m, const long double *const *before, const struct layout *out, int64_t dim)
{
    static long double row[2][ROW_MAX], exact[ROW_MAX];
    int64_t step = 1;
    const int64_t count = out->rank > 0 ? out->shape[dim] : 1;
    for (unsigned i = (unsigned)dim + 1; i < out->rank; i++)
        step *= out->shape[i];
    for (int64_t i = 0; i < out->count; i++) {
        if (i / step % count != 0)
            continue;
        long double size = 0;
        for (unsigned k = 0; k < 2; k++)
            for (int64_t j = 0; j < count; j++)
                row[k][j] = before[k][i + j * step];
        for (int64_t j = 0; j < count; j++)
            size += isfinite(row[0][j]) ? fabsl(row[0][j]) : 0;
        softmaxes[m].row(row[0], row[1], exact, count);
        for (int64_t j = 0; j < count; j++)
            assert_near(softmaxes[m].name, out, i + j * step, exact[j], out->dtype,
                        (size + 1) * (m == 0 ? 0x1p-28L : 0x1p-45L) * fmaxl(1, expl(fabsl(row[1][j]))));
    }
}

static void try_softmax(size_t m, unsigned rank, const int64_t *shape, int64_t dim, enum layout_kind kind)
{
    static long double before[2][ROW_MAX];
    const aclDataType dtype = dtypes[random_below(4)];
    const bool has_special = random_below(4) == 0,
               is_in_place = random_below(4) == 0 && kind != LAYOUT_REPEATED;
    struct layout in[2];
    for (unsigned k = 0; k < 2; k++) {
        in[k] = layout_create(dtype, rank, shape, kind);
        layout_fill(&in[k], k == 0 ? 8 : 1, has_special);
        for (int64_t i = 0; i < in[k].count; i++)
            before[k][i] = (long double)element_of(&in[k], i);
    }
    struct layout out = is_in_place ? in[softmaxes[m].inputs - 1]
                                    : layout_create(dtypes[random_below(4)], rank, shape,
                                                    kind == LAYOUT_REPEATED ? LAYOUT_GAPS : kind);
    call_softmax(m, in, &out, random_below(2) == 0 ? dim : dim - (rank > 0 ? (int64_t)rank : 1));
    check_softmax(m, (const long double *const[]){before[0], before[1]}, &out, dim);
    layout_destroy(&in[0]);
    layout_destroy(&in[1]);
    if (!is_in_place)
        layout_destroy(&out);
}

static void softmaxes_of_all_layouts_are_near(void **state)
{
    static const int64_t wide[] = {3, 9000}, tall[] = {5000, 7};
    (void)state;
    for (int i = 0; i < times_effort(150); i++) {
        int64_t shape[LAYOUT_RANK_MAX];
        const unsigned rank = draw_dims(shape, 0, 4, 6000);
        try_softmax((size_t)i % SOFTMAXES, rank, shape, rank > 0 ? random_below(rank) : 0,
                    (enum layout_kind)random_below(LAYOUT_KINDS));
    }
    for (size_t m = 0; m < SOFTMAXES; m++)
        for (int dim = 0; dim < 2; dim++) {
            try_softmax(m, 2, wide, dim, LAYOUT_CONTIGUOUS);
            try_softmax(m, 2, tall, dim, LAYOUT_PERMUTED);
        }
}

/* Likelihoods: positions of rank 0 to 1 and, in 2d, 3. */
struct likelihood {
    bool is_2d;
    unsigned rank; /* of self */
    int64_t shape[4], positions, classes, reduction, ignored;
    struct layout self, target, weight, gradient, out, total;
    struct layout derived, given_total;
};

/* The element of self at a position and a class. */
static int64_t self_index(const struct likelihood *l, int64_t position, int64_t class)
{
    const int64_t inner = l->is_2d ? l->shape[2] * l->shape[3] : 1;
    return position / inner * l->classes * inner + class * inner + position % inner;
}

static void set_class(const struct layout *target, int64_t position, int64_t class)
{
    unsigned char *to = layout_element(target, position);
    const int32_t narrow = (int32_t) class;
    if (target->dtype == ACL_INT64)
        memcpy(to, &class, sizeof class);
    else if (target->dtype == ACL_INT32)
        memcpy(to, &narrow, sizeof narrow);
    else
        *to = (unsigned char)class;
}

static int64_t class_of(const struct layout *target, int64_t position)
{
    int64_t class = 0;
    int32_t narrow;
    if (target->dtype == ACL_INT32) {
        memcpy(&narrow, layout_element(target, position), sizeof narrow);
        return narrow;
    }
    memcpy(&class, layout_element(target, position), target->bytes);
    return class;
}

static void make_likelihood(struct likelihood *l)
{
    static const aclDataType classes[] = {ACL_INT64, ACL_INT32, ACL_UINT8};
    const aclDataType dtype = short_dtypes[random_below(3)];
    const enum layout_kind kind = (enum layout_kind)random_below(LAYOUT_REPEATED);
    *l = (struct likelihood){.is_2d = random_below(3) == 0, .reduction = random_below(3)};
    l->rank = l->is_2d ? 4 : 1 + (unsigned)random_below(2);
    l->classes = 1 + random_below(9);
    l->ignored = random_below(2) == 0 ? -100 : random_below(l->classes);
    l->shape[0] = l->rank == 1 ? l->classes
                               : 1 + random_below(l->is_2d               ? 6
                                                  : random_below(9) == 0 ? 9000
                                                                         : 60);
    l->shape[1] = l->classes;
    l->shape[2] = 1 + random_below(9), l->shape[3] = 1 + random_below(9);
    const int64_t positions[] = {l->shape[0], l->shape[2], l->shape[3]};
    const unsigned rank = l->rank - 1;
    l->positions = l->rank == 1 ? 1 : l->is_2d ? positions[0] * positions[1] * positions[2] : positions[0];
    const unsigned losses = l->reduction == NONE ? rank : 0;
    l->self = layout_create(dtype, l->rank, l->shape, kind);
    l->derived = layout_create(dtype, l->rank, l->shape, kind);
    l->target = layout_create(classes[random_below(3)], rank, positions, kind);
    l->weight = layout_create(dtype, 1, &l->classes, LAYOUT_GAPS);
    l->gradient = layout_create(dtype, losses, positions, kind);
    l->out = layout_create(short_dtypes[random_below(3)], losses, positions, kind);
    l->total = layout_create(short_dtypes[random_below(3)], 0, NULL, kind);
    l->given_total = layout_create(dtype, 0, NULL, kind);
    layout_fill(&l->self, 4, random_below(4) == 0 ? FEW_SPECIALS : NO_SPECIALS);
    layout_fill(&l->weight, 2, false);
    layout_fill(&l->gradient, 2, false);
    layout_fill(&l->given_total, 2, false);
    for (int64_t i = 0; i < l->positions; i++)
        set_class(&l->target, i,
                  l->target.dtype != ACL_UINT8 && random_below(5) == 0 ? l->ignored
                                                                       : random_below(l->classes));
    for (int64_t i = 0; l->ignored == -100 && l->target.dtype != ACL_UINT8 && i < l->positions; i += 7)
        set_class(&l->target, i, -100);
}

static void unmake_likelihood(struct likelihood *l)
{
    struct layout *const all[] = {&l->self, &l->target, &l->weight,  &l->gradient,
                                  &l->out,  &l->total,  &l->derived, &l->given_total};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        layout_destroy(all[i]);
}

static int call_likelihood(const struct likelihood *l)
{
    const union argument argument[] = {{.tensor = l->self.tensor},   {.tensor = l->target.tensor},
                                       {.tensor = l->weight.tensor}, {.int64 = l->reduction},
                                       {.int64 = l->ignored},        {.tensor = l->out.tensor},
                                       {.tensor = l->total.tensor}};
    return call_function(find(l->is_2d ? "aclnnNLLLoss2d" : "aclnnNLLLoss"), argument);
}

static int call_gradient(const struct likelihood *l)
{
    const union argument argument[] = {{.tensor = l->gradient.tensor},    {.tensor = l->self.tensor},
                                       {.tensor = l->target.tensor},      {.tensor = l->weight.tensor},
                                       {.int64 = l->reduction},           {.int64 = l->ignored},
                                       {.tensor = l->given_total.tensor}, {.tensor = l->derived.tensor}};
    return call_function(find(l->is_2d ? "aclnnNLLLoss2dBackward" : "aclnnNLLLossBackward"), argument);
}

static void check_likelihood(const struct likelihood *l)
{
    long double sum = 0, weights = 0, size = 0;
    for (int64_t i = 0; i < l->positions; i++) {
        const int64_t class = class_of(&l->target, i);
        long double loss = 0;
        if (class != l->ignored) {
            const long double weight = (long double)element_of(&l->weight, class);
            loss = -weight * (long double)element_of(&l->self, self_index(l, i, class));
            weights += weight;
        }
        if (l->reduction == NONE)
            assert_near("NLLLoss", &l->out, i, loss, l->self.dtype, 0);
        sum += loss;
        size += isfinite(loss) ? fabsl(loss) : 0;
    }
    if (l->reduction != NONE)
        assert_near("NLLLoss", &l->out, 0, l->reduction == MEAN ? sum / weights : sum, l->self.dtype,
                    l->reduction == MEAN ? fabsl(size / weights) * 0x1p-40L *
                                               fmaxl(1, (long double)l->positions / fabsl(weights))
                                         : size * 0x1p-45L);
    assert_near("NLLLoss", &l->total, 0, l->reduction == NONE ? 0 : weights, l->self.dtype,
                (long double)l->positions * 0x1p-45L);
}

static void check_gradient(const struct likelihood *l)
{
    const long double divisor = l->reduction == MEAN ? (long double)element_of(&l->given_total, 0) : 1;
    for (int64_t i = 0; i < l->positions; i++)
        for (int64_t k = 0; k < l->classes; k++) {
            const int64_t class = class_of(&l->target, i);
            const long double gradient = (long double)element_of(&l->gradient, l->reduction == NONE ? i : 0);
            const long double exact = k == class && class != l->ignored
                                          ? -gradient * (long double)element_of(&l->weight, class) / divisor
                                          : 0;
            assert_near("NLLLossBackward", &l->derived, self_index(l, i, k), exact, l->self.dtype, 0);
        }
}

static void likelihoods_and_gradients_of_all_layouts_are_near(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(300); i++) {
        struct likelihood l;
        make_likelihood(&l);
        assert_int_equal(call_likelihood(&l), 0);
        check_likelihood(&l);
        assert_int_equal(call_gradient(&l), 0);
        check_gradient(&l);
        unmake_likelihood(&l);
    }
}

/* The first one is told of, and nothing is written. */
static void classes_that_are_none_fail_the_work(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(40); i++) {
        struct likelihood l;
        do {
            make_likelihood(&l);
            if (l.is_2d || l.rank == 1 || l.target.dtype == ACL_UINT8)
                unmake_likelihood(&l);
        } while (l.is_2d || l.rank == 1 || l.target.dtype == ACL_UINT8);
        const int64_t place = random_below(l.positions), class = random_below(2) == 0 ? l.classes : -1;
        char text[96];
        set_class(&l.target, l.positions - 1, l.classes + 5);
        set_class(&l.target, place, class);
        memset(l.out.memory, 0x5a, (size_t)(l.out.reach + 1) * l.out.bytes);
        memset(l.derived.memory, 0x5a, (size_t)(l.derived.reach + 1) * l.derived.bytes);
        snprintf(text, sizeof text, "target holds %lld at [%lld]; 0 to %lld or ignoreIndex", (long long)class,
                 (long long)place, (long long)l.classes - 1);
        assert_int_equal(call_likelihood(&l), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
        assert_sentence(text);
        assert_int_equal(call_gradient(&l), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
        assert_sentence(text);
        for (size_t k = 0; k < (size_t)(l.out.reach + 1) * l.out.bytes; k++)
            assert_int_equal(l.out.memory[k], 0x5a);
        for (size_t k = 0; k < (size_t)(l.derived.reach + 1) * l.derived.bytes; k++)
            assert_int_equal(l.derived.memory[k], 0x5a);
        unmake_likelihood(&l);
    }
}

static void of_no_positions_the_mean_is_nan(void **state)
{
    static const int64_t shape[] = {0, 3}, three = 3;
    (void)state;
    for (int64_t reduction = 0; reduction < 3; reduction++) {
        struct likelihood l = {.rank = 2, .reduction = reduction, .ignored = -100};
        l.self = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS);
        l.derived = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS);
        l.target = layout_create(ACL_INT64, 1, shape, LAYOUT_CONTIGUOUS);
        l.weight = layout_create(ACL_FLOAT, 1, &three, LAYOUT_CONTIGUOUS);
        l.gradient = layout_create(ACL_FLOAT, reduction == NONE, shape, LAYOUT_CONTIGUOUS);
        l.out = layout_create(ACL_FLOAT, reduction == NONE, shape, LAYOUT_CONTIGUOUS);
        l.total = layout_create(ACL_FLOAT, 0, NULL, LAYOUT_CONTIGUOUS);
        l.given_total = layout_create(ACL_FLOAT, 0, NULL, LAYOUT_CONTIGUOUS);
        assert_int_equal(call_likelihood(&l), 0);
        assert_int_equal(call_gradient(&l), 0);
        assert_true(element_of(&l.total, 0) == 0);
        if (reduction != NONE)
            assert_true(reduction == MEAN ? isnan(element_of(&l.out, 0)) : element_of(&l.out, 0) == 0);
        unmake_likelihood(&l);
    }
}

static void faults_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnLogSoftmax"));
    attempt.argument[1].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim names dim 2 of self");
    release(&attempt);
    for (size_t m = 1; m < SOFTMAXES; m++) {
        attempt = accepted(find(softmaxes[m].name));
        attempt.argument[2].int64 = -3;
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim names dim -3 of gradOutput");
        replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(2, 4), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "output has shape [2, 4]");
        replace_dtype(&attempt, 1, ACL_FLOAT16);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "output has dtype FLOAT16");
        release(&attempt);
    }
    attempt = accepted(find("aclnnNLLLoss"));
    attempt.argument[3].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "reduction is 3");
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 1, DIMS(4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "weight has 4 elements in 1 dims; 3 in 1 are expected");
    replace(&attempt, 1, tensor_with(ACL_INT64, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "target has not the shape of self");
    replace_dtype(&attempt, 1, ACL_FLOAT);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "target has dtype FLOAT");
    release(&attempt);
    attempt = accepted(find("aclnnNLLLoss2d"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 3 dims; 4 is expected");
    release(&attempt);
    attempt = accepted(find("aclnnNLLLossBackward"));
    replace(&attempt, 6, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "totalWeight has 2 elements");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradOutput has 2 elements in 1 dims");
    release(&attempt);
}

static uint64_t everything(void)
{
    static const int64_t shape[] = {400, 401};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t m = 0; m < SOFTMAXES; m++) {
        struct layout in[] = {layout_create(ACL_FLOAT, 2, shape, LAYOUT_PERMUTED),
                              layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS)};
        struct layout out = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS);
        layout_fill(&in[0], 9, false);
        layout_fill(&in[1], 1, false);
        call_softmax(m, in, &out, 1);
        hash = hash_of(out.memory, (size_t)out.count * out.bytes, hash);
        layout_destroy(&in[0]);
        layout_destroy(&in[1]);
        layout_destroy(&out);
    }
    for (int i = 0; i < 100; i++) {
        struct likelihood l;
        make_likelihood(&l);
        if (call_likelihood(&l) != 0 || call_gradient(&l) != 0)
            return 0;
        hash = hash_of(l.out.memory, (size_t)(l.out.reach + 1) * l.out.bytes, hash);
        hash = hash_of(l.total.memory, l.total.bytes, hash);
        hash = hash_of(l.derived.memory, (size_t)(l.derived.reach + 1) * l.derived.bytes, hash);
        unmake_likelihood(&l);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmaxes_of_all_layouts_are_near),
        cmocka_unit_test(likelihoods_and_gradients_of_all_layouts_are_near),
        cmocka_unit_test(classes_that_are_none_fail_the_work),
        cmocka_unit_test(of_no_positions_the_mean_is_nan),
        cmocka_unit_test(faults_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
