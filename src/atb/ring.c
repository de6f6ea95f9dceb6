/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * RingMLA: attention of packed sequences whose keys have rotated parts, over a part of the keys; what other
 * parts gave is merged with it by the logarithms of their sums.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_lerp_tensor.h"
#include "aclnnop/aclnn_logaddexp.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sub.h"
#include "atb/attention.h"

enum { Q, Q_ROPE, K, K_ROPE, VALUE, MASK, LENGTHS, BEFORE, BEFORE_LSE };
enum { OUT, LSE };

/* One row of lengths, for both sides, or a row of each. */
static int32_t take_lengths(struct setup *setup, struct sequences *sequences)
{
    const struct operand *lengths = &setup->in[LENGTHS];
    const uint64_t all = (uint64_t)operand_count(lengths);
    const uint64_t count = lengths->rank == 2 ? all / 2 : all;
    uint64_t read = 0;
    *sequences = (struct sequences){.count = count,
                                    .queries = (int64_t *)calloc(all + 1, sizeof(int64_t)),
                                    .keys = (int64_t *)calloc(all + 1, sizeof(int64_t))};
    int32_t status = ATB_NO_ERROR;
    if (sequences->queries == NULL || sequences->keys == NULL)
        status = atb_refuse(setup, ATB_INTERNAL_ERROR, "there is no memory for %" PRIu64 " lengths", all);
    else if (lengths->rank == 0 || lengths->rank > 2 || (lengths->rank == 2 && lengths->size[0] != 2))
        status = atb_refuse(setup, ATB_INVALID_TENSOR, "seqLen has rank %u; 1, or two rows, is expected",
                            lengths->rank);
    else
        status = read_lengths(setup, lengths, sequences->queries, all, &read);
    for (uint64_t i = 0; i < count && status == 0; i++)
        sequences->keys[i] = sequences->queries[(lengths->rank == 2 ? count : 0) + i];
    if (status != 0)
        end_sequences(sequences);
    return status;
}

/* The sum of each row as [tokens, heads, 1], of an operand [heads, tokens]. */
static aclTensor *by_tokens(struct setup *setup, const struct operand *lse)
{
    const int64_t size[] = {lse->size[1], lse->size[0], 1}, stride[] = {lse->stride[1], lse->stride[0], 1};
    return make_view(setup, lse, 3, size, stride, 0);
}

/*
 * (before e^a + now e^b) / (e^a + e^b) is now + w (before - now) with w = 1 / (1 + e^(b - a)); what is kept for
 * the next part is log(e^a + e^b).
 */
static int32_t merge(struct setup *setup, const struct operand *out, aclTensor *now, aclTensor *now_lse)
{
    const int64_t weights[] = {out->size[0], out->size[1], 1};
    aclTensor *before, *wide, *merged, *weight, *before_lse = by_tokens(setup, &setup->in[BEFORE_LSE]);
    float one = 1;
    make_temporary(setup, ACL_FLOAT, 3, out->size, &before);
    make_temporary(setup, ACL_FLOAT, 3, out->size, &wide);
    make_temporary(setup, ACL_FLOAT, 3, out->size, &merged);
    make_temporary(setup, ACL_FLOAT, 3, weights, &weight);
    CALL(setup, aclnnCast, make_tensor(setup, &setup->in[BEFORE]), ACL_FLOAT, before);
    CALL(setup, aclnnCast, now, ACL_FLOAT, wide);
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    const aclnnStatus status = PLAN(setup, aclnnSub, before_lse, now_lse, alpha, weight);
    aclDestroyScalar(alpha);
    TRY(add_step(setup, aclnnSub, status));
    CALL(setup, aclnnSigmoid, weight, weight);
    CALL(setup, aclnnLerp, wide, before, weight, merged);
    CALL(setup, aclnnCast, merged, out->dtype, make_tensor(setup, out));
    CALL(setup, aclnnLogAddExp, before_lse, now_lse, by_tokens(setup, &setup->out[LSE]));
    return ATB_NO_ERROR;
}

static int32_t check_lse(const struct setup *setup, const struct operand *lse, const struct operand *out)
{
    const bool fits = lse->rank == 2 && lse->dtype == ACL_FLOAT && lse->size[0] == out->size[1] &&
                      lse->size[1] == out->size[0];
    return fits ? ATB_NO_ERROR
                : atb_refuse(setup, ATB_INVALID_TENSOR,
                             "%s is not [heads, tokens] of FLOAT, which is expected", lse->name);
}

static int32_t set_up_ring(struct setup *setup, const void *bytes)
{
    enum { CONTINUES = 0, MASK_NONE = 0, MASK_TRIANGLE = 1 };
    const struct ring_param *param = (const struct ring_param *)bytes;
    const bool continues = param->calculation == CONTINUES;
    struct attended of = {.query = setup->in[Q],
                          .key = setup->in[K],
                          .value = setup->in[VALUE],
                          .out = setup->out[OUT],
                          .query_rope = &setup->in[Q_ROPE],
                          .key_rope = &setup->in[K_ROPE],
                          .heads = param->heads,
                          .key_heads = param->key_heads > 0 ? param->key_heads : param->heads,
                          .scale = (double)param->scale,
                          .mode = param->mask == MASK_NONE ? SEES_ALL : SEES_CAUSAL};
    struct sequences sequences;
    aclTensor *now = NULL, *lse = NULL;
    if (param->mask < MASK_NONE || param->mask > MASK_TRIANGLE || param->layout != 0)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "maskType is %d and inputLayout %d; 0 or 1, and 0, are expected", param->mask,
                          param->layout);
    TRY(attention_check(setup, &of));
    TRY(check_lse(setup, &setup->out[LSE], &of.out));
    if (continues && (!setup->in[BEFORE].is_there || !setup->in[BEFORE_LSE].is_there))
        return atb_refuse(setup, ATB_INVALID_TENSOR,
                          "preOut or preLse is not there; what is gone on with is expected");
    if (continues)
        TRY(check_lse(setup, &setup->in[BEFORE_LSE], &of.out));
    const int64_t rows[] = {of.out.size[0], of.out.size[1], 1};
    make_temporary(setup, ACL_FLOAT, 3, rows, &lse);
    of.lse = lse;
    if (continues) {
        make_temporary(setup, of.out.dtype, 3, of.out.size, &now);
        of.out_tensor = now;
    }
    TRY(take_lengths(setup, &sequences));
    const int32_t status = attention_add(setup, &of, &sequences);
    end_sequences(&sequences);
    TRY(status);
    if (continues)
        return merge(setup, &of.out, now, lse);
    CALL(setup, aclnnInplaceCopy, by_tokens(setup, &setup->out[LSE]), lse);
    return ATB_NO_ERROR;
}

const struct kind kind_ring = {"RingMLA", sizeof(struct ring_param), 9,          9, 2,
                               2,         1 << 5 | 1 << 7 | 1 << 8,  set_up_ring};
