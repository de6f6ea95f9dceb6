/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of an LSTM cell and its gradients, in random sizes and layouts, against the formulas in doubles, and
 * what is refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/check.h"

#include <cmocka.h>

#include "aclnnop/aclnn_thnn_fused_lstm_cell.h"
#include "aclnnop/aclnn_thnn_fused_lstm_cell_backward.h"
#include "ops/attempt.h"
#include "ops/layout.h"
#include "support/effort.h"
#include "support/open_stream.h"

/* The tensors of both functions; those of gates are (batch, 4 hidden), the biases (4 hidden). */
enum {
    INPUT_GATES,
    HIDDEN_GATES,
    STORAGE,
    GRAD_GATES,
    INPUT_BIAS,
    HIDDEN_BIAS,
    GRAD_BIAS,
    CX,
    HY,
    CY,
    GRAD_HY,
    GRAD_C,
    GRAD_CX,
    TENSORS
};

static double number(const struct layout *layout, int64_t i)
{
    double value;
    conversion_reference(layout_element(layout, i), layout->dtype, &value, ACL_DOUBLE);
    return value;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static void assert_near(const struct layout *layout, int64_t i, double expected, const char *name)
{
    const double found = number(layout, i), unit = layout->dtype == ACL_FLOAT     ? 2e-6
                                                   : layout->dtype == ACL_FLOAT16 ? 2e-3
                                                                                  : 2e-2;
    if (!(fabs(found - expected) <= unit * (1 + fabs(expected))))
        fail_msg("%s[%lld] is %g; %g is expected", name, (long long)i, found, expected);
}

static void run(aclnnStatus status, uint64_t *bytes, aclOpExecutor **executor,
                aclnnStatus (*launch)(void *, uint64_t, aclOpExecutor *, aclrtStream))
{
    if (status != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(*bytes, 0);
    assert_int_equal(launch(NULL, 0, *executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static double or_0(const struct layout *layout, bool is_given, int64_t i)
{
    return is_given ? number(layout, i) : 0;
}

static void assert_step(const struct layout *t, int64_t b, int64_t j, int64_t n, bool has_bias)
{
    double y[4];
    for (int g = 0; g < 4; g++) {
        const int64_t at = b * 4 * n + g * n + j, bias = g * n + j;
        const double sum = number(&t[INPUT_GATES], at) + number(&t[HIDDEN_GATES], at) +
                           or_0(&t[INPUT_BIAS], has_bias, bias) + or_0(&t[HIDDEN_BIAS], has_bias, bias);
        y[g] = g == 2 ? tanh(sum) : logistic(sum);
        assert_near(&t[STORAGE], at, y[g], "storageOut");
    }
    const double c = y[1] * number(&t[CX], b * n + j) + y[0] * y[2];
    assert_near(&t[CY], b * n + j, c, "cyOut");
    assert_near(&t[HY], b * n + j, y[3] * tanh(c), "hyOut");
}

static void assert_gradients(const struct layout *t, int64_t b, int64_t j, int64_t n, bool has_gradients,
                             double *sum)
{
    double y[4];
    for (int g = 0; g < 4; g++)
        y[g] = number(&t[STORAGE], b * 4 * n + g * n + j);
    const double tc = tanh(number(&t[CY], b * n + j)), dh = or_0(&t[GRAD_HY], has_gradients, b * n + j);
    const double dc = dh * y[3] * (1 - tc * tc) + or_0(&t[GRAD_C], has_gradients, b * n + j);
    const double gradient[] = {dc * y[2] * y[0] * (1 - y[0]),
                               dc * number(&t[CX], b * n + j) * y[1] * (1 - y[1]),
                               dc * y[0] * (1 - y[2] * y[2]), dh * tc * y[3] * (1 - y[3])};
    for (int g = 0; g < 4; g++) {
        assert_near(&t[GRAD_GATES], b * 4 * n + g * n + j, gradient[g], "gradGatesOut");
        sum[g * n + j] += gradient[g];
    }
    assert_near(&t[GRAD_CX], b * n + j, dc * y[1], "gradCxOut");
}

static void steps_and_gradients(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    (void)state;
    for (int round = 0; round < times_effort(90); round++) {
        const int64_t batch = random_below(20), n = random_below(40);
        const bool has_bias = random_below(2) == 0, has_gradients = random_below(4) > 0;
        struct layout t[TENSORS];
        double sum[160] = {0};
        uint64_t bytes;
        aclOpExecutor *executor;
        for (int i = 0; i < TENSORS; i++) {
            const bool is_bias = i >= INPUT_BIAS && i <= GRAD_BIAS;
            t[i] = layout_create(dtypes[round % 3], is_bias ? 1 : 2,
                                 is_bias ? DIMS(4 * n) : DIMS(batch, i < INPUT_BIAS ? 4 * n : n),
                                 (enum layout_kind)random_below(LAYOUT_REPEATED));
            layout_fill(&t[i], 1.5, false);
        }
        run(aclnnThnnFusedLstmCellGetWorkspaceSize(t[INPUT_GATES].tensor, t[HIDDEN_GATES].tensor,
                                                   t[CX].tensor, has_bias ? t[INPUT_BIAS].tensor : NULL,
                                                   has_bias ? t[HIDDEN_BIAS].tensor : NULL, t[HY].tensor,
                                                   t[CY].tensor, t[STORAGE].tensor, &bytes, &executor),
            &bytes, &executor, aclnnThnnFusedLstmCell);
        for (int64_t i = 0; i < batch * n; i++)
            assert_step(t, i / n, i % n, n, has_bias);
        run(aclnnThnnFusedLstmCellBackwardGetWorkspaceSize(
                has_gradients ? t[GRAD_HY].tensor : NULL, has_gradients ? t[GRAD_C].tensor : NULL,
                t[CX].tensor, t[CY].tensor, t[STORAGE].tensor, has_bias, t[GRAD_GATES].tensor,
                t[GRAD_CX].tensor, has_bias ? t[GRAD_BIAS].tensor : NULL, &bytes, &executor),
            &bytes, &executor, aclnnThnnFusedLstmCellBackward);
        for (int64_t i = 0; i < batch * n; i++)
            assert_gradients(t, i / n, i % n, n, has_gradients, sum);
        for (int64_t i = 0; has_bias && i < 4 * n; i++)
            assert_near(&t[GRAD_BIAS], i, sum[i], "gradBiasOut");
        for (int i = 0; i < TENSORS; i++)
            layout_destroy(&t[i]);
    }
}

static void cells_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnThnnFusedLstmCell"));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(3, 6), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "hiddenGates has shape [3, 6]; [3, 8]");
    replace(&attempt, 1, tensor_with(ACL_FLOAT16, 2, DIMS(3, 8), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "hiddenGates has dtype FLOAT16; FLOAT");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(3, 8), NULL));
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "inputBiasOptional has shape [2]; [8]");
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, DIMS(0), NULL));
    assert_accepted(&attempt);
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 3, DIMS(1, 3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "cx has shape [1, 3, 2]; 2 dims");
    release(&attempt);
    attempt = accepted(find("aclnnThnnFusedLstmCellBackward"));
    replace(&attempt, 4, tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "storage has shape [3, 2]; [3, 8]");
    replace(&attempt, 4, tensor_with(ACL_FLOAT, 2, DIMS(3, 8), NULL));
    replace(&attempt, 8, NULL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "gradBiasOut is NULL");
    attempt.argument[5] = argument_of_bool(false);
    assert_accepted(&attempt);
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_gradients),
        cmocka_unit_test(cells_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
