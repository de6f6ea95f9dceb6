/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Worked examples of products of whole numbers by groups, and what of them is refused or fails; a part of
 * whole_products.c.
 */

/* Weights of 5 dims are blocks. */
static void weights_may_be_in_blocks(void **state)
{
    enum { K = 20, N = 40, C0 = 32 };
    (void)state;
    struct named_call call = call_begin_named("aclnnGroupedMatmulSwigluQuantWeightNZ");
    const struct layout *x = GIVE(&call, "x", ACL_INT8, 2, K),
                        *weight = GIVE(&call, "weight", ACL_INT8, 1, 2, 2, 16, C0);
    for (int64_t i = 0; i < x->count; i++)
        set_whole(x, i, random_below(9) - 4);
    for (int64_t i = 0; i < weight->count; i++)
        set_whole(weight, i, random_below(9) - 4);
    const struct layout *scale = GIVE(&call, "weightScale", ACL_FLOAT, 1, 2 * C0);
    for (int64_t i = 0; i < scale->count; i++)
        set_element(scale, i, .125);
    set_numbers(GIVE(&call, "xScale", ACL_FLOAT, 2), NUMBERS(.25, .5));
    set_whole(GIVE(&call, "groupList", ACL_INT64, 1), 0, 2);
    GIVE(&call, "output", ACL_INT8, 2, C0);
    const struct layout *scales = GIVE(&call, "outputScale", ACL_FLOAT, 2);
    if (run_named(&call) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    for (int64_t row = 0; row < 2; row++) {
        double s[C0], greatest = 0;
        for (int64_t j = 0; j < C0; j++) {
            double c[2];
            for (int h = 0; h < 2; h++) {
                int64_t sum = 0;
                for (int64_t k = 0; k < K; k++)
                    sum += whole_of(x, row * K + k) *
                           whole_of(weight, (h * 2 + k / 16) * 16 * C0 + k % 16 * C0 + j);
                c[h] = (double)sum * .125 * (row == 0 ? .25 : .5);
            }
            s[j] = c[0] / (1 + exp(-c[0])) * c[1];
            greatest = fmax(greatest, fabs(s[j]));
        }
        for (int64_t j = 0; j < C0; j++)
            assert_number(tensor_named(&call, "output"), row * C0 + j, s[j] / element_of(scales, row));
        assert_near("scale", scales, row, (long double)greatest / 127, ACL_FLOAT, 0x1p-40L);
    }
    end_named(&call);
}

/* x 3, w 2, scale 1 and a bias of 8 times w: ((3 - 8) 2 + 16) 1 = 6, as without both. */
static void four_bits_are_as_worked_out(void **state)
{
    (void)state;
    for (int has_bias = 0; has_bias < 2; has_bias++) {
        struct named_call call = call_begin_named("aclnnGroupedMatmulFinalizeRoutingV3");
        set_numbers(GIVE(&call, "x1", ACL_INT8, 1, 1), NUMBERS(3));
        set_numbers(GIVE(&call, "x2", ACL_INT32, 1, 1, 1), NUMBERS(2));
        set_numbers(GIVE(&call, "scale", ACL_FLOAT, 1, 8), NUMBERS(1, 1, 1, 1, 1, 1, 1, 1));
        if (has_bias)
            set_numbers(GIVE(&call, "bias", ACL_FLOAT, 1, 8), NUMBERS(16, 0, 0, 0, 0, 0, 0, 0));
        set_whole(GIVE(&call, "groupList", ACL_INT64, 1), 0, 1);
        GIVE(&call, "out", ACL_FLOAT, 1, 8);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        assert_numbers(&call, "out", NUMBERS(6, 0, 0, 0, 0, 0, 0, 0), 0);
        end_named(&call);
    }
}

static struct named_call small_sums(void)
{
    struct named_call call = call_begin_named("aclnnGroupedMatmulFinalizeRoutingV2");
    GIVE(&call, "x1", ACL_INT8, 3, 4);
    GIVE(&call, "x2", ACL_INT8, 2, 4, 5);
    GIVE(&call, "scale", ACL_FLOAT, 2, 5);
    set_numbers(GIVE(&call, "groupList", ACL_INT64, 2), NUMBERS(2, 1));
    GIVE(&call, "out", ACL_FLOAT, 3, 5);
    return call;
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    (void)state;
    struct named_call call = small_sums();
    GIVE(&call, "scale", ACL_FLOAT, 2, 4);
    assert_named_refused(&call, invalid, "scaleOptional has shape [2, 4]; one element or 5");
    GIVE(&call, "scale", ACL_FLOAT, 2, 2, 5);
    assert_named_refused(&call, invalid,
                         "scaleOptional has 2 rows for parts of the depth 4; one is expected");
    GIVE(&call, "scale", ACL_FLOAT, 2, 5);
    GIVE(&call, "pertokenScale", ACL_FLOAT, 4);
    assert_named_refused(&call, invalid, "pertokenScaleOptional has shape [4]; 3 elements");
    GIVE(&call, "pertokenScale", ACL_FLOAT, 3);
    GIVE(&call, "offset", ACL_FLOAT, 2, 5);
    assert_named_refused(&call, invalid, "offsetOptional is given; NULL is expected unless INT8 meets INT4");
    call.argument[place_named(&call, "offset")].tensor = NULL;
    GIVE(&call, "x1", ACL_INT8, 3, 3);
    assert_named_refused(&call, invalid, "x1 has 3 columns and x2 4 rows in group 0");
    GIVE(&call, "x1", ACL_INT32, 3, 1);
    assert_named_refused(&call, invalid, "x1 is INT32 and x2 INT8; INT8 by INT8 or INT4, or INT4 by INT4");
    GIVE(&call, "x1", ACL_INT8, 3, 4);
    GIVE(&call, "groupList", ACL_INT64, 3);
    assert_named_refused(&call, invalid, "x2 has shape [2, 4, 5]; matrices for 3 groups are expected");
    GIVE(&call, "groupList", ACL_INT64, 2);
    give_number(&call, "groupListType", 2);
    assert_named_refused(&call, invalid, "groupList has 1 dims; 2 are expected");
    give_number(&call, "groupListType", 3);
    assert_named_refused(&call, invalid, "groupListType is 3; 0 to 2 is expected");
    give_number(&call, "groupListType", 1);
    GIVE(&call, "sharedInput", ACL_BF16, 2, 5);
    give_number(&call, "sharedInputOffset", 2);
    assert_named_refused(&call, invalid, "sharedInputOffset is 2 for 2 rows; they are expected among the 3");
    give_number(&call, "dtype", 1);
    assert_named_refused(&call, invalid, "dtype is 1; 0, FLOAT, is expected");
    give_number(&call, "dtype", 0);
    give_number(&call, "transposeX2", 1);
    assert_named_refused(&call, invalid, "transposeX2 is true; false is expected");
    call = call_begin_named("aclnnGroupedMatmulSwigluQuant");
    GIVE(&call, "x", ACL_INT8, 3, 4);
    GIVE(&call, "weight", ACL_INT8, 2, 4, 5);
    GIVE(&call, "weightScale", ACL_FLOAT, 2, 5);
    GIVE(&call, "xScale", ACL_FLOAT, 3);
    GIVE(&call, "groupList", ACL_INT64, 2);
    GIVE(&call, "output", ACL_INT8, 3, 2);
    GIVE(&call, "outputScale", ACL_FLOAT, 3);
    assert_named_refused(&call, invalid, "weight has 5 columns; an even number is expected");
    GIVE(&call, "bias", ACL_FLOAT, 2, 5);
    assert_named_refused(&call, invalid, "biasOptional is given; NULL is expected unless INT8 meets INT4");
}

static void lists_and_rows_outside_fail(void **state)
{
    (void)state;
    struct named_call call = small_sums();
    set_numbers(tensor_named(&call, "groupList"), NUMBERS(2, 2));
    assert_failure(run_named(&call), FAULT, "groupList holds 2 at [1]");
    give_number(&call, "groupListType", 0);
    set_numbers(tensor_named(&call, "groupList"), NUMBERS(2, 1));
    assert_failure(run_named(&call), FAULT, "groupList holds 1 at [1]; sums are expected that do not fall");
    set_numbers(tensor_named(&call, "groupList"), NUMBERS(2, 3));
    set_numbers(GIVE(&call, "rowIndex", ACL_INT64, 3), NUMBERS(0, 3, 1));
    assert_failure(run_named(&call), FAULT, "rowIndex holds 3 at [1]; 0 to 2 are expected");
    set_numbers(tensor_named(&call, "rowIndex"), NUMBERS(0, 2, 1));
    assert_int_equal(run_named(&call), 0);
    give_number(&call, "groupListType", 2);
    set_numbers(GIVE(&call, "groupList", ACL_INT64, 2, 2), NUMBERS(2, 1, 0, 1));
    assert_failure(run_named(&call), FAULT, "groupList holds 2 at [0, 0]; a group from 0 to 1");
    set_numbers(tensor_named(&call, "groupList"), NUMBERS(2, 0, 0, 1));
    assert_int_equal(run_named(&call), 0);
}
