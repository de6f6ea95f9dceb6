/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The numbers of a program that a few kinds alone ask for: the ends of a dtype's range, how many labels each
 * sample has, where axes of images are in another order.
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ops/by_name/numbers.h"
#include "runtime/named/op_attribute.h"
#include "tensor/dtype.h"

/* "@lowest" and "@greatest" of the dtype of x0; of floats the finite ones. */
static int end_of_range(const struct named_call *call, bool is_lowest, struct numbers *numbers)
{
    const aclDataType dtype = call->input[0].view.dtype;
    const double most = dtype == ACL_FLOAT     ? (double)FLT_MAX
                        : dtype == ACL_FLOAT16 ? 65504
                        : dtype == ACL_BF16    ? 0x1.FEp127
                                               : 0;
    const int bits = 8 * (int)dtype_bytes(dtype);
    const bool is_signed =
        dtype == ACL_INT8 || dtype == ACL_INT16 || dtype == ACL_INT32 || dtype == ACL_INT64;
    if (most == 0 && !is_signed && dtype != ACL_UINT8)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: input 0 of %s has dtype %s; FLOAT, FLOAT16, BFLOAT16 or integers are expected",
                    call->api, call->named->name, dtype_name(dtype));
    numbers->count = 1;
    numbers->first = is_lowest ? -most : most;
    numbers->dtype = most != 0 ? ACL_FLOAT : ACL_INT64;
    numbers->value[0] = !is_signed  ? (is_lowest ? 0 : UINT8_MAX)
                        : is_lowest ? INT64_MIN >> (64 - bits)
                                    : INT64_MAX >> (64 - bits);
    return 0;
}

/* "@labels": how many rows of input 1 name each sample, x0's second axis. */
static int labels_of(const struct named_call *call, aclrtStream stream, struct numbers *numbers)
{
    const struct named_operand *rows = &call->input[1];
    const int64_t samples = call->input[0].view.rank == 3 ? call->input[0].view.dims[1] : 0;
    if (!rows->is_there || rows->view.dtype != ACL_INT64 || rows->view.rank != 2 || rows->view.dims[1] != 2 ||
        samples < 1 || samples > NUMBERS_MAX)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: the labels of %s are not INT64 [n, 2] for 1 to %d samples, which are expected",
                    call->api, call->named->name, NUMBERS_MAX);
    const int64_t count = rows->view.dims[0];
    int64_t *row = malloc(rows->view.bytes > 0 ? rows->view.bytes : 1);
    int status = row == NULL ? fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for labels", call->api)
                             : numbers_bring(call, rows, stream, row);
    numbers->count = (uint64_t)samples;
    memset(numbers->value, 0, numbers->count * sizeof numbers->value[0]);
    for (int64_t i = 0; status == 0 && i < count; i++) {
        const int64_t sample = row[2 * i];
        if (sample < 0 || sample >= samples || (i > 0 && sample < row[2 * i - 2]))
            status =
                fail(ACL_ERROR_INVALID_PARAM,
                     "%s: label %lld of %s is sample %lld's; samples below %lld in their order are expected",
                     call->api, (long long)i, call->named->name, (long long)sample, (long long)samples);
        else
            numbers->value[sample]++;
    }
    free(row);
    return status;
}

/* "@formats": for each axis of src_format its place in dst_format. */
static int places_in_format(const struct named_call *call, struct numbers *numbers)
{
    const char *from = op_attribute_text(call->attr, "src_format", "NHWC"),
               *to = op_attribute_text(call->attr, "dst_format", "NCHW");
    bool is_known = strlen(from) == 4 && strlen(to) == 4;
    for (int i = 0; is_known && i < 4; i++) {
        const char *at = strchr(to, from[i]);
        is_known = at != NULL && strchr("NCHW", from[i]) != NULL;
        numbers->value[i] = is_known ? at - to : 0;
    }
    numbers->count = 4;
    return is_known
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM,
                      "%s: the formats of %s are \"%s\" and \"%s\"; orders of N, C, H and W are expected",
                      call->api, call->named->name, from, to);
}

int numbers_of_kind(const struct named_call *call, const char *token, aclrtStream stream,
                    struct numbers *numbers)
{
    if (strcmp(token, "@labels") == 0)
        return labels_of(call, stream, numbers);
    if (strcmp(token, "@formats") == 0)
        return places_in_format(call, numbers);
    return end_of_range(call, strcmp(token, "@lowest") == 0, numbers);
}
