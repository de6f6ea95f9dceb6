/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Worked examples of numbers in blocks, and what of them is refused or fails; a part of block_quant.c.
 */

/* {1, -2.5, 3.3, .07, 6.9, -7.6} in a block of 32 FLOAT, the example of the page. */
static void worked_examples(void **state)
{
    static const double six[] = {1, -2.5, 3.3, 0.07, 6.9, -7.6};
    static const struct {
        aclDataType dtype;
        int rule, power;
        double most;
        uint8_t code[6];
    } rows[] = {
        {ACL_FLOAT8_E4M3FN, 0, 121, 0, {0x68, 0xF2, 0x75, 0x49, 0x7E, 0xFE}},
        {ACL_FLOAT8_E4M3FN, 1, 122, 0, {0x60, 0xEA, 0x6D, 0x41, 0x76, 0xF7}},
        {ACL_FLOAT8_E5M2, 0, 114, 0, {0x70, 0xF5, 0x77, 0x60, 0x7B, 0xFB}},
        {ACL_FLOAT4_E2M1, 0, 127, 0, {2, 0xC, 5, 0, 7, 0xF}},
        {ACL_FLOAT4_E2M1, 2, 128, 6, {1, 0xA, 3, 0, 5, 0xE}},
        {ACL_FLOAT4_E2M1, 2, 127, 8, {2, 0xC, 5, 0, 7, 0xF}},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct named_call call = call_begin_named("aclnnDynamicMxQuantV3");
        struct layout *x = GIVE(&call, "x", ACL_FLOAT, 32);
        for (int64_t k = 0; k < 32; k++)
            set_element(x, k, k < 6 ? six[k] : 0);
        struct mx mx = {.dtype = rows[i].dtype, .rule = rows[i].rule, .most = rows[i].most};
        give_mx(&call, &mx);
        give_codes(&call, "y", mx.dtype, 1, x->shape);
        const int64_t scale[] = {1, 2};
        give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, 2, scale);
        assert_int_equal(run_named(&call), 0);
        assert_int_equal(code_at(tensor_named(&call, "mxscale"), 0, false), rows[i].power);
        assert_int_equal(code_at(tensor_named(&call, "mxscale"), 1, false), 0);
        for (int64_t k = 0; k < 6; k++)
            assert_int_equal(code_at(tensor_named(&call, "y"), k, dtype_is_packed(mx.dtype)),
                             rows[i].code[k]);
        end_named(&call);
    }
    /* BFLOAT16 {1, 2, .., 6} as E2M1: the first byte is 0x42. */
    struct named_call call = call_begin_named("aclnnDynamicMxQuant");
    struct layout *x = GIVE(&call, "x", ACL_BF16, 6);
    for (int64_t k = 0; k < 6; k++)
        set_element(x, k, (double)k + 1);
    give_number(&call, "dstType", ACL_FLOAT4_E2M1);
    struct layout *y = give_codes(&call, "y", ACL_FLOAT4_E2M1, 1, x->shape);
    const int64_t scale[] = {1, 2};
    give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, 2, scale);
    assert_int_equal(run_named(&call), 0);
    assert_int_equal(code_at(tensor_named(&call, "mxscale"), 0, false), 127);
    assert_int_equal(code_at(y, 0, true) | code_at(y, 1, true) << 4, 0x42);
    end_named(&call);
}

static struct named_call plain_call(const char *name, aclDataType dtype)
{
    static const int64_t shape[] = {4, 64}, scale[] = {4, 1, 2}, down[] = {1, 64, 2}, one = 1;
    struct named_call call = call_begin_named(name);
    give_tensor(&call, "x", ACL_FLOAT, 2, shape);
    give_number(&call, "dstType", dtype);
    if (place_named(&call, "groupIndex") >= 0)
        give_groups(&call, "groupIndex", &shape[0], one);
    give_codes(&call, "y", dtype, 2, shape);
    give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, 3, place_named(&call, "groupIndex") >= 0 ? down : scale);
    return call;
}

static void what_is_no_choice_is_refused(void **state)
{
    static const struct {
        const char *name;
        aclDataType dtype;
        const char *parameter;
        double value;
        const char *sentence;
    } rows[] = {
        {"aclnnDynamicMxQuant", ACL_FLOAT8_E5M2, "dstType", ACL_HIFLOAT8, "dstType is 34"},
        {"aclnnDynamicMxQuant", ACL_FLOAT8_E5M2, "dstType", -1, "dstType is -1"},
        {"aclnnDynamicMxQuant", ACL_FLOAT8_E5M2, "scaleAlg", 2, "scaleAlg is 2; 0 or 1 is expected"},
        {"aclnnDynamicMxQuant", ACL_FLOAT4_E2M1, "scaleAlg", 1, "scaleAlg is 1; 0 or 2 is expected"},
        {"aclnnDynamicMxQuant", ACL_FLOAT4_E1M2, "scaleAlg", 2, "scaleAlg is 2; 0 is expected"},
        {"aclnnDynamicMxQuant", ACL_FLOAT8_E5M2, "blocksize", 48, "blocksize is 48"},
        {"aclnnDynamicMxQuant", ACL_FLOAT8_E5M2, "blocksize", 1056, "blocksize is 1056"},
        {"aclnnDynamicMxQuant", ACL_FLOAT8_E5M2, "blocksize", 0, "blocksize is 0"},
        {"aclnnDynamicMxQuant", ACL_FLOAT8_E5M2, "axis", 2, "axis is 2"},
        {"aclnnDynamicMxQuantV2", ACL_FLOAT8_E5M2, "dstTypeMax", 6, "dstTypeMax is 6"},
        {"aclnnDynamicMxQuantV2", ACL_FLOAT4_E2M1, "dstTypeMax", 13, "dstTypeMax is 13"},
        {"aclnnDynamicMxQuantV3", ACL_FLOAT8_E5M2, "maxLowBound", 1, "maxLowBound is 1 with scaleAlg 0"},
        {"aclnnDynamicMxQuantV3", ACL_FLOAT8_E5M2, "maxLowBound", -1, "maxLowBound is -1"},
        {"aclnnGroupedDynamicMxQuantV2", ACL_FLOAT8_E5M2, "blocksize", 64, "blocksize is 64"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct named_call call = plain_call(rows[i].name, rows[i].dtype);
        assert_int_equal(run_named(&call), 0);
        give_number(&call, rows[i].parameter, rows[i].value);
        assert_named_refused(&call, 161002, rows[i].sentence);
        end_named(&call);
    }
    struct named_call call = plain_call("aclnnDynamicMxQuant", ACL_FLOAT8_E5M2);
    give_text(&call, "roundMode", "round");
    assert_named_refused(&call, 161002, "roundMode is \"round\"; \"rint\" is expected");
    give_text(&call, "roundMode", "nearest");
    assert_named_refused(&call, 161002, "roundMode is \"nearest\"");
    end_named(&call);
    call = call_begin_named("aclnnDynamicMxQuant");
    give_number(&call, "dstType", ACL_FLOAT4_E2M1);
    struct layout *odd = GIVE(&call, "x", ACL_FLOAT, 3, 33);
    give_codes(&call, "y", ACL_FLOAT4_E2M1, 2, odd->shape);
    const int64_t scale[] = {3, 1, 2};
    give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, 3, scale);
    assert_named_refused(&call, 161002, "x has shape [3, 33]; an even last dim is expected");
    end_named(&call);
}

static void groups_that_fall_are_told_by_the_stream(void **state)
{
    static const int64_t fall[] = {3, 2}, beyond[] = {2, 5};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct named_call call = plain_call("aclnnGroupedDynamicMxQuant", ACL_FLOAT8_E5M2);
        layout_destroy(&call.tensor[place_named(&call, "groupIndex")]);
        give_groups(&call, "groupIndex", i == 0 ? fall : beyond, 2);
        layout_destroy(&call.tensor[place_named(&call, "mxscale")]);
        const int64_t scale[] = {2, 64, 2};
        give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, 3, scale);
        uint64_t bytes;
        aclOpExecutor *executor;
        assert_int_equal(function_plan_anew(call.function, call.argument, &bytes, &executor), 0);
        assert_int_equal(call.function->launch(NULL, bytes, executor, stream), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 507035);
        end_named(&call);
    }
}

static void other_products_have_none(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnDynamicMxQuant");
    GIVE(&call, "x", ACL_FLOAT, 2, 64);
    const int64_t shape[] = {2, 64}, scale[] = {2, 1, 2};
    give_codes(&call, "y", ACL_FLOAT8_E4M3FN, 2, shape);
    give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, 3, scale);
    assert_named_refused(&call, 161002, "dstType is 36 on Ascend910B3");
    end_named(&call);
    call = call_begin_named("aclnnDynamicBlockQuant");
    GIVE(&call, "x", ACL_FLOAT16, 2, 3);
    const int64_t small[] = {2, 3};
    give_codes(&call, "y", ACL_INT8, 2, small);
    GIVE(&call, "scale", ACL_FLOAT, 2, 1);
    assert_int_equal(run_named(&call), 0);
    give_number(&call, "dstType", ACL_FLOAT8_E4M3FN);
    assert_named_refused(&call, 161002, "dstType is 36 on Ascend910B3");
    give_number(&call, "dstType", ACL_INT8);
    give_number(&call, "colBlockSize", 100);
    assert_named_refused(&call, 161002, "rowBlockSize is 1 and colBlockSize 100");
    give_number(&call, "colBlockSize", 128);
    give_number(&call, "minScale", -1);
    assert_named_refused(&call, 161002, "minScale is -1");
    end_named(&call);
}
