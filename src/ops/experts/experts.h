/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of mixtures of experts: what several of them compute has one description, whose parts each finds
 * among its own parameters by a table; and the tensors of a call as its work sees them.
 */
#ifndef BELAY_OPS_EXPERTS_EXPERTS_H
#define BELAY_OPS_EXPERTS_EXPERTS_H

#include "ops/call.h"
#include "ops/operands.h"
#include "ops/port.h"
#include "tensor/scratch.h"

enum { PARTS_MAX = 16, NUMBERS_MAX = 20, EXPERTS_PIECE = 512 };

/* Where a function has each part of its computation: AT(its parameter), 0 where there is none. Parts come in
 * the order of the parameters that they mostly have. */
struct form {
    uint8_t tensor[PARTS_MAX], number[NUMBERS_MAX];
    int32_t choice; /* what sets functions with the same parts apart */
};

#define AT(parameter) ((parameter) + 1)

static inline const struct form *form_of(const struct call *call)
{
    return call->function->of_family;
}

static inline unsigned part_at(const struct call *call, unsigned part)
{
    return form_of(call)->tensor[part] - 1U;
}

static inline bool part_given(const struct call *call, unsigned part)
{
    return form_of(call)->tensor[part] > 0 && call_has(call, part_at(call, part));
}

static inline const struct tensor_view *part_view(const struct call *call, unsigned part)
{
    return &call->tensor[part_at(call, part)];
}

/* An attribute, or what stands for it where the function has none. */
static inline int64_t form_number(const struct call *call, unsigned number, int64_t otherwise)
{
    const unsigned at = form_of(call)->number[number];
    if (at == 0)
        return otherwise;
    return call->function->parameter[at - 1].kind == PARAMETER_BOOL ? call->argument[at - 1].boolean
                                                                    : call->argument[at - 1].int64;
}

static inline unsigned number_at(const struct call *call, unsigned number)
{
    return form_of(call)->number[number] - 1U;
}

/* Checks of a part that may be absent: its dtype; that it has these dims, of which -1 is any number. */
aclnnStatus check_part(const struct call *call, unsigned part);
aclnnStatus check_dims(const struct call *call, unsigned part, uint32_t rank, int64_t first, int64_t second);
/* A whole number among the attributes is in a range. */
aclnnStatus check_number(const struct call *call, unsigned number, int64_t least, int64_t most);
/* NULL is a fault of this call, though not of others: 161001. */
aclnnStatus check_part_given(const struct call *call, unsigned part, const char *what);

/* An output of so many dims at most 3. */
struct output *add_dims(struct result *result, aclDataType dtype, uint32_t rank, int64_t first,
                        int64_t second, int64_t third);

/* The tensors of a call by parts; those that are not there have no bit in `given`. */
struct ports {
    uint32_t given;
    struct port at[PARTS_MAX];
};

/* A part as elements of a dtype, where it is given. */
void set_port(struct ports *ports, const struct call *call, unsigned part, aclDataType carried);

static inline bool has_port(const struct ports *ports, unsigned part)
{
    return (ports->given >> part & 1) != 0;
}

/* The end of phase 1. */
aclnnStatus finish_experts(const struct call *call, const void *plan, size_t bytes, double cost_ns);

#define EXPERTS(form_) .family = FAMILY_EXPERTS, .of_family = (form_)

#endif
