/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What functions of mixtures of experts have in common: checks of parts, and their tensors.
 */
#include "ops/experts/experts.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "ops/check.h"

aclnnStatus check_part(const struct call *call, unsigned part)
{
    return part_given(call, part) ? check_dtype(call, part_at(call, part)) : ACLNN_SUCCESS;
}

aclnnStatus check_dims(const struct call *call, unsigned part, uint32_t rank, int64_t first, int64_t second)
{
    const int64_t expected[] = {first, second};
    if (!part_given(call, part))
        return ACLNN_SUCCESS;
    const struct tensor_view *view = part_view(call, part);
    bool fits = view->rank == rank;
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = expected[i] < 0 || view->shape[i] == expected[i];
    if (fits)
        return ACLNN_SUCCESS;
    struct text *text = TEXT;
    for (uint32_t i = 0; i < rank; i++)
        expected[i] < 0 ? text_append(text, "%sany", i > 0 ? ", " : "")
                        : text_append(text, "%s%" PRId64, i > 0 ? ", " : "", expected[i]);
    return refuse(call, "%s has shape %s; [%s] is expected", call_name(call, part_at(call, part)),
                  shape_text(TEXT, view), text->bytes);
}

aclnnStatus check_number(const struct call *call, unsigned number, int64_t least, int64_t most)
{
    const int64_t value = form_number(call, number, least);
    if (value >= least && value <= most)
        return ACLNN_SUCCESS;
    return refuse(call, "%s is %" PRId64 "; %" PRId64 " to %" PRId64 " is expected",
                  call_name(call, number_at(call, number)), value, least, most);
}

aclnnStatus check_part_given(const struct call *call, unsigned part, const char *what)
{
    if (part_given(call, part))
        return ACLNN_SUCCESS;
    return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL, which %s asks for", call->function->operation.name,
                form_of(call)->tensor[part] > 0 ? call_name(call, part_at(call, part)) : "a tensor", what);
}

struct output *add_dims(struct result *result, aclDataType dtype, uint32_t rank, int64_t first,
                        int64_t second, int64_t third)
{
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = rank, .dim = {first, second, third}};
    return output;
}

void set_port(struct ports *ports, const struct call *call, unsigned part, aclDataType carried)
{
    if (!part_given(call, part))
        return;
    ports->at[part] = port_of(call, part_at(call, part), carried);
    ports->given |= UINT32_C(1) << part;
}

aclnnStatus finish_experts(const struct call *call, const void *plan, size_t bytes, double cost_ns)
{
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, bytes, &content, &made));
    memcpy(made, plan, bytes);
    content->cost_ns = (uint64_t)cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}
