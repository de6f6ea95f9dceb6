/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Images whose channels come last: `images` of programs (program.h) has what follows see them as planes. Operands are
 * turned, filters by the format of their description, and the lists of numbers for each axis with them; outputs are
 * turned back when the program has ended.
 */
#include <stdlib.h>
#include <string.h>

#include "acl/acl_op.h"
#include "base/error.h"
#include "ops/by_name/numbers.h"
#include "ops/by_name/program.h"
#include "ops/by_name/run.h"
#include "ops/call.h"
#include "runtime/named/op_attribute.h"

enum { IMAGE = 4, VOLUME = 5 };

/* Where each axis of planes lies where channels come last. */
static const int64_t image_last[VOLUME] = {0, 3, 1, 2}, volume_last[VOLUME] = {0, 4, 1, 2, 3};

/* Where each axis of planes lies in the operand: of an image, of a filter as its description says. */
static const int64_t *places_of(const struct named_operand *operand, bool is_filter)
{
    static const int64_t planes[VOLUME] = {0, 1, 2, 3, 4}, filter_last[VOLUME] = {3, 2, 0, 1};
    const bool is_deep = operand->view.rank == VOLUME;
    if (!is_filter || operand->view.format == (is_deep ? ACL_FORMAT_NDHWC : ACL_FORMAT_NHWC))
        return is_deep ? volume_last : image_last;
    return operand->view.format == ACL_FORMAT_HWCN ? filter_last : planes;
}

static int permute(struct run *run, const struct named_operand *from, const int64_t *places,
                   const struct named_operand *to)
{
    const aclTensor *source, *target;
    TRY(run_tensor(run, from, false, &source));
    TRY(run_tensor(run, to, false, &target));
    aclIntArray *axes = aclCreateIntArray(places, (uint64_t)from->view.rank);
    TRY(run_keep(run, PARAMETER_INT_ARRAY, false, axes));
    const union argument argument[] = {ARG(source), ARG(axes), ARG(target)};
    return program_call(run, program_function("Permute"), argument);
}

static int turn_operand(struct run *run, const char *word)
{
    struct named_operand *operand = run_operand(run, word);
    if (operand == NULL || (operand->view.rank != IMAGE && operand->view.rank != VOLUME))
        return run_refuse(run, word);
    const int64_t *places = places_of(operand, strstr(word, "/f") != NULL);
    struct named_operand turned = *operand;
    if (places[1] == 1) /* planes already */
        return 0;
    for (int32_t k = 0; k < operand->view.rank; k++)
        turned.view.dims[k] = operand->view.dims[places[k]];
    turned.view.format = ACL_FORMAT_ND;
    turned.desc = NULL;
    if (word[0] == 'y') {
        run->turned_out[atoi(word + 1) % NAMED_OUTPUTS] = *operand;
        run->turned_places[atoi(word + 1) % NAMED_OUTPUTS] = places;
    } else {
        TRY(run_bring(run, operand));
    }
    TRY(run_allocate(run, operand->view.bytes, &turned.address));
    if (word[0] == 'x')
        TRY(permute(run, operand, places, &turned));
    else
        run->planes_out[atoi(word + 1) % NAMED_OUTPUTS] = turned;
    *operand = turned;
    return 0;
}

/* A copy of the attributes in the order of planes. */
static int turn_attributes(struct run *run, const char *planar, bool is_deep)
{
    static const char *const of_axes[] = {"strides", "ksize", "dilation", "dilations", "output_padding"};
    const uint64_t axes = is_deep ? VOLUME : IMAGE;
    aclopAttr *attr = NULL;
    TRY(op_attribute_copy(run->call->api, run->call->attr, &attr));
    run->attr = attr;
    for (size_t i = 0; i < sizeof of_axes / sizeof of_axes[0]; i++) {
        uint64_t count;
        int64_t turned[VOLUME];
        const int64_t *list = op_attribute_list(run->call->attr, of_axes[i], &count);
        if (list == NULL || count != axes)
            continue;
        for (uint64_t k = 0; k < axes; k++)
            turned[k] = list[is_deep ? volume_last[k] : image_last[k]];
        TRY(aclopSetAttrListInt(attr, of_axes[i], (int)axes, turned));
    }
    TRY(aclopSetAttrString(attr, "data_format", planar));
    run->turned_call = *run->call;
    run->turned_call.attr = attr;
    run->call = &run->turned_call;
    return 0;
}

int layout_images(struct run *run, char *const *word, unsigned words)
{
    const struct named_operand *first = words > 1 ? run_operand(run, word[1]) : NULL;
    const bool is_deep = first != NULL && first->view.rank == VOLUME;
    const char *planar = is_deep ? "NCDHW" : "NCHW", *last = is_deep ? "NDHWC" : "NHWC",
               *format = op_attribute_text(run->call->attr, "data_format", planar);
    if (format[0] == '\0' || strcmp(format, planar) == 0)
        return 0;
    if (strcmp(format, last) != 0)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: the attribute data_format of %s is \"%s\"; %s or %s is expected", run->call->api,
                    run->call->named->name, format, planar, last);
    for (unsigned i = 1; i < words; i++)
        TRY(turn_operand(run, word[i]));
    return turn_attributes(run, planar, is_deep);
}

int layout_write_back(struct run *run)
{
    for (int i = 0; i < run->call->outputs && i < NAMED_OUTPUTS; i++) {
        const struct named_operand *out = &run->turned_out[i];
        int64_t back[VOLUME];
        if (!out->is_there)
            continue;
        for (int32_t k = 0; k < out->view.rank; k++)
            back[run->turned_places[i][k]] = k;
        TRY(permute(run, &run->planes_out[i], back, out));
    }
    return 0;
}
