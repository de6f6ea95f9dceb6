/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The work of a launched executor: run once or again, described to who watches, and released.
 */
#include "tensor/executor_work.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtime/addresses/memory.h"
#include "runtime/addresses/reach.h"
#include "runtime/groups/groups.h"
#include "tensor/copies.h"
#include "tensor/operand_rules.h"
#include "tensor/scratch.h"

static int run_alone(void *context)
{
    struct work *work = context;
    const struct executor_content *content = &work->executor->content;
    void *const *address = work_address(work);
    if (__builtin_expect(!work->has_copies, 1))
        return executor_run(work->executor, address, work->scratch);
    return executor_tell(work->executor,
                         copies_run(content, address, work->scratch, copies_bytes(content, address)));
}

size_t work_scratch_bytes(struct work *work)
{
    const struct executor_content *content = &work->executor->content;
    const struct operation *operation = content->runs;
    const size_t copies = copies_bytes(content, work_address(work));
    const size_t own = operation->work_bytes != NULL ? operation->work_bytes(content->plan) : 0;
    size_t bytes;
    work->has_copies = copies > 0;
    return __builtin_add_overflow(copies, own, &bytes) ? SIZE_MAX : bytes;
}

/* Work that takes its temporary memory when its turn has come, so that only what runs has such memory. */
static __attribute__((noinline)) int run_roomy(struct work *work)
{
    const size_t bytes = work_scratch_bytes(work);
    work->scratch = scratch_create(bytes);
    const int status =
        work->scratch != NULL
            ? run_alone(work)
            : executor_tell(work->executor,
                            operation_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                                           "there is no memory for %zu temporary bytes", bytes));
    scratch_destroy(work->scratch);
    work->scratch = NULL;
    return status;
}

int work_run(struct task *task)
{
    struct work *work = work_of(task);
    if (__builtin_expect(work->takes_scratch && !work->borrows_scratch, 0))
        return run_roomy(work);
    return __builtin_expect(work->call == NULL, 1) ? run_alone(work) : group_run(work->call, run_alone, work);
}

bool work_is_current(const struct task *task)
{
    struct work *work = work_of((struct task *)task);
    void *const *address = work_address(work);
    const bool *is_in_block = work_is_in_block(work);
    for (uint32_t i = 0; i < work->executor->content.operand_count; i++) {
        const struct executor_operand *operand = &work->executor->content.operand[i];
        if (!is_in_block[i]) /* the address may be NULL */
            continue;
        const unsigned char *data = (const unsigned char *)memory_known_as(address[i]) -
                                    (size_t)operand->offset * operand->element_bytes;
        if (!view_fits(operand->reach, operand->element_bytes, memory_usable_bytes(data, work->device)))
            return false;
    }
    return true;
}

void work_release(struct task *task)
{
    struct work *work = work_of(task);
    if (!work->borrows_scratch)
        scratch_destroy(work->scratch);
    if (work->call != NULL)
        groups->release(work->call, true);
    free(work->more);
    executor_drop(work->executor);
}

size_t work_use_scratch(struct task *task, void *scratch)
{
    struct work *work = work_of(task);
    if (!work->borrows_scratch)
        scratch_destroy(work->scratch);
    work->borrows_scratch = true;
    work->scratch = scratch;
    return work_scratch_bytes(work);
}

static void describe_operand(const struct work *work, uint32_t index, struct access_visitor *visitor)
{
    const struct executor_content *content = &work->executor->content;
    const struct executor_operand *operand = &content->operand[index];
    const struct executor_view *view = &content->view[index];
    const struct access access = {.address = memory_known_as(work_address((struct work *)work)[index]),
                                  .parameter = operand->name,
                                  .mode = view->mode,
                                  .is_of_list = operand->list_length > 0,
                                  .element = operand->element,
                                  .dtype = view->dtype,
                                  .element_bytes = operand->element_bytes,
                                  .rank = view->rank,
                                  .shape = view->shape,
                                  .stride = view->stride};
    if (operand->tensor != NULL && (view->mode & (ACCESS_READ | ACCESS_WRITTEN)) != 0)
        visitor->visit(visitor, &access);
}

/* Between what is read and what is written come the exchanges with other ranks. */
void work_describe(const struct task *task, struct access_visitor *visitor)
{
    struct work *work = work_of((struct task *)task);
    const struct executor_content *content = &work->executor->content;
    const bool has_views = content->view != NULL;
    for (uint32_t i = 0; has_views && i < content->operand_count; i++)
        if (work->call == NULL || (content->view[i].mode & ACCESS_WRITTEN) == 0)
            describe_operand(work, i, visitor);
    if (work->call != NULL)
        groups->describe(work->call, visitor);
    for (uint32_t i = 0; has_views && work->call != NULL && i < content->operand_count; i++)
        if ((content->view[i].mode & ACCESS_WRITTEN) != 0)
            describe_operand(work, i, visitor);
    if (work->workspace_bytes > 0)
        access_visit_bytes(visitor, "workspace", ACCESS_WRITTEN | ACCESS_WORKSPACE, work->workspace,
                           work->workspace_bytes);
}

/* True of copies alone, and not of those whose operands overlap: done twice, one that moves
 * elements within its own memory moves them twice. */
bool work_repeats(const struct task *task, const struct task *before)
{
    struct work *work = work_of((struct task *)task);
    if (before->run != work_run || work->call != NULL || work->has_copies)
        return false;
    struct work *done = work_of((struct task *)before);
    const struct executor_content *content = &work->executor->content, *other = &done->executor->content;
    if (content->runs != other->runs || content->runs->copied_bytes == NULL || content->operand_count != 2)
        return false;
    const uint64_t bytes = content->runs->copied_bytes(content->plan);
    return bytes > 0 && bytes == content->runs->copied_bytes(other->plan) &&
           memcmp(work_address(work), work_address(done), 2 * sizeof(void *)) == 0;
}
