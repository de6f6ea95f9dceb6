/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows and keys of sequences, in each of their layouts.
 */
#include "ops/attention/chosen_keys.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/streams/fault.h"
#include "ops/sizes.h"

static aclnnStatus find_layouts(const struct call *call, const struct chosen_places *at,
                                struct chosen_keys *keys)
{
    const char *rows = call->argument[at->layout].string, *text = call->argument[at->key_layout].string;
    if (strcmp(rows, "BSND") != 0 && strcmp(rows, "TND") != 0)
        return refuse(call, "%s is \"%s\"; BSND or TND is expected", call_name(call, at->layout), rows);
    keys->is_packed = strcmp(rows, "TND") == 0;
    if (strcmp(text, "PA_BSND") != 0 && strcmp(text, rows) != 0)
        return refuse(call, "%s is \"%s\"; %s or PA_BSND is expected", call_name(call, at->key_layout), text,
                      rows);
    keys->layout = strcmp(text, "PA_BSND") == 0 ? KEYS_IN_BLOCKS
                   : keys->is_packed            ? KEYS_PACKED
                                                : KEYS_BY_BATCH;
    return ACLNN_SUCCESS;
}

static aclnnStatus check_lengths(const struct call *call, unsigned parameter, bool is_needed,
                                 uint64_t batches)
{
    const struct tensor_view *view = &call->tensor[parameter];
    if (!call_has(call, parameter) || view->count == 0)
        return is_needed ? refuse(call, "%s is absent; a number for each sequence is expected of this layout",
                                  call_name(call, parameter))
                         : ACLNN_SUCCESS;
    TRY(check_dtype(call, parameter));
    return view->rank == 1 && (uint64_t)view->shape[0] == batches
               ? ACLNN_SUCCESS
               : refuse(call, "%s has shape %s; %" PRIu64 " numbers are expected", call_name(call, parameter),
                        shape_text(TEXT, view), batches);
}

aclnnStatus chosen_read(const struct call *call, const struct chosen_places *at, struct chosen_keys *keys)
{
    const struct tensor_view *query = &call->tensor[at->query], *key = &call->tensor[at->key],
                             *table = &call->tensor[at->table];
    const int64_t mode = call->argument[at->mode].int64;
    *keys = (struct chosen_keys){.at = *at, .is_causal = mode == 3};
    TRY(check_dtype(call, at->query));
    TRY(check_dtype(call, at->key));
    if (!at->has_rows_of_bytes)
        TRY(check_same_dtype(call, at->key, at->query, NULL));
    TRY(find_layouts(call, at, keys));
    const uint32_t rank = keys->is_packed ? 3 : 4, key_rank = keys->layout == KEYS_PACKED ? 3 : 4;
    if (query->rank != rank || key->rank != key_rank ||
        (!at->has_rows_of_bytes && query->shape[rank - 1] != key->shape[key_rank - 1]) ||
        key->shape[key_rank - 2] < 1 || query->shape[rank - 2] % key->shape[key_rank - 2] != 0)
        return refuse(
            call,
            "query has shape %s and key %s; rank %u and %u, a divisor of the heads, and as many elements "
            "are expected",
            shape_text(TEXT, query), shape_text(TEXT, key), rank, key_rank);
    if (mode != 0 && mode != 3)
        return refuse(call, "sparseMode is %" PRId64 "; 0 or 3 is expected", mode);
    const bool has_lengths = call_has_elements(call, at->lengths);
    keys->batches = !keys->is_packed ? (uint64_t)query->shape[0]
                    : has_lengths    ? (uint64_t)call->tensor[at->lengths].count
                                     : 1;
    keys->rows = (uint64_t)query->shape[keys->is_packed ? 0 : 1];
    keys->all_rows = keys->is_packed ? keys->rows : keys->batches * keys->rows;
    keys->heads = (uint64_t)query->shape[rank - 2];
    keys->key_heads = (uint64_t)key->shape[key_rank - 2];
    keys->depth = (uint64_t)query->shape[rank - 1];
    keys->key_rows = (uint64_t)key->shape[keys->layout == KEYS_PACKED ? 0 : 1];
    TRY(check_lengths(call, at->lengths, keys->is_packed, keys->batches));
    TRY(check_lengths(call, at->key_lengths, keys->layout != KEYS_BY_BATCH, keys->batches));
    if (keys->layout == KEYS_BY_BATCH && key->shape[0] != query->shape[0])
        return refuse(call, "key has shape %s; %" PRIu64 " batches are expected", shape_text(TEXT, key),
                      keys->batches);
    if (keys->layout != KEYS_IN_BLOCKS)
        return ACLNN_SUCCESS;
    if (!call_has(call, at->table) || table->rank != 2 || (uint64_t)table->shape[0] < keys->batches)
        return refuse(call, "%s is expected with keys in blocks, a row for each of %" PRIu64 " sequences",
                      call_name(call, at->table), keys->batches);
    TRY(check_dtype(call, at->table));
    keys->columns = (uint64_t)table->shape[1];
    keys->blocks = (uint64_t)key->shape[0];
    return ACLNN_SUCCESS;
}

uint64_t chosen_most(const struct chosen_keys *keys)
{
    return keys->layout == KEYS_IN_BLOCKS ? keys->columns * keys->key_rows : keys->key_rows;
}

/* The number of a sequence, or the end of the one before it where they are ends. */
static int64_t length_at(const struct task *task, unsigned parameter, uint64_t batch, int64_t otherwise)
{
    return task_has(task, parameter) ? task_integer(task, parameter, batch) : otherwise;
}

static int check_numbers(const struct task *task, unsigned parameter, const char *name, uint64_t count,
                         bool are_ends, uint64_t most)
{
    int64_t before = 0;
    for (uint64_t b = 0; task_has(task, parameter) && b < count; b++) {
        const int64_t number = task_integer(task, parameter, b);
        if (number < before || number > (int64_t)most)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "%s holds %" PRId64 " at [%" PRIu64 "]; %" PRId64 " to %" PRIu64
                                  " are expected",
                                  name, number, b, before, most);
        before = are_ends ? number : 0;
    }
    return 0;
}

int chosen_check(const struct task *task, const struct chosen_keys *keys)
{
    int status = check_numbers(task, keys->at.lengths, "actualSeqLengthsQuery", keys->batches,
                               keys->is_packed, keys->rows);
    if (status == 0)
        status = check_numbers(task, keys->at.key_lengths, "actualSeqLengthsKey", keys->batches,
                               keys->layout == KEYS_PACKED, chosen_most(keys));
    for (uint64_t b = 0; status == 0 && keys->layout == KEYS_IN_BLOCKS && b < keys->batches; b++) {
        const uint64_t length = (uint64_t)task_integer(task, keys->at.key_lengths, b);
        for (uint64_t k = 0; status == 0 && k * keys->key_rows < length; k++) {
            const int64_t block = task_integer(task, keys->at.table, b * keys->columns + k);
            if (block < 0 || block >= (int64_t)keys->blocks)
                status = operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                        "blockTable has %" PRId64 " for block %" PRIu64
                                        " of sequence %" PRIu64 "; 0 to %" PRIu64 " are expected",
                                        block, k, b, keys->blocks - 1);
        }
    }
    return status;
}

struct chosen_row chosen_row_of(const struct task *task, const struct chosen_keys *keys, uint64_t number)
{
    struct chosen_row row = {.row = (int64_t)number, .rows = (int64_t)keys->rows};
    if (!keys->is_packed) {
        row.batch = number / keys->rows;
        row.row = (int64_t)(number % keys->rows);
        row.rows = length_at(task, keys->at.lengths, row.batch, row.rows);
    } else {
        int64_t begin = 0, end = 0;
        for (row.batch = 0; row.batch < keys->batches; row.batch++, begin = end) {
            end = length_at(task, keys->at.lengths, row.batch, (int64_t)keys->rows);
            if ((int64_t)number < end)
                break;
        }
        row.row = (int64_t)number - begin;
        row.rows = end - begin;
    }
    row.is_none = row.batch >= keys->batches || row.row >= row.rows;
    if (row.is_none)
        return row;
    row.keys = length_at(task, keys->at.key_lengths, row.batch, (int64_t)keys->key_rows);
    if (keys->layout == KEYS_PACKED && row.batch > 0)
        row.first_key = (uint64_t)length_at(task, keys->at.key_lengths, row.batch - 1, 0);
    row.keys -= (int64_t)row.first_key;
    if (keys->layout == KEYS_BY_BATCH)
        row.first_key = row.batch * keys->key_rows;
    row.seen = keys->is_causal ? row.row + row.keys - row.rows + 1 : row.keys;
    row.seen = row.seen < 0 ? 0 : row.seen > row.keys ? row.keys : row.seen;
    return row;
}

uint64_t chosen_key(const struct task *task, const struct chosen_keys *keys, const struct chosen_row *row,
                    uint64_t key)
{
    if (keys->layout != KEYS_IN_BLOCKS)
        return row->first_key + key;
    const int64_t block =
        task_integer(task, keys->at.table, row->batch * keys->columns + key / keys->key_rows);
    return (uint64_t)block * keys->key_rows + key % keys->key_rows;
}

void chosen_range(const struct task *task, const struct chosen_keys *keys, unsigned lengths, uint64_t batch,
                  uint64_t rows, uint64_t *begin, uint64_t *end)
{
    *begin = batch * rows;
    *end = *begin + rows;
    if (!keys->is_packed)
        return;
    *begin = batch == 0 ? 0 : (uint64_t)task_integer(task, lengths, batch - 1);
    *end = batch + 1 == keys->batches ? rows : (uint64_t)task_integer(task, lengths, batch);
}
