/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: a whole call of any function that the library lists. What it computes is not
 * held against anything; its statuses are, and that it writes nothing but its outputs.
 */
#include <string.h>

#include "fuzz/any_argument.h"

/*
 * The step takes few bytes of the program, so that an input has room for many functions, and draws from
 * these, which are made of a word of it.
 */
enum { DRAWN_BYTES = 1024, WORK_MOST = 4096, WORKSPACE_MOST = 1 << 22, WORKSPACE_BEHIND = 64 };

static void spread(uint64_t word, uint8_t *bytes)
{
    for (uint32_t i = 0; i < DRAWN_BYTES; i++) {
        word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (uint8_t)(word >> 56);
    }
}

static bool is_status_of_phase_1(int status)
{
    return status == 0 || status == 161001 || status == 161002 || status == 361001 || status == 561101;
}

/* An executor, or NULL when the call was refused. */
static aclOpExecutor *plan_any(struct world *world, struct any_call *call, uint64_t *workspace_bytes,
                               int inferred)
{
    aclOpExecutor *const untouched = (aclOpExecutor *)(uintptr_t)54321;
    aclOpExecutor *handle = untouched;
    const uint32_t choice = draw(world, 64);
    const char *name = call->function->operation.name;
    *workspace_bytes = 12345;
    uint64_t *size = choice == 0 ? NULL : workspace_bytes;
    aclOpExecutor **executor = choice == 1 ? NULL : &handle;
    const int status = choice % 2 != 0 ? function_plan(call->function, call->argument, size, executor)
                                       : function_plan_anew(call->function, call->argument, size, executor);
    DEMAND(is_status_of_phase_1(status), "phase 1 of %s gave %d", name, status);
    DEMAND(choice > 1 || status == 161001, "phase 1 of %s without a result gave %d", name, status);
    DEMAND(status != 0 || inferred == 0, "%s is accepted, and its inputs alone give %d", name, inferred);
    if (status == 0) {
        DEMAND(handle != NULL && handle != untouched, "%s gave no executor", name);
        return handle;
    }
    DEMAND(*workspace_bytes == 12345 && handle == untouched, "%s was refused and wrote results", name);
    return NULL;
}

/* Views of the program may be of any size; calls over these are planned and not made. */
static bool is_small(struct world *world, struct any_call *call)
{
    for (uint32_t i = 0; i < call->function->parameter_count; i++)
        for (uint32_t count = any_operands(world, call, i); count > 0; count--)
            if (view_count(&call->operand[count - 1]->view) > WORK_MOST)
                return false;
    return true;
}

static void take_over(struct world *world, const char *name, const struct view *view)
{
    static unsigned char found[BLOCK_LARGE];
    struct block *block = find_block(world, view->data);
    const size_t size = aclDataTypeSize(view->dtype);
    const bool is_packed = /* two numbers in a byte, whose size is that of the byte */
        view->dtype == ACL_INT4 || view->dtype == ACL_FLOAT4_E2M1 || view->dtype == ACL_FLOAT4_E1M2;
    if (block == NULL || view_count(view) == 0)
        return;
    DEMAND(aclrtMemcpy(found, sizeof found, block->address, block->bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0,
           "block");
    int64_t index[DIMS_MOST] = {0};
    do {
        const uint64_t place = (uint64_t)place_of(view, view->rank, index);
        const uint64_t at = (uint64_t)(view->data - block->address) + (is_packed ? place / 2 : place * size);
        DEMAND(at + size <= block->bytes,
               "an output of %s, of dtype %d, that leaves its block of %llu bytes at %llu", name,
               (int)view->dtype, (unsigned long long)block->bytes, (unsigned long long)at);
        memcpy(block->shadow + at, found + at, size);
    } while (next_index(view, index));
}

/* Takes over the elements of the outputs: everything else must be as it was. */
static void take_over_outputs(struct world *world, struct any_call *call)
{
    for (uint32_t i = 0; i < call->function->parameter_count; i++)
        if (parameter_is_written(&call->function->parameter[i]))
            for (uint32_t count = any_operands(world, call, i); count > 0; count--)
                take_over(world, call->function->operation.name, &call->operand[count - 1]->view);
}

static aclrtStream any_stream(struct world *world)
{
    const uint32_t start = draw(world, STREAMS);
    if (draw(world, 32) == 0)
        return draw_stream(world);
    for (uint32_t i = 0; i < STREAMS; i++)
        if (world->stream[(start + i) % STREAMS].is_live)
            return world->stream[(start + i) % STREAMS].handle;
    return NULL;
}

/* Whether it was queued; it has ended then. */
static bool launch_any(const struct any_call *call, aclOpExecutor *executor, void *workspace, uint64_t bytes,
                       aclrtStream stream)
{
    const char *name = call->function->operation.name;
    const int status = call->function->launch(workspace, bytes, executor, stream);
    DEMAND(status == 0 || status == 161002 || status == 361001 || (status == 161001 && bytes > 0),
           "phase 2 of %s gave %d", name, status);
    if (status != 0)
        return false;
    const int ended = aclrtSynchronizeStream(stream);
    DEMAND(ended == 0 || ended == 507035, "%s ended with %d", name, ended);
    return true;
}

/* With the workspace that it asked for, and bytes behind it that nobody may write. */
static void run_any(struct world *world, struct any_call *call, aclOpExecutor *executor, uint64_t bytes)
{
    static unsigned char behind_it[WORKSPACE_BEHIND], found[WORKSPACE_BEHIND];
    unsigned char *workspace = NULL;
    const aclrtStream stream = any_stream(world);
    const bool is_repeatable = draw(world, 8) == 0;
    memset(behind_it, 0x5a, sizeof behind_it);
    if (bytes > 0) {
        DEMAND(aclrtMalloc((void **)&workspace, bytes + WORKSPACE_BEHIND, ACL_MEM_MALLOC_HUGE_FIRST) == 0,
               "workspace");
        DEMAND(aclrtMemcpy(workspace + bytes, WORKSPACE_BEHIND, behind_it, WORKSPACE_BEHIND,
                           ACL_MEMCPY_HOST_TO_DEVICE) == 0,
               "workspace");
    }
    if (is_repeatable)
        DEMAND(aclSetAclOpExecutorRepeatable(executor) == 0, "repeatable");
    bool has_run = launch_any(call, executor, workspace, bytes, stream);
    if (is_repeatable) {
        has_run |= launch_any(call, executor, workspace, bytes, stream);
        DEMAND(aclDestroyAclOpExecutor(executor) == 0, "executor");
    }
    if (has_run)
        take_over_outputs(world, call);
    if (bytes == 0)
        return;
    DEMAND(aclrtMemcpy(found, WORKSPACE_BEHIND, workspace + bytes, WORKSPACE_BEHIND,
                       ACL_MEMCPY_DEVICE_TO_HOST) == 0,
           "workspace");
    DEMAND(memcmp(found, behind_it, sizeof found) == 0, "%s wrote behind its workspace",
           call->function->operation.name);
    DEMAND(aclrtFree(workspace) == 0, "workspace");
}

static void call_any(struct world *world, struct any_call *call)
{
    struct result result = {.count = 0};
    uint64_t bytes;
    draw_any_inputs(world, call);
    const int inferred = function_infer(call->function, call->argument, &result);
    DEMAND(is_status_of_phase_1(inferred), "%s: infer gave %d", call->function->operation.name, inferred);
    draw_any_outputs(world, call, inferred == 0 && draw(world, 4) != 0 ? &result : NULL);
    give_any_contents(world, call);
    aclOpExecutor *executor = plan_any(world, call, &bytes, inferred);
    const bool ends_early = draw(world, 8) == 0;
    if (ends_early) /* an executor has copies of everything */
        end_any_arguments(call);
    if (executor != NULL && is_small(world, call) && bytes <= WORKSPACE_MOST)
        run_any(world, call, executor, bytes);
    else if (executor != NULL)
        DEMAND(aclDestroyAclOpExecutor(executor) == 0, "executor");
    if (!ends_early)
        end_any_arguments(call);
    settle(world);
}

void step_any_function(struct world *world)
{
    static struct any_call call;
    uint8_t drawn[DRAWN_BYTES];
    size_t count;
    const struct function *const *list = functions(&count);
    const size_t number = draw(world, 256) + (size_t)256 * draw(world, 256);
    spread(draw_word(world), drawn);
    const struct bytes rest = world->bytes;
    settle(world);
    memset(&call, 0, sizeof call);
    call.function = list[number % count];
    world->bytes = (struct bytes){drawn, sizeof drawn};
    call_any(world, &call);
    world->bytes = rest;
}
