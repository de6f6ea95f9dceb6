/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Executors: what phase 1 makes and phase 2 runs. An executor owns copies of everything it needs. It knows
 * nothing of any operator: the operator gives it a plan (bytes that it copies) and a function that runs the
 * plan.
 *
 * All checks of phase 2 stand in executor_launch, so that the phase 2 of an operator is
 * one line.
 */
#ifndef BELAY_TENSOR_EXECUTOR_H
#define BELAY_TENSOR_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"
#include "base/export.h"
#include "base/handle.h"
#include "tensor/tensor.h"

/*
 * What an executor has room for without allocating anything, which is what most operators need. An executor
 * with more of one of them has one block of memory for everything.
 */
enum { EXECUTOR_OPERANDS = 5, EXECUTOR_ARGUMENTS = 8, EXECUTOR_PLAN_BYTES = 1792 };
enum { EXECUTOR_PLAN_ALIGNMENT = 64 };
enum { SHORTCUT_INPUTS_MAX = 5 };

/* All that run would do, where that is one call: function(input, output, count, parameters, false). */
struct shortcut {
    void (*function)(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal);
    const void *input[SHORTCUT_INPUTS_MAX];
    void *output;
    size_t count;
    const void *parameters; /* in the plan, or constant */
};

/* What identifies an operator; one const object each. The address is the identity. */
struct operation {
    const char *name; /* "aclnnSiluBackward" */

    /* Bytes of temporary memory that run works in, wherever the operands lie. May be NULL: none. */
    size_t (*work_bytes)(const void *plan);

    /*
     * Runs the plan on resolved addresses: address[i] is the first element of operand i (offset already
     * added), in the order of executor_content. No operand that is read shares memory with one that is
     * written but as it may (may_be): what does is a copy. scratch is NULL or as long as work_bytes said,
     * aligned to 64 bytes. Called on any thread, any number of times at once for a repeatable executor: the
     * plan is read only. 0, or a status that the stream reports at its next synchronise: run says why by
     * operation_fail.
     */
    int (*run)(const void *plan, void *const *address, void *scratch);

    /*
     * The part of run for one index, in an operation on lists of tensors whose work goes on by their indices.
     * What is read of lists may share memory then with what earlier indices wrote, and sees that; what is
     * written for its own index it does not see. May be NULL: all inputs are read as they were at first.
     */
    int (*run_index)(const void *plan, uint64_t index, void *const *address, void *scratch);

    /* Whether run reads all inputs before it writes anything: nothing needs a copy. */
    bool reads_first;

    /* Where all that run does is to bring bytes as they are from one of two operands to the other: how many, 0
     * elsewhere. May be NULL: it does more. */
    uint64_t (*copied_bytes)(const void *plan);

    /* Whether run, without scratch on these addresses, is a shortcut. May be NULL: it never is. */
    bool (*find_shortcut)(const void *plan, void *const *address, struct shortcut *shortcut);
};

/* What input or output of an operand is that is not read or not written. */
enum { OPERAND_IN_NO_PLACE = UINT16_MAX };

/* A tensor parameter or an element of a list parameter, in argument order. */
struct executor_operand {
    const aclTensor *tensor; /* asked again in phase 2 for its address, while it is live; NULL: an optional
                                one that was not given, of which nothing is looked up and run gets NULL */
    void *data;              /* the address that is used otherwise */
    int64_t offset;          /* elements */
    int64_t reach;           /* elements, from data to the last one; ignored when is_empty */
    const char *name;        /* of the parameter, for messages: "gradOutput"; static storage */
    uint32_t version;        /* the tensor's when it had that address */
    uint32_t element;        /* its place in the list */
    uint32_t list_length;    /* of the list that it is of, whose operands follow one another; 0: of none */

    /* For one that is only read: a bit for the output of each operand that is written which it may be itself,
     * at the same address and, of lists, in the same place: each element is read before it is written. */
    uint32_t may_be;

    uint8_t element_bytes; /* a power of two */
    bool is_empty;         /* its address is never looked at, and run gets NULL for it */

    /* The parameter's place among all that are tensors or lists, among those of them that are read, and among
     * those that are written, by which programs name it that set addresses. A list is one parameter, also one
     * without elements, which has no operand. */
    uint16_t parameter, input, output;
};

/* What only those see who watch accesses: the view of an operand, and what becomes of it. */
struct executor_view {
    aclDataType dtype;
    uint32_t mode; /* of runtime/tasks/access.h */
    uint32_t rank;
    int64_t shape[TENSOR_RANK_MAX];
    int64_t stride[TENSOR_RANK_MAX];
};

/* What phase 1 makes: filled in where it stays, so that nothing is copied. */
struct executor_content {
    const struct operation *operation; /* whose call this is */
    const struct operation *runs;      /* whose functions take the plan: the same, unless phase 1 says so */
    uint64_t workspace_bytes;          /* what phase 1 asks for; an operator that needs more raises it */
    uint64_t cost_ns;                  /* predicted running time on one thread */
    uint32_t operand_count;
    bool is_idle;       /* nothing to run at all (empty tensors) */
    const char *group;  /* in the plan: whose ranks the work meets (runtime/groups); NULL: none */
    uint32_t exchanges; /* how often */
    struct executor_operand *operand;
    struct executor_view *view; /* of each operand, to be filled in too; NULL unless somebody watches */

    /* The call that this is the result of, for executor_repeat: see executor_remember. */
    uint32_t argument_count; /* 0 where the content is not only its result */
    uint32_t handle_count;   /* of the arguments; those that are operands do not count */
    uint64_t *argument;
    uint8_t *argument_kind; /* an enum handle_kind; 0 where only the word itself counts */

    unsigned char *plan; /* for run, aligned to EXECUTOR_PLAN_ALIGNMENT; read only from phase 2 on */
};

/*
 * The end of phase 1, when nothing can be found wrong any more: takes an executor with room for so many
 * operands, for so many arguments that are to be remembered (0: the call is not to be repeated), and for a
 * plan of so many bytes. All of that is as an earlier owner left it; the caller fills in all operands, all
 * arguments and the plan. workspace_bytes is what every phase 1 asks for, the rest 0. 0, 561101 when memory
 * runs out, or 361001 when the library cannot be used in this process, with a recorded sentence. Nothing may
 * fail between this and executor_finish.
 */
aclnnStatus executor_begin(const struct operation *operation, uint32_t operand_count, uint32_t argument_count,
                           size_t plan_bytes, struct executor_content **content) SHARED(executor_begin);

/*
 * Fills in an argument of the call. kind is 0 for a value, and for a tensor, which is watched as an operand;
 * for other objects it is that of the handle: what it names never changes, so that the same argument means
 * the same as long as it is live. A text is none of these: a call that has one remembers no arguments.
 */
static inline void executor_remember(struct executor_content *content, uint32_t index, uint64_t argument,
                                     unsigned kind)
{
    bool is_handle = argument != 0 && kind != 0;
    content->argument[index] = argument;
    content->argument_kind[index] = (uint8_t)(is_handle ? kind : 0);
    content->handle_count += is_handle;
}

/* Gives the executor its handle and writes both results of phase 1. */
void executor_finish(struct executor_content *content, uint64_t *workspaceSize, aclOpExecutor **executor)
    SHARED(executor_finish);

/*
 * Phase 1 of a call that repeats one of this thread, which is what loops do: true, and both results written,
 * when one of the last few executors that the thread finished was made by the same call of the same operation
 * and all objects of it are live and unchanged. All checks would have the same outcome then and
 * the plan would be the same. argument is an array of argument_count words. False: phase 1 is to be made;
 * nothing has been written or recorded.
 */
bool executor_repeat(const struct operation *operation, const void *argument, uint32_t argument_count,
                     uint64_t *workspaceSize, aclOpExecutor **executor) SHARED(executor_repeat);

/*
 * Phase 2, whole: claims the executor, checks, queues. The first fault found decides the code:
 *
 *   161001  executor is NULL
 *   361001  the library cannot be used in this process
 *   161002  the executor is stale, foreign, consumed, in use by another thread, or of another operator
 *   161001  workspaceSize > 0 and workspace is NULL; destroys even a repeatable executor
 *   161002  workspaceSize is less than phase 1 asked for
 *   361001  the stream is stale or foreign, or NULL with no current context
 *   161002  the workspace is not live memory of the stream's device, as long as workspaceSize says
 *   161002  an operand, in argument order: its address is NULL, misaligned or not in live memory of the
 *           stream's device, its view leaves its block, or it shares memory with the workspace
 *   361001  there is no memory for scratch or for the queue
 *
 * A single-use executor is consumed whatever comes out, but for the first two lines.
 */
aclnnStatus executor_launch(const struct operation *operation, void *workspace, uint64_t workspaceSize,
                            aclOpExecutor *executor, aclrtStream stream) SHARED(executor_launch);

#endif
