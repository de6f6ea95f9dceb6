/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: the addresses of tensors in lists, and their formats and storage.
 */
#include <string.h>

#include "fuzz/draw_format.h"
#include "fuzz/verdict.h"
#include "support/release.h"

typedef aclnnStatus (*set_list_address)(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *);

/* An entry of the world's, which becomes a list of tensors when it is nothing. */
static struct array *draw_list(struct world *world)
{
    struct array *array = &world->array[draw(world, ARRAYS)];
    if (array->is_live)
        return array;
    *array = (struct array){.kind = 3, .count = draw(world, 5)};
    for (int i = 0; i < 4; i++)
        array->element[i] = draw_tensor(world);
    array->handle = aclCreateTensorList((const aclTensor *const *)(void *)array->element, array->count);
    DEMAND(array->handle != NULL, "list");
    array->is_live = true;
    return array;
}

/* No operator has a list, so that the tensor gets its address and the call fails. */
static void set_address_in_list(struct world *world)
{
    static const set_list_address functions[] = {aclSetDynamicInputTensorAddr,  AclSetDynamicInputTensorAddr,
                                                 aclSetDynamicOutputTensorAddr, AclSetDynamicOutputTensorAddr,
                                                 aclSetDynamicTensorAddr,       AclSetDynamicTensorAddr};
    aclOpExecutor *executor = draw_executor(world);
    const struct array *array = draw_list(world);
    aclTensorList *list = (aclTensorList *)draw_object(world, array->handle);
    const struct block *block = &world->block[draw(world, BLOCKS)];
    const uint32_t choice = draw(world, 64);
    unsigned char *data = choice >= 60 ? NULL : behind(block->address, draw(world, 32) * 2);
    const size_t place = choice % 16 == 15 ? (size_t)draw_word(world) : draw(world, 5);
    const size_t argument = choice % 8 == 7 ? (size_t)draw_word(world) : draw(world, 4);
    const bool is_list = array->kind == 3 && list == array->handle;
    aclTensor *tensor = is_list && place < array->count ? (aclTensor *)array->element[place] : NULL;
    struct tensor *entry = find_tensor(world, tensor);
    const int expected = list == NULL                             ? 561103
                         : !is_list || place >= array->count      ? 161002
                         : tensor == NULL                         ? 561103
                         : entry == NULL                          ? 161002
                         : executor == NULL                       ? 561103
                         : find_executor(world, executor) == NULL ? 561000
                                                                  : 161002;
    const int status = functions[choice % 6](executor, argument, place, list, data);
    DEMAND(status == expected, "%d, %d expected", status, expected);
    if (entry != NULL)
        entry->view.data = data;
}

static void hold_storage(const aclTensor *tensor, aclFormat format, const int64_t *dims, uint64_t rank)
{
    aclFormat found = ACL_FORMAT_UNDEFINED;
    int64_t *shape = NULL;
    uint64_t count = 99;
    DEMAND(aclGetFormat(tensor, &found) == 0 && found == format, "format %d, %d expected", (int)found,
           (int)format);
    DEMAND(aclGetStorageShape(tensor, &shape, &count) == 0 && count == rank, "%llu dims",
           (unsigned long long)count);
    DEMAND(shape != NULL && memcmp(shape, dims, rank * sizeof *dims) == 0, "storage");
    release_array(shape);
}

/* A tensor of this step's own, because the world's do not keep their formats and storage. */
static void describe_storage(struct world *world)
{
    static const uint64_t ranks[] = {0, 1, 2, 4, 5, DIMS_MOST, DIMS_MOST + 1, UINT64_MAX};
    int64_t dims[DIMS_MOST + 1] = {0}, changed[DIMS_MOST + 1] = {0};
    uint64_t rank = ranks[draw(world, 8)];
    const uint64_t new_rank = ranks[draw(world, 8)];
    aclFormat format = draw_format(world);
    const aclFormat new_format = draw_format(world);
    for (int i = 0; i <= DIMS_MOST; i++) {
        dims[i] = draw_dim(world);
        changed[i] = dims[i] ^ 1;
    }
    aclTensor *tensor = aclCreateTensor(changed, 2, ACL_FLOAT, NULL, 0, format, dims, rank, NULL);
    DEMAND((tensor != NULL) == (rank <= DIMS_MOST), "storage of %llu dims", (unsigned long long)rank);
    if (tensor == NULL)
        return;
    hold_storage(tensor, format, dims, rank);
    const bool is_given = draw(world, 4) != 0;
    const bool is_good = !is_given || new_rank <= DIMS_MOST;
    const int status = aclInitTensor(tensor, NULL, 0, ACL_FLOAT16, NULL, 0, new_format,
                                     is_given ? changed : NULL, is_given ? new_rank : rank, NULL);
    DEMAND(status == (is_good ? 0 : 161002), "change gave %d", status);
    format = is_good ? new_format : format;
    rank = is_good && is_given ? new_rank : rank;
    hold_storage(tensor, format, is_good && is_given ? changed : dims, rank);
    DEMAND(aclDestroyTensor(tensor) == 0 && aclGetFormat(tensor, &format) == 161002, "the end");
}

static void ask_for_storage(struct world *world)
{
    aclTensor *handle = draw_tensor(world);
    const uint32_t missing = draw(world, 8);
    aclFormat format = (aclFormat)12345;
    int64_t *shape = NULL;
    uint64_t count = 99;
    struct reasons reasons = {.count = 0}, format_reasons;
    reason(&reasons, handle == NULL, 161001);
    reason(&reasons, handle != NULL && find_tensor(world, handle) == NULL, 161002);
    format_reasons = reasons;
    reason(&format_reasons, missing == 0, 161001);
    reason(&reasons, missing == 1 || missing == 2, 161001);
    int status = aclGetFormat(handle, missing == 0 ? NULL : &format);
    judge_reasons(&format_reasons, status, "aclGetFormat");
    DEMAND((format == (aclFormat)12345) == (status != 0), "format");
    status = aclGetStorageShape(handle, missing == 1 ? NULL : &shape, missing == 2 ? NULL : &count);
    judge_reasons(&reasons, status, "aclGetStorageShape");
    DEMAND((shape != NULL) == (status == 0) && (status == 0 ? count <= DIMS_MOST : count == 99), "storage");
    release_array(shape);
}

void step_address_rest(struct world *world)
{
    const uint32_t choice = draw(world, 8);
    if (choice < 5)
        set_address_in_list(world);
    else if (choice == 5)
        describe_storage(world);
    else
        ask_for_storage(world);
}
