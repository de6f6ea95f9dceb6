/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One call of an operator by name while its program (program.h) runs, and what the words of that mean.
 */
#ifndef BELAY_OPS_BY_NAME_RUN_H
#define BELAY_OPS_BY_NAME_RUN_H

#include "ops/function.h"
#include "runtime/named/named_operator.h"

enum { OWN_TENSORS = 16 };

/* Something that ends with the call: memory lasts as long as the work that was queued. */
struct made {
    struct made *next;
    enum parameter_kind kind;
    void *object;
    bool is_memory;
};

struct run {
    const struct named_call *call;
    aclrtStream stream;
    struct made *made;
    struct named_operand own[OWN_TENSORS]; /* t0 and so on; address NULL until it is made */
    /* `float` of programs: what operands were, and a bit for each input that is written back. */
    bool is_in_float;
    uint32_t changed;
    struct named_operand narrow[NAMED_INPUTS], narrow_out[NAMED_OUTPUTS];
    /* `images`: outputs as they were and as planes, where their axes lie, and the call with attributes that are in
     * order. */
    struct named_operand turned_out[NAMED_OUTPUTS], planes_out[NAMED_OUTPUTS];
    const int64_t *turned_places[NAMED_OUTPUTS];
    struct named_call turned_call;
    aclopAttr *attr;
};

/* Keeps what was made until the call has ended; where that is NULL, a failure with a sentence. */
int run_keep(struct run *run, enum parameter_kind kind, bool is_memory, const void *object);

/* Destroys all that was kept. */
void run_end(struct run *run);

/* A failure whose sentence names the word of the program. */
int run_refuse(const struct run *run, const char *word);

/* Memory of so many bytes, until the work has ended. */
int run_allocate(struct run *run, size_t bytes, void **address);

/* What lies on the host is only there during the call: it is copied to the device. */
int run_bring(struct run *run, struct named_operand *operand);

/* The operand, or tensor of the program's own, that a word names; NULL where it is not there. */
struct named_operand *run_operand(struct run *run, const char *word);

int64_t run_count(const struct tensor_desc_view *view);

/* A packed tensor, or one whose last two axes are exchanged. */
int run_tensor(struct run *run, const struct named_operand *operand, bool turns, const aclTensor **tensor);

/* What a word means for the parameter. */
int run_argument(struct run *run, const struct parameter *parameter, const char *word,
                 union argument *argument);

#endif
