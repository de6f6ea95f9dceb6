/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements at the places that sizes, strides and an offset name: `strided` and `place` of programs (program.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ops/by_name/numbers.h"
#include "ops/by_name/program.h"
#include "ops/by_name/run.h"
#include "ops/call.h"

/* The elements of an operand at such places. */
struct places {
    struct numbers size, stride, offset;
    int64_t elements;
};

/* The words are sizes, strides and offset; all places must be the operand's own. */
static int places_of(struct run *run, const struct named_operand *operand, char *const *word,
                     struct places *places)
{
    const int64_t count = run_count(&operand->view);
    TRY(numbers_of(run->call, word[0], run->stream, &places->size));
    TRY(numbers_of(run->call, word[1], run->stream, &places->stride));
    TRY(numbers_of(run->call, word[2], run->stream, &places->offset));
    int64_t reach = places->offset.value[0];
    bool is_inside =
        places->size.count == places->stride.count && places->size.count <= OPERAND_RANK_MAX && reach >= 0;
    places->elements = 1;
    for (uint64_t i = 0; is_inside && i < places->size.count; i++) {
        const int64_t size = places->size.value[i], stride = places->stride.value[i];
        int64_t far;
        is_inside = size >= 0 && stride >= 0 &&
                    !__builtin_mul_overflow(places->elements, size, &places->elements) &&
                    !__builtin_mul_overflow(size > 0 ? size - 1 : 0, stride, &far) &&
                    !__builtin_add_overflow(reach, far, &reach);
    }
    if (is_inside && (reach < count || places->elements == 0))
        return 0;
    return fail(ACL_ERROR_INVALID_PARAM, "%s: sizes, strides or the offset of %s leave its %lld elements",
                run->call->api, run->call->named->name, (long long)count);
}

static int see(struct run *run, const struct named_operand *operand, const struct places *places,
               const aclTensor **tensor)
{
    const int64_t count = run_count(&operand->view);
    *tensor =
        aclCreateTensor(places->size.value, places->size.count, operand->view.dtype, places->stride.value,
                        places->offset.value[0], ACL_FORMAT_ND, &count, 1, operand->address);
    return run_keep(run, PARAMETER_TENSOR, false, *tensor);
}

static int copy_elements(struct run *run, const aclTensor *to, const aclTensor *from)
{
    const union argument argument[] = {ARG(to), ARG(from)};
    return program_call(run, program_function("InplaceCopy"), argument);
}

int strided_read(struct run *run, char *const *word)
{
    const struct named_operand *to = run_operand(run, word[1]);
    struct named_operand *from = run_operand(run, word[2]);
    struct places places;
    const aclTensor *target, *seen;
    if (to == NULL || from == NULL)
        return run_refuse(run, word[1]);
    TRY(places_of(run, from, word + 3, &places));
    if (places.elements != run_count(&to->view))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: sizes of %s are %lld elements; the output has %lld",
                    run->call->api, run->call->named->name, (long long)places.elements,
                    (long long)run_count(&to->view));
    if (places.elements == 0)
        return 0;
    TRY(run_bring(run, from));
    TRY(see(run, from, &places, &seen));
    struct named_operand shaped = *to;
    shaped.view.rank = (int32_t)places.size.count;
    memcpy(shaped.view.dims, places.size.value, places.size.count * sizeof(int64_t));
    TRY(run_tensor(run, &shaped, false, &target));
    return copy_elements(run, target, seen);
}

int strided_write(struct run *run, char *const *word)
{
    const struct named_operand *to = run_operand(run, word[1]);
    struct named_operand *from = run_operand(run, word[5]);
    struct places into, out_of;
    const aclTensor *target, *seen;
    if (to == NULL || from == NULL)
        return run_refuse(run, word[1]);
    TRY(places_of(run, to, word + 2, &into));
    TRY(places_of(run, from, word + 6, &out_of));
    if (into.elements == 0)
        return 0;
    TRY(run_bring(run, from));
    TRY(see(run, to, &into, &target));
    TRY(see(run, from, &out_of, &seen));
    return copy_elements(run, target, seen);
}

/* blocks: how many there are, and which two change places. */
int strided_swap_blocks(struct run *run, const struct named_operand *to, const struct named_operand *from,
                        const int blocks[3])
{
    const int64_t last = from->view.rank > 0 ? from->view.dims[from->view.rank - 1] : 0,
                  wide = last / blocks[0], count = run_count(&from->view);
    if (last == 0 || last % blocks[0] != 0 || count != run_count(&to->view) ||
        from->view.dtype != to->view.dtype)
        return run_refuse(run, "gate_order");
    const int64_t shape[] = {count / last, wide}, stride[] = {last, 1};
    for (int i = 0; i < blocks[0]; i++) {
        const int other = i == blocks[1] ? blocks[2] : i == blocks[2] ? blocks[1] : i;
        const aclTensor *source = aclCreateTensor(shape, 2, from->view.dtype, stride, i * wide, ACL_FORMAT_ND,
                                                  &count, 1, from->address);
        TRY(run_keep(run, PARAMETER_TENSOR, false, source));
        const aclTensor *target = aclCreateTensor(shape, 2, to->view.dtype, stride, other * wide,
                                                  ACL_FORMAT_ND, &count, 1, to->address);
        TRY(run_keep(run, PARAMETER_TENSOR, false, target));
        TRY(copy_elements(run, target, source));
    }
    return 0;
}

int strided_swap(struct run *run, char *const *word)
{
    struct named_operand *from = run_operand(run, word[2]);
    const int blocks[] = {atoi(word[3]), atoi(word[4]), atoi(word[5])};
    if (from == NULL)
        return run_refuse(run, word[2]);
    TRY(run_bring(run, from));
    struct named_operand source = *from;
    if (word[1][0] == 't') { /* another tensor, also in the place of the same name */
        struct named_operand *own = &run->own[atoi(word[1] + 1) % OWN_TENSORS];
        *own = source;
        TRY(run_allocate(run, own->view.bytes, &own->address));
    }
    return strided_swap_blocks(run, run_operand(run, word[1]), &source, blocks);
}
