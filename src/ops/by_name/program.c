/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Programs of operators by name: text, function descriptions and operands, made into calls.
 */
#include "ops/by_name/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "ops/by_name.h"
#include "ops/by_name/numbers.h"
#include "ops/by_name/run.h"
#include "ops/call.h"
#include "base/error.h"
#include "base/number_text.h"
#include "runtime/named/op_attribute.h"
#include "tensor/dtype.h"

enum { PROGRAM_BYTES = 1536, WORDS = PARAMETERS_MAX + 2 };

/* A cast that is to be made behind the call. */
struct cast {
    const aclTensor *from, *to;
    aclDataType dtype;
};

/* A tensor of the program's own that is what infer says. */
static int make_own(struct run *run, const struct output *output, struct named_operand *own)
{
    *own = (struct named_operand){.is_there = true};
    own->view.dtype = output->dtype;
    own->view.format = ACL_FORMAT_ND;
    own->view.rank = (int32_t)output->shape.rank;
    memcpy(own->view.dims, output->shape.dim, output->shape.rank * sizeof(int64_t));
    own->view.bytes = (size_t)run_count(&own->view) * dtype_bytes(output->dtype);
    return run_allocate(run, own->view.bytes, &own->address);
}

static int run_cast(struct run *run, const struct cast *cast)
{
    const union argument argument[] = {ARG(cast->from), ARG((int)cast->dtype), ARG(cast->to)};
    return program_call(run, program_function("Cast"), argument);
}

/* Where the call writes an output, and what is left to be done behind it. */
static int output_of(struct run *run, const char *word, const struct output *output, struct cast *cast,
                     const aclTensor **tensor)
{
    *tensor = NULL;
    if (word[0] == '-' || (strchr(word, '?') != NULL && run_operand(run, word) == NULL))
        return 0;
    if (word[0] == 't' && run_operand(run, word) == NULL)
        TRY(make_own(run, output, &run->own[atoi(word + 1) % OWN_TENSORS]));
    const struct named_operand *operand = run_operand(run, word);
    if (operand == NULL)
        return run_refuse(run, word);
    struct named_operand seen = *operand, narrow;
    struct tensor_desc_view inferred = {.rank = (int32_t)output->shape.rank};
    memcpy(inferred.dims, output->shape.dim, output->shape.rank * sizeof(int64_t));
    const bool fits = run_count(&inferred) == run_count(&operand->view);
    if (fits) {
        seen.view.rank = inferred.rank;
        memcpy(seen.view.dims, inferred.dims, sizeof seen.view.dims);
    }
    if (output->dtype_rule != DTYPE_EQUAL || output->dtype == operand->view.dtype)
        return run_tensor(run, &seen, false, tensor);
    TRY(make_own(run, output, &narrow));
    TRY(run_tensor(run, &seen, false, &cast->to));
    TRY(run_tensor(run, &narrow, false, tensor));
    cast->from = *tensor;
    cast->dtype = operand->view.dtype;
    return fits ? 0 : run_cast(run, cast); /* which is refused: better before anything is computed */
}

enum { OWN_FUNCTIONS = 48 };
static struct {
    const char *word;
    const struct function *function;
} offered[OWN_FUNCTIONS]; /* constructors fill it */

void program_offer_function(const struct function *function)
{
    for (int i = 0; i < OWN_FUNCTIONS; i++)
        if (offered[i].function == NULL) {
            offered[i].word = function->operation.name;
            offered[i].function = function;
            return;
        }
}

const struct function *program_function(const char *name)
{
    size_t count;
    for (int i = 0; i < OWN_FUNCTIONS && offered[i].function != NULL; i++)
        if (strcmp(offered[i].word, name) == 0)
            return offered[i].function;
    const struct function *const *all = functions(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i]->operation.name + strlen("aclnn"), name) == 0)
            return all[i];
    return NULL;
}

int program_call(struct run *run, const struct function *function, const union argument *argument)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    TRY(function_plan(function, argument, &bytes, &executor));
    return by_name_run(function->launch, bytes, executor, run->stream);
}

static int run_function(struct run *run, char *const *word, unsigned words)
{
    const struct function *function = program_function(word[0]);
    if (function == NULL || words != function->parameter_count + 1)
        return run_refuse(run, word[0]);
    union argument argument[PARAMETERS_MAX] = {{NULL}};
    struct cast cast[OUTPUTS_MAX] = {{NULL, NULL, 0}};
    struct result result;
    bool has_outputs = false;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        if (parameter_is_output(parameter) && parameter->kind == PARAMETER_TENSOR)
            has_outputs = true;
        else
            TRY(run_argument(run, parameter, word[i + 1], &argument[i]));
    }
    if (has_outputs)
        TRY(function_infer(function, argument, &result));
    for (unsigned i = 0, n = 0; has_outputs && i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        if (parameter_is_output(parameter) && parameter->kind == PARAMETER_TENSOR)
            TRY(output_of(run, word[i + 1], &result.output[n], &cast[n], &argument[i].tensor));
        n += parameter_is_written(parameter);
    }
    TRY(program_call(run, function, argument));
    for (unsigned n = 0; n < OUTPUTS_MAX; n++)
        if (cast[n].from != NULL)
            TRY(run_cast(run, &cast[n]));
    return 0;
}

/* Other values than these mean what is not computed here. */
static int need(const struct run *run, char *condition)
{
    char *values = strchr(condition, '='), *rest = NULL;
    if (values == NULL)
        return run_refuse(run, condition);
    *values++ = '\0';
    const char *text = op_attribute_text(run->call->attr, condition, NULL);
    if (text != NULL && text[0] == '\0') /* what is usual */
        return 0;
    const double number = op_attribute_number(run->call->attr, condition, number_from_text(values, NULL));
    char expected[128];
    snprintf(expected, sizeof expected, "%s", values);
    for (char *value = strtok_r(values, ",", &rest); value != NULL; value = strtok_r(NULL, ",", &rest))
        if (text != NULL ? strcmp(text, value) == 0 : number == number_from_text(value, NULL))
            return 0;
    if (text != NULL)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: the attribute %s of %s is \"%s\"; %s is expected",
                    run->call->api, condition, run->call->named->name, text, expected);
    return fail(ACL_ERROR_INVALID_PARAM, "%s: the attribute %s of %s is %g; %s is expected", run->call->api,
                condition, run->call->named->name, number, expected);
}

static int cast(struct run *run, const struct named_operand *from, const struct named_operand *to)
{
    struct cast made = {.dtype = to->view.dtype};
    TRY(run_tensor(run, from, false, &made.from));
    TRY(run_tensor(run, to, false, &made.to));
    return run_cast(run, &made);
}

static int copy(struct run *run, const char *to_word, const char *from_word)
{
    struct named_operand *to = run_operand(run, to_word), *from = run_operand(run, from_word);
    if (to == NULL || from == NULL)
        return run_refuse(run, to_word);
    if (to->address == from->address)
        return 0;
    if (run->is_in_float && to->view.dtype != from->view.dtype)
        return cast(run, from, to);
    if (to->view.dtype != from->view.dtype || to->view.bytes != from->view.bytes)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: %s is to copy %zu bytes of %s to %zu bytes of %s; the same dtype and size are "
                    "expected",
                    run->call->api, run->call->named->name, from->view.bytes, dtype_name(from->view.dtype),
                    to->view.bytes, dtype_name(to->view.dtype));
    TRY(run_bring(run, from));
    return from->view.bytes == 0
               ? 0
               : aclrtMemcpyAsync(to->address, to->view.bytes, from->address, from->view.bytes,
                                  ACL_MEMCPY_DEVICE_TO_DEVICE, run->stream);
}

static int make_like(struct run *run, const char *own_word, const char *like_word)
{
    const struct named_operand *like = run_operand(run, like_word);
    struct named_operand *own = &run->own[atoi(own_word + 1) % OWN_TENSORS];
    if (like == NULL)
        return run_refuse(run, like_word);
    *own = *like;
    return run_allocate(run, own->view.bytes, &own->address);
}

static int see(struct run *run, const char *own_word, const char *word)
{
    const struct named_operand *operand = run_operand(run, word);
    if (operand == NULL)
        return run_refuse(run, word);
    run->own[atoi(own_word + 1) % OWN_TENSORS] = *operand;
    return 0;
}

static bool has_16_bits(const struct named_operand *operand)
{
    return operand->is_there && (operand->view.dtype == ACL_FLOAT16 || operand->view.dtype == ACL_BF16);
}

/* The operand is FLOAT from here on; what it was is kept. */
static int make_wide(struct run *run, struct named_operand *operand, struct named_operand *narrow)
{
    if (!has_16_bits(operand))
        return 0;
    *narrow = *operand;
    operand->view.dtype = ACL_FLOAT;
    operand->view.bytes = (size_t)run_count(&operand->view) * sizeof(float);
    return run_allocate(run, operand->view.bytes, &operand->address);
}

/* Operands of 16 bits are FLOAT from here on. Outputs are written back in the end, and the inputs that are
 * named. */
static int compute_in_float(struct run *run, char *const *word, unsigned words)
{
    run->is_in_float = true;
    for (unsigned i = 1; i < words; i++)
        run->changed |= 1U << (atoi(word[i] + 1) % NAMED_INPUTS);
    for (int i = 0; i < run->call->inputs && i < NAMED_INPUTS; i++) {
        struct named_operand *operand = &run->call->input[i];
        if (operand->is_there)
            TRY(run_bring(run, operand));
        TRY(make_wide(run, operand, &run->narrow[i]));
        if (run->narrow[i].is_there)
            TRY(cast(run, &run->narrow[i], operand));
    }
    for (int i = 0; i < run->call->outputs && i < NAMED_OUTPUTS; i++)
        TRY(make_wide(run, &run->call->output[i], &run->narrow_out[i]));
    return 0;
}

static int write_back(struct run *run)
{
    for (int i = 0; i < run->call->inputs && i < NAMED_INPUTS; i++)
        if (run->narrow[i].is_there && (run->changed >> i & 1))
            TRY(cast(run, &run->call->input[i], &run->narrow[i]));
    for (int i = 0; i < run->call->outputs && i < NAMED_OUTPUTS; i++)
        if (run->narrow_out[i].is_there)
            TRY(cast(run, &run->call->output[i], &run->narrow_out[i]));
    return 0;
}

int program_run_statement(struct run *run, char *statement)
{
    char *word[WORDS], *rest = NULL;
    unsigned words = 0;
    for (char *at = strtok_r(statement, " ", &rest); at != NULL && words < WORDS;
         at = strtok_r(NULL, " ", &rest))
        word[words++] = at;
    while (words > 0 && (word[0][0] == '?' || word[0][0] == '!')) {
        if (numbers_is_set(run->call, word[0] + 1, run->stream) != (word[0][0] == '?'))
            return 0;
        memmove(word, word + 1, --words * sizeof *word);
    }
    if (words == 0)
        return 0;
    if (words == 2 && strcmp(word[0], "need") == 0)
        return need(run, word[1]);
    if (words == 3 && strcmp(word[0], "copy") == 0)
        return copy(run, word[1], word[2]);
    if (words == 6 && strcmp(word[0], "strided") == 0)
        return strided_read(run, word);
    if (words == 9 && strcmp(word[0], "place") == 0)
        return strided_write(run, word);
    if (words == 5 && strcmp(word[0], "divide") == 0)
        return space_divide(run, word);
    if (words == 5 && strcmp(word[0], "join") == 0)
        return space_join(run, word);
    if (words == 4 && strcmp(word[0], "edges") == 0)
        return edges_continue(run, word[1], word[2], word[3]);
    if (words == 4 && strcmp(word[0], "unedge") == 0)
        return edges_gather(run, word[1], word[2], word[3]);
    if (words == 4 && strcmp(word[0], "resize") == 0)
        return resize_run(run, word[1], word[2], word[3]);
    if (words == 4 && strcmp(word[0], "unresize") == 0)
        return resize_back(run, word[1], word[2], word[3]);
    if (words == 4 && strcmp(word[0], "product") == 0)
        return axes_multiply(run, word[1], word[2], word[3]);
    if (words == 6 && strcmp(word[0], "swap") == 0)
        return strided_swap(run, word);
    if (words == 3 && strcmp(word[0], "numbers") == 0)
        return numbers_upload(run, word[1], word[2]);
    if (words == 3 && strcmp(word[0], "see") == 0)
        return see(run, word[1], word[2]);
    if (strcmp(word[0], "images") == 0)
        return layout_images(run, word, words);
    if (strcmp(word[0], "float") == 0)
        return compute_in_float(run, word, words);
    if (words == 3 && strcmp(word[0], "like") == 0)
        return make_like(run, word[1], word[2]);
    if (words == 3 && strcmp(word[0], "narrow") == 0)
        return pool_mask_narrow(run, word[1], word[2]);
    if (words == 4 && strcmp(word[0], "widen") == 0)
        return pool_mask_widen(run, word[1], word[2], word[3]);
    const bool is_own = strcmp(word[0], "own") == 0;
    return run_function(run, word + is_own, words - is_own);
}

int program_run(const struct named_call *call, aclrtStream stream)
{
    char text[PROGRAM_BYTES], *rest = NULL;
    struct run run = {.call = call, .stream = stream};
    int status = 0;
    snprintf(text, sizeof text, "%s", call->named->program);
    for (char *statement = strtok_r(text, ";", &rest); statement != NULL && status == 0;
         statement = strtok_r(NULL, ";", &rest))
        status = program_run_statement(&run, statement);
    if (status == 0)
        status = write_back(&run);
    if (status == 0)
        status = layout_write_back(&run);
    run_end(&run);
    return status;
}

void program_offer(struct named_operator *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        named_operator_offer(&kinds[i]);
}
