/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A call whose arguments are set by the names of parameters, so that one test serves functions that say the
 * same in different orders. What is not set is NULL, or what is usual. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_NAMED_CALL_H
#define BELAY_TESTS_OPS_NAMED_CALL_H

#include "ops/arena.h"
#include "ops/losses.h"

struct named_call {
    const struct function *function;
    union argument argument[PARAMETERS_MAX];
    struct layout tensor[PARAMETERS_MAX];
    bool is_given[PARAMETERS_MAX];
};

static inline struct named_call call_begin_named(const char *name)
{
    struct named_call call = {.function = find(name)};
    for (unsigned i = 0; i < call.function->parameter_count; i++) {
        const struct parameter *parameter = &call.function->parameter[i];
        if (parameter->kind == PARAMETER_DOUBLE)
            call.argument[i] = argument_of_fp64(number_of(parameter));
        else if (parameter->kind == PARAMETER_FLOAT)
            call.argument[i] = argument_of_fp32((float)number_of(parameter));
        else if (parameter->kind == PARAMETER_BOOL)
            call.argument[i] =
                argument_of_bool(parameter->usual != NULL && strcmp(parameter->usual, "true") == 0);
        else if (!parameter_is_handle(parameter) && parameter->kind != PARAMETER_STRING)
            /* The greatest integer, "no limit", is no double. */
            call.argument[i] = argument_of_integer(
                number_of(parameter) >= 0x1p63 ? INT64_MAX : (int64_t)number_of(parameter));
    }
    return call;
}

/* The place of a parameter, in any of its spellings: x1 is x1Optional too. -1: there is none. */
static inline int place_named(const struct named_call *call, const char *name)
{
    const size_t length = strlen(name);
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const char *own = call->function->parameter[i].name;
        if (strncmp(own, name, length) == 0 &&
            (own[length] == '\0' || strcmp(own + length, "Optional") == 0 ||
             strcmp(own + length, "Out") == 0 || strcmp(own + length, "OutOptional") == 0))
            return (int)i;
    }
    return -1;
}

static inline struct layout *tensor_named(struct named_call *call, const char *name)
{
    const int place = place_named(call, name);
    if (place < 0 || !call->is_given[place])
        fail_msg("%s has no %s", call->function->operation.name, name);
    return &call->tensor[place];
}

static inline bool is_named(const struct named_call *call, const char *name)
{
    const int place = place_named(call, name);
    return place >= 0 && call->is_given[place];
}

/* A tensor with numbers at random, in any layout that gives each element a place of its own; nothing where the
 * function has no such parameter. */
static inline struct layout *give_tensor(struct named_call *call, const char *name, aclDataType dtype,
                                         unsigned rank, const int64_t *shape)
{
    const int place = place_named(call, name);
    if (place < 0)
        return NULL;
    struct layout *layout = &call->tensor[place];
    *layout = layout_create(dtype, rank, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
    if (is_float_dtype(dtype))
        layout_fill(layout, 2, NO_SPECIALS);
    call->argument[place].tensor = layout->tensor;
    call->is_given[place] = true;
    return layout;
}

#define GIVE(call, name, dtype, ...)                                                         \
    give_tensor(call, name, dtype, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
                (const int64_t[]){__VA_ARGS__})

static inline void set_whole(const struct layout *layout, int64_t i, int64_t value)
{
    if (layout->dtype == ACL_INT64)
        memcpy(layout_element(layout, i), &value, sizeof value);
    else
        conversion_reference(&value, ACL_INT64, layout_element(layout, i), layout->dtype);
}

static inline int64_t whole_of(const struct layout *layout, int64_t i)
{
    int64_t value;
    if (layout->dtype == ACL_INT64)
        memcpy(&value, layout_element(layout, i), sizeof value);
    else
        conversion_reference(layout_element(layout, i), layout->dtype, &value, ACL_INT64);
    return value;
}

static inline void set_numbers(const struct layout *layout, const double *number)
{
    for (int64_t i = 0; layout != NULL && i < layout->count; i++)
        is_float_dtype(layout->dtype) ? set_element(layout, i, number[i])
                                      : set_whole(layout, i, (int64_t)number[i]);
}

static inline void give_number(struct named_call *call, const char *name, double value)
{
    const int place = place_named(call, name);
    if (place < 0)
        return;
    const enum parameter_kind kind = call->function->parameter[place].kind;
    call->argument[place] = kind == PARAMETER_DOUBLE  ? argument_of_fp64(value)
                            : kind == PARAMETER_FLOAT ? argument_of_fp32((float)value)
                            : kind == PARAMETER_BOOL  ? argument_of_bool(value != 0)
                                                      : argument_of_integer((int64_t)value);
}

static inline void give_text(struct named_call *call, const char *name, const char *text)
{
    const int place = place_named(call, name);
    if (place >= 0)
        call->argument[place] = argument_of_pointer(text);
}

static inline void give_array(struct named_call *call, const char *name, const int64_t *number,
                              uint64_t count)
{
    const int place = place_named(call, name);
    if (place >= 0)
        call->argument[place].ints = aclCreateIntArray(number, count);
}

static inline void assert_numbers(struct named_call *call, const char *name, const double *number,
                                  double loose)
{
    const struct layout *layout = tensor_named(call, name);
    for (int64_t i = 0; i < layout->count; i++) {
        const double found = element_of(layout, i);
        if (!(fabs(found - number[i]) <= loose))
            fail_msg("%s: %s[%d] is %.9g; %.9g is expected", call->function->operation.name, name, (int)i,
                     found, number[i]);
    }
}

static inline int run_named(struct named_call *call)
{
    return call_function(call->function, call->argument);
}

static inline uint64_t hash_named(const struct named_call *call, uint64_t hash)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->is_given[i] && parameter_is_written(&call->function->parameter[i]))
            hash = hash_of(call->tensor[i].memory,
                           (size_t)(call->tensor[i].reach + 1) * call->tensor[i].bytes, hash);
    return hash;
}

static inline void end_named(struct named_call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->is_given[i])
            layout_destroy(&call->tensor[i]);
        else if (call->function->parameter[i].kind == PARAMETER_INT_ARRAY && call->argument[i].ints != NULL)
            (void)aclDestroyIntArray(call->argument[i].ints);
}

/* Phase 1 refuses the call with this status and a sentence that has the text. */
static inline void assert_named_refused(struct named_call *call, int status, const char *text)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_failure(function_plan_anew(call->function, call->argument, &bytes, &executor), status, text);
}

/* The same of a call whose number of this name becomes what is not in the contract. */
#define REFUSED(call, name, value, text)                              \
    do {                                                              \
        give_number(&(call), name, value);                            \
        assert_named_refused(&(call), ACLNN_ERR_PARAM_INVALID, text); \
    } while (0)

#endif
