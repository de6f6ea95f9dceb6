/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Deformable convolutions and their gradients against loops over all elements: a sample is the sum of every element of
 * its plane, which weighs what hats of width 2 around the place give it.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/named_call.h"
#include "support/effort.h"

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

struct sizes {
    int64_t images, channels, out, height, width, kh, kw, oh, ow, groups, moved;
    int64_t stride[4], padding[4], dilation[4];
    bool has_masks;
    aclDataType dtype;
};

static struct sizes draw_sizes(int round)
{
    struct sizes s;
    do {
        s = (struct sizes){.images = 1 + random_below(2),
                           .kh = 1 + random_below(3),
                           .kw = 1 + random_below(3),
                           .height = 1 + random_below(6),
                           .width = 1 + random_below(6),
                           .groups = 1 + random_below(2),
                           .moved = 1 + random_below(2),
                           .stride = {1, 1, 1 + random_below(2), 1 + random_below(3)},
                           .padding = {random_below(3), random_below(2), random_below(2), random_below(3)},
                           .dilation = {1, 1, 1 + random_below(2), 1 + random_below(2)},
                           .has_masks = round % 3 != 0,
                           .dtype = dtypes[round % 3]};
        const int64_t high = s.height + s.padding[0] + s.padding[1] - (s.kh - 1) * s.dilation[2] - 1,
                      wide = s.width + s.padding[2] + s.padding[3] - (s.kw - 1) * s.dilation[3] - 1;
        s.oh = high < 0 ? 0 : high / s.stride[2] + 1, s.ow = wide < 0 ? 0 : wide / s.stride[3] + 1;
    } while (s.oh == 0 || s.ow == 0);
    s.channels = 2 * (1 + random_below(2)), s.out = s.groups * (1 + random_below(3));
    return s;
}

static void give_attributes(struct named_call *call, const struct sizes *s)
{
    give_array(call, "kernelSize", (const int64_t[]){s->kh, s->kw}, 2);
    give_array(call, "stride", s->stride, 4);
    give_array(call, "padding", s->padding, 4);
    give_array(call, "dilation", s->dilation, 4);
    give_number(call, "groups", (double)s->groups);
    give_number(call, "deformableGroups", (double)s->moved);
    give_number(call, "modulated", s->has_masks);
}

static const struct layout *give_offset(struct named_call *call, const struct sizes *s)
{
    const int64_t kinds = s->has_masks ? 3 : 2;
    return GIVE(call, "offset", s->dtype, s->images, kinds * s->moved * s->kh * s->kw, s->oh, s->ow);
}

/* A sample's number: of an image, a channel's group of offsets, a place of the kernel and of the output. */
struct place {
    int64_t image, group, k, to;
};

static int64_t offset_at(const struct sizes *s, const struct place *at, int64_t kind)
{
    const int64_t kinds = s->has_masks ? 3 : 2, places = s->kh * s->kw;
    return (((at->image * kinds + kind) * s->moved + at->group) * places + at->k) * s->oh * s->ow + at->to;
}

static double mask_of(const struct sizes *s, const struct layout *offset, const struct place *at)
{
    return s->has_masks ? element_of(offset, offset_at(s, at, 2)) : 1;
}

/* What an element of the plane weighs in the sample, or by how much that changes with a kind of offset: behind
 * places of whole numbers, which drawn numbers of 16 bits often give. */
static double hat(const struct sizes *s, const struct layout *offset, const struct place *at, int64_t element,
                  int slope)
{
    const double down = (double)(at->to / s->ow * s->stride[2] - s->padding[0] +
                                 at->k / s->kw * s->dilation[2]) +
                        element_of(offset, offset_at(s, at, 1)),
                 right = (double)(at->to % s->ow * s->stride[3] - s->padding[2] +
                                  at->k % s->kw * s->dilation[3]) +
                         element_of(offset, offset_at(s, at, 0)),
                 y = down - (double)(element / s->width), x = right - (double)(element % s->width);
    if (!(down > -1 && right > -1 && fabs(x) <= 1 && fabs(y) <= 1 && x < 1 && y < 1))
        return 0;
    return slope < 0    ? (1 - fabs(x)) * (1 - fabs(y))
           : slope == 0 ? (x < 0 ? 1 : -1) * (1 - fabs(y))
                        : (y < 0 ? 1 : -1) * (1 - fabs(x));
}

static double sampled(const struct sizes *s, const struct layout *offset, const struct layout *x,
                      const struct place *at, int64_t channel, int slope)
{
    const int64_t plane = s->height * s->width;
    double sum = 0;
    for (int64_t i = 0; i < plane; i++)
        sum += hat(s, offset, at, i, slope) * element_of(x, (at->image * s->channels + channel) * plane + i);
    return sum;
}

static int64_t deformed_at(const struct sizes *s, const struct place *at, int64_t channel)
{
    const int64_t y = at->to / s->ow * s->kh + at->k / s->kw, x = at->to % s->ow * s->kw + at->k % s->kw;
    return ((at->image * s->channels + channel) * s->oh * s->kh + y) * s->ow * s->kw + x;
}

static void samples_are_convolved(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(30); round++) {
        const struct sizes s = draw_sizes(round);
        struct named_call call = call_begin_named("aclnnDeformableConv2d");
        const int64_t each = s.channels / s.groups, places = s.kh * s.kw, made = s.oh * s.ow;
        const struct layout *x = GIVE(&call, "x", s.dtype, s.images, s.channels, s.height, s.width),
                            *weight = GIVE(&call, "weight", s.dtype, s.out, each, s.kh, s.kw),
                            *offset = give_offset(&call, &s),
                            *bias = round % 2 == 0 ? GIVE(&call, "bias", s.dtype, s.out) : NULL;
        give_attributes(&call, &s);
        const struct layout *out = GIVE(&call, "out", s.dtype, s.images, s.out, s.oh, s.ow),
                            *deformed = round % 4 == 3 ? NULL
                                                       : GIVE(&call, "deformOut", s.dtype, s.images,
                                                              s.channels, s.oh * s.kh, s.ow * s.kw);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < s.images * s.out * made; i++) {
            const int64_t o = i / made % s.out;
            long double sum = bias != NULL ? (long double)element_of(bias, o) : 0, size = fabsl(sum);
            for (int64_t j = 0; j < each * places; j++) {
                const int64_t channel = o / (s.out / s.groups) * each + j / places;
                const struct place at = {i / made / s.out, channel / (s.channels / s.moved), j % places,
                                         i % made};
                double sample = sampled(&s, offset, x, &at, channel, -1) * mask_of(&s, offset, &at);
                if (deformed != NULL) {
                    assert_near("deformed", deformed, deformed_at(&s, &at, channel), (long double)sample,
                                s.dtype, fabsl((long double)sample) * 0x1p-45L + 0x1p-50L);
                    sample = element_of(deformed, deformed_at(&s, &at, channel));
                }
                const long double term =
                    (long double)sample * (long double)element_of(weight, o * each * places + j);
                sum += term, size += fabsl(term);
            }
            assert_near("out", out, i, sum, s.dtype,
                        size * (deformed != NULL       ? 0x1p-45L
                                : s.dtype == ACL_FLOAT ? 0x1p-23L
                                                       : 0x1p-8L));
        }
        end_named(&call);
    }
}

struct gradient {
    const struct layout *x, *given, *weight, *offset;
};

/* What the samples of a channel give to their own gradient. */
static double of_sample(const struct sizes *s, const struct gradient *g, const struct place *at,
                        int64_t channel)
{
    const int64_t each = s->channels / s->groups, outs = s->out / s->groups, places = s->kh * s->kw;
    double sum = 0;
    for (int64_t o = channel / each * outs; o < (channel / each + 1) * outs; o++)
        sum += element_of(g->given, (at->image * s->out + o) * s->oh * s->ow + at->to) *
               element_of(g->weight, (o * each + channel % each) * places + at->k);
    return sum;
}

static void judge_input(const struct sizes *s, const struct gradient *g, const struct layout *out)
{
    const int64_t plane = s->height * s->width;
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t channel = i / plane % s->channels;
        long double sum = 0, size = 0;
        for (int64_t j = 0; j < s->kh * s->kw * s->oh * s->ow; j++) {
            const struct place at = {i / plane / s->channels, channel / (s->channels / s->moved),
                                     j / (s->oh * s->ow), j % (s->oh * s->ow)};
            const double weight = hat(s, g->offset, &at, i % plane, -1);
            if (weight == 0)
                continue;
            const long double term =
                (long double)(weight * mask_of(s, g->offset, &at) * of_sample(s, g, &at, channel));
            sum += term, size += fabsl(term) + fabsl((long double)weight) * 16;
        }
        assert_near("gradInput", out, i, sum, s->dtype, size * 0x1p-40L);
    }
}

static void judge_offset(const struct sizes *s, const struct gradient *g, const struct layout *out)
{
    const int64_t each = s->channels / s->moved, places = s->kh * s->kw, made = s->oh * s->ow;
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t kinds = s->has_masks ? 3 : 2, kind = i / made / places / s->moved % kinds;
        const struct place at = {i / made / places / s->moved / kinds, i / made / places % s->moved,
                                 i / made % places, i % made};
        long double sum = 0, size = 0;
        for (int64_t c = at.group * each; c < (at.group + 1) * each; c++) {
            const double slope = sampled(s, g->offset, g->x, &at, c, kind == 2 ? -1 : (int)kind) *
                                 (kind == 2 ? 1 : mask_of(s, g->offset, &at));
            const long double term = (long double)(slope * of_sample(s, g, &at, c));
            sum += term, size += fabsl(term) + 64;
        }
        assert_near("gradOffset", out, i, sum, s->dtype, size * 0x1p-40L);
    }
}

static void gradients_are_those_of_samples(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(24); round++) {
        const struct sizes s = draw_sizes(round);
        struct named_call call = call_begin_named("aclnnDeformableConv2dBackward");
        const int64_t each = s.channels / s.groups, places = s.kh * s.kw, made = s.oh * s.ow;
        const struct gradient g = {.x =
                                       GIVE(&call, "input", s.dtype, s.images, s.channels, s.height, s.width),
                                   .given = GIVE(&call, "gradOutput", s.dtype, s.images, s.out, s.oh, s.ow),
                                   .weight = GIVE(&call, "weight", s.dtype, s.out, each, s.kh, s.kw),
                                   .offset = give_offset(&call, &s)};
        const struct layout *deformed =
            GIVE(&call, "deformOut", s.dtype, s.images, s.channels, s.oh * s.kh, s.ow * s.kw);
        give_attributes(&call, &s);
        const struct layout *input =
                                GIVE(&call, "gradInput", s.dtype, s.images, s.channels, s.height, s.width),
                            *weight = GIVE(&call, "gradWeight", s.dtype, s.out, each, s.kh, s.kw),
                            *bias = GIVE(&call, "gradBias", s.dtype, s.out);
        const int64_t kinds = s.has_masks ? 3 : 2;
        const struct layout *offset =
            GIVE(&call, "gradOffset", s.dtype, s.images, kinds * s.moved * places, s.oh, s.ow);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        judge_input(&s, &g, input);
        judge_offset(&s, &g, offset);
        for (int64_t i = 0; i < weight->count + bias->count; i++) {
            const bool is_bias = i >= weight->count;
            const int64_t o = is_bias ? i - weight->count : i / places / each;
            long double sum = 0, size = 0;
            for (int64_t j = 0; j < s.images * made; j++) {
                const struct place at = {j / made, 0, i % places, j % made};
                long double term = (long double)element_of(g.given, (at.image * s.out + o) * made + at.to);
                if (!is_bias)
                    term *= (long double)element_of(
                        deformed, deformed_at(&s, &at, o / (s.out / s.groups) * each + i / places % each));
                sum += term, size += fabsl(term);
            }
            assert_near(is_bias ? "gradBias" : "gradWeight", is_bias ? bias : weight, is_bias ? o : i, sum,
                        s.dtype, size * 0x1p-40L);
        }
        end_named(&call);
    }
}

/* A call of 1 x 2 x 3 x 3 by 2 x 2 x 2 x 2 with one number of an array changed. */
static void refuse_call(const char *name, const int64_t *numbers, uint64_t count, double groups,
                        const char *sentence)
{
    struct named_call call = call_begin_named("aclnnDeformableConv2d");
    const struct sizes s = {.kh = 2,
                            .kw = 2,
                            .groups = 1,
                            .moved = 1,
                            .has_masks = true,
                            .stride = {1, 1, 1, 1},
                            .dilation = {1, 1, 1, 1}};
    GIVE(&call, "x", ACL_FLOAT, 1, 2, 3, 3);
    GIVE(&call, "weight", ACL_FLOAT, 2, 2, 2, 2);
    GIVE(&call, "offset", ACL_FLOAT, 1, 12, 2, 2);
    GIVE(&call, "out", ACL_FLOAT, 1, 2, 2, 2);
    give_attributes(&call, &s);
    give_number(&call, "deformableGroups", groups);
    if (name != NULL)
        assert_int_equal(aclDestroyIntArray(call.argument[place_named(&call, name)].ints), 0);
    if (name != NULL)
        give_array(&call, name, numbers, count);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, sentence);
    end_named(&call);
}

static void attributes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    refuse_call("kernelSize", (const int64_t[]){2, 0}, 2, 1, "kernelSize is [2, 0]; 2 numbers of 1 or more");
    refuse_call("stride", (const int64_t[]){1, 1, 0, 1}, 4, 1,
                "stride is [1, 1, 0, 1]; 4 numbers of 1 or more");
    refuse_call("padding", (const int64_t[]){0, 0, -1, 0}, 4, 1,
                "padding is [0, 0, -1, 0]; 4 numbers of 0 or more");
    refuse_call("dilation", (const int64_t[]){1, 1}, 2, 1, "dilation is [1, 1]; 4 numbers of 1 or more");
    refuse_call("dilation", (const int64_t[]){1, 1, 3, 1}, 4, 1, "as many as the kernel takes are expected");
    refuse_call(NULL, NULL, 0, 3, "groups and deformableGroups are 1 and 3; divisors of 2 channels");
    refuse_call(NULL, NULL, 0, 2, "offset has shape");
}

/* Of no channels the offsets change nothing, and a bias has its gradient still. */
static void gradients_without_channels_are_those_of_the_bias(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnDeformableConv2dBackward");
    const struct sizes s = {.kh = 2,
                            .kw = 2,
                            .groups = 1,
                            .moved = 3,
                            .has_masks = true,
                            .stride = {1, 1, 1, 1},
                            .dilation = {1, 1, 1, 1}};
    GIVE(&call, "input", ACL_FLOAT, 1, 0, 3, 3), GIVE(&call, "weight", ACL_FLOAT, 2, 0, 2, 2);
    GIVE(&call, "deformOut", ACL_FLOAT, 1, 0, 4, 4), GIVE(&call, "offset", ACL_FLOAT, 1, 36, 2, 2);
    const struct layout *given = GIVE(&call, "gradOutput", ACL_FLOAT, 1, 2, 2, 2);
    GIVE(&call, "gradInput", ACL_FLOAT, 1, 0, 3, 3), GIVE(&call, "gradWeight", ACL_FLOAT, 2, 0, 2, 2);
    const struct layout *bias = GIVE(&call, "gradBias", ACL_FLOAT, 2),
                        *offset = GIVE(&call, "gradOffset", ACL_FLOAT, 1, 36, 2, 2);
    give_attributes(&call, &s);
    if (run_named(&call) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    for (int64_t o = 0; o < 2; o++) {
        long double sum = 0;
        for (int64_t i = 0; i < 4; i++)
            sum += (long double)element_of(given, o * 4 + i);
        assert_near("gradBias", bias, o, sum, ACL_FLOAT, 0x1p-45L);
    }
    for (int64_t i = 0; i < offset->count; i++)
        assert_true(element_of(offset, i) == 0);
    end_named(&call);
}

/* Sizes of tensors without elements, whose sums and products are too large. */
static void what_cannot_be_counted_is_refused(void **state)
{
    static const int64_t wide[] = {0, 2, INT64_MAX, 3};
    (void)state;
    struct named_call call = call_begin_named("aclnnDeformableConv2d");
    struct sizes s = {.kh = 2,
                      .kw = 2,
                      .groups = 1,
                      .moved = INT64_C(6148914691236517888), /* three times as many are 2^64 + 2048 */
                      .has_masks = true,
                      .stride = {1, 1, 1, 1},
                      .dilation = {1, 1, 1, 1}};
    GIVE(&call, "x", ACL_FLOAT, 1, 0, 3, 3), GIVE(&call, "weight", ACL_FLOAT, 2, 0, 2, 2);
    GIVE(&call, "offset", ACL_FLOAT, 1, 8192, 2, 2), GIVE(&call, "out", ACL_FLOAT, 1, 2, 2, 2);
    give_attributes(&call, &s);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "the kernel has more places than can be counted");
    end_named(&call);
    call = call_begin_named("aclnnDeformableConv2d");
    s.moved = 1, s.padding[1] = 1;
    GIVE(&call, "weight", ACL_FLOAT, 2, 2, 2, 2), GIVE(&call, "offset", ACL_FLOAT, 0, 12, 2, 2);
    GIVE(&call, "out", ACL_FLOAT, 0, 2, 2, 2);
    give_attributes(&call, &s);
    aclTensor *x = aclCreateTensor(wide, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    call.argument[place_named(&call, "x")].tensor = x;
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "elements along a side; fewer are expected");
    assert_int_equal(aclDestroyTensor(x), 0);
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_convolved),
        cmocka_unit_test(gradients_are_those_of_samples),
        cmocka_unit_test(attributes_that_do_not_fit_are_refused),
        cmocka_unit_test(gradients_without_channels_are_those_of_the_bias),
        cmocka_unit_test(what_cannot_be_counted_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
