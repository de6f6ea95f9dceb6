/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Einsum by equations drawn at random, of one tensor and two, in any layout and dtype, against loops over all
 * letters in long double; the bits of Matmul; the output over an input; what is refused; and that bits depend
 * neither on the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

enum { LETTERS = 6, RANK = 4, OUT = 2, TEXT_BYTES = 64 };

struct drawn {
    int tensors;
    unsigned rank[OUT + 1];
    unsigned letter[OUT + 1][LETTERS];
    int64_t size[LETTERS];
    char text[TEXT_BYTES];
    struct layout tensor[OUT + 1];
};

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

static struct layout made(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    for (size_t i = 0; i < (size_t)(layout.reach + 1) * layout.bytes; i++)
        layout.memory[i] = (unsigned char)random_bits();
    if (is_float_dtype(dtype))
        layout_fill(&layout, 1, false);
    return layout;
}

static bool has(const struct drawn *drawn, int tensor, unsigned letter)
{
    for (unsigned i = 0; i < drawn->rank[tensor]; i++)
        if (drawn->letter[tensor][i] == letter)
            return true;
    return false;
}

static const char names[LETTERS + 1] = "bZaQkz";

static void append(char *text, char character)
{
    const size_t length = strlen(text);
    if (random_below(6) == 0) {
        text[length] = ' ';
        text[length + 1] = character;
    } else {
        text[length] = character;
    }
}

static struct drawn draw(aclDataType dtype)
{
    struct drawn drawn = {.tensors = 1 + (random_below(3) > 0)};
    const unsigned letters = 1 + (unsigned)random_below(LETTERS);
    bool is_one[OUT][LETTERS], is_wide[LETTERS] = {false}, is_derived = random_below(4) == 0;
    unsigned times[LETTERS] = {0};
    for (unsigned i = 0; i < letters; i++)
        drawn.size[i] = random_below(40) == 0 ? 0 : 1 + random_below(5);
    for (int k = 0; k < drawn.tensors; k++) {
        drawn.rank[k] = (unsigned)random_below(RANK + 1);
        for (unsigned i = 0; i < LETTERS; i++)
            is_one[k][i] = random_below(8) == 0;
        for (unsigned i = 0; i < drawn.rank[k]; i++) {
            const unsigned letter = drawn.letter[k][i] = (unsigned)random_below(letters);
            is_wide[letter] = is_wide[letter] || !is_one[k][letter];
            times[letter]++;
            append(drawn.text, names[letter]);
        }
        if (k + 1 < drawn.tensors)
            append(drawn.text, ',');
    }
    for (unsigned i = 0; i < letters; i++) {
        drawn.size[i] = is_wide[i] ? drawn.size[i] : 1;
        if (!is_derived && times[i] > 0 && random_below(2) == 0)
            drawn.letter[OUT][drawn.rank[OUT]++] = i;
    }
    for (unsigned i = 0; i + 1 < drawn.rank[OUT]; i++) { /* in any order */
        const unsigned other = i + (unsigned)random_below(drawn.rank[OUT] - i);
        const unsigned letter = drawn.letter[OUT][i];
        drawn.letter[OUT][i] = drawn.letter[OUT][other];
        drawn.letter[OUT][other] = letter;
    }
    static const unsigned sorted[LETTERS] = {3, 1, 2, 0, 4, 5}; /* Q Z a b k z */
    for (unsigned i = 0; i < LETTERS && is_derived; i++)
        if (times[sorted[i]] == 1)
            drawn.letter[OUT][drawn.rank[OUT]++] = sorted[i];
    if (!is_derived)
        strcat(drawn.text, "->");
    for (unsigned i = 0; i < drawn.rank[OUT] && !is_derived; i++)
        append(drawn.text, names[drawn.letter[OUT][i]]);
    for (int k = 0; k <= OUT; k++) {
        int64_t shape[LETTERS];
        for (unsigned i = 0; i < drawn.rank[k]; i++)
            shape[i] = k < OUT && is_one[k][drawn.letter[k][i]] ? 1 : drawn.size[drawn.letter[k][i]];
        if (k < drawn.tensors || k == OUT)
            drawn.tensor[k] = made(dtype, drawn.rank[k], shape, k < OUT);
    }
    return drawn;
}

/* The list owns its tensors. */
static int run(struct drawn *drawn)
{
    const aclTensor *tensor[OUT];
    for (int k = 0; k < drawn->tensors; k++)
        tensor[k] = drawn->tensor[k].tensor;
    const union argument argument[] = {
        argument_of_pointer(aclCreateTensorList(tensor, (uint64_t)drawn->tensors)),
        {.string = drawn->text},
        {.tensor = drawn->tensor[OUT].tensor}};
    const int status = call_function(find("aclnnEinsum"), argument);
    assert_int_equal(aclDestroyTensorList(argument[0].tensors), 0);
    for (int k = 0; k < drawn->tensors; k++) { /* for those who destroy them again */
        struct layout *layout = &drawn->tensor[k];
        const int64_t storage = layout->reach + 1;
        layout->tensor =
            aclCreateTensor(layout->shape, layout->rank, layout->dtype, layout->stride, layout->offset,
                            ACL_FORMAT_ND, &storage, 1, memory_known_as(layout->memory));
    }
    return status;
}

static void forget(struct drawn *drawn)
{
    for (int k = 0; k <= OUT; k++)
        if (k < drawn->tensors || k == OUT)
            layout_destroy(&drawn->tensor[k]);
}

/* Which element of a tensor it is where the letters have these values. */
static int64_t number_of_element(const struct drawn *drawn, int k, const int64_t *value)
{
    int64_t number = 0;
    for (unsigned i = 0; i < drawn->rank[k]; i++) {
        const int64_t size = drawn->tensor[k].shape[i];
        number = number * size + (size == 1 ? 0 : value[drawn->letter[k][i]]);
    }
    return number;
}

static int64_t whole_of(const struct layout *layout, int64_t number)
{
    int64_t whole;
    if (layout->dtype == ACL_INT64)
        memcpy(&whole, layout_element(layout, number), sizeof whole);
    else
        conversion_reference(layout_element(layout, number), layout->dtype, &whole, ACL_INT64);
    return whole;
}

static void judge(const struct drawn *drawn)
{
    const struct layout *out = &drawn->tensor[OUT];
    for (int64_t i = 0; i < out->count; i++) {
        int64_t value[LETTERS] = {0}, summed = 1, rest = i;
        for (unsigned d = drawn->rank[OUT]; d-- > 0; rest /= out->shape[d])
            value[drawn->letter[OUT][d]] = rest % out->shape[d];
        for (unsigned letter = 0; letter < LETTERS; letter++)
            if (!has(drawn, OUT, letter) && (has(drawn, 0, letter) || has(drawn, 1, letter)))
                summed *= drawn->size[letter];
        long double sum = 0, size = 0;
        uint64_t whole = 0;
        for (int64_t s = 0; s < summed; s++) {
            int64_t number = s;
            for (unsigned letter = 0; letter < LETTERS; letter++)
                if (!has(drawn, OUT, letter) && (has(drawn, 0, letter) || has(drawn, 1, letter))) {
                    value[letter] = number % drawn->size[letter];
                    number /= drawn->size[letter];
                }
            long double product = 1;
            uint64_t of_wholes = 1;
            for (int k = 0; k < drawn->tensors; k++) {
                const int64_t element = number_of_element(drawn, k, value);
                if (is_float_dtype(out->dtype))
                    product *= (long double)element_of(&drawn->tensor[k], element);
                else
                    of_wholes *= (uint64_t)whole_of(&drawn->tensor[k], element);
            }
            sum += product;
            size += fabsl(product);
            whole += of_wholes;
        }
        if (is_float_dtype(out->dtype)) {
            assert_near(drawn->text, out, i, sum, out->dtype,
                        size * (out->dtype == ACL_DOUBLE ? 0x1p-46L : 0x1p-18L));
        } else {
            unsigned char wanted[8];
            if (out->dtype == ACL_INT64)
                memcpy(wanted, &whole, sizeof whole);
            else
                conversion_reference(&whole, ACL_INT64, wanted, out->dtype);
            if (memcmp(layout_element(out, i), wanted, out->bytes) != 0)
                fail_msg("%s: element %lld of %lld", drawn->text, (long long)i, (long long)out->count);
        }
    }
}

static void equations_are_loops_over_letters(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(600); round++) {
        struct drawn drawn = draw(dtypes[round % DTYPES]);
        if (run(&drawn) != 0)
            fail_msg("%s", drawn.text);
        judge(&drawn);
        forget(&drawn);
    }
}

/* A product of matrices in more elements than a piece, whose output lies where its first tensor does. */
static void products_have_the_bits_of_matmul(void **state)
{
    static const int64_t square[] = {90, 90};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct drawn drawn = {.tensors = 2, .rank = {2, 2, 2}, .text = "ij,jk->ik"};
        struct layout product = made(short_dtypes[i], 2, square, false);
        drawn.tensor[0] = layout_create(short_dtypes[i], 2, square, LAYOUT_CONTIGUOUS);
        layout_fill(&drawn.tensor[0], 1, false);
        drawn.tensor[1] = made(short_dtypes[i], 2, square, true);
        const union argument argument[] = {{.tensor = drawn.tensor[0].tensor},
                                           {.tensor = drawn.tensor[1].tensor},
                                           {.tensor = product.tensor},
                                           argument_of_integer(0)};
        assert_int_equal(call_function(find("aclnnMatmul"), argument), 0);
        const int64_t storage = 90 * 90;
        drawn.tensor[OUT] = drawn.tensor[0];
        drawn.tensor[OUT].tensor =
            aclCreateTensor(square, 2, short_dtypes[i], drawn.tensor[0].stride, drawn.tensor[0].offset,
                            ACL_FORMAT_ND, &storage, 1, memory_known_as(drawn.tensor[0].memory));
        assert_int_equal(run(&drawn), 0);
        for (int64_t k = 0; k < product.count; k++)
            assert_memory_equal(layout_element(&drawn.tensor[OUT], k), layout_element(&product, k),
                                product.bytes);
        assert_int_equal(aclDestroyTensor(drawn.tensor[OUT].tensor), 0);
        layout_destroy(&drawn.tensor[0]);
        layout_destroy(&drawn.tensor[1]);
        layout_destroy(&product);
    }
}

static void replace_list(struct attempt *attempt, aclTensor *first, aclTensor *second)
{
    const aclTensor *both[] = {first, second};
    assert_int_equal(aclDestroyTensorList(attempt->argument[0].tensors), 0);
    attempt->argument[0].tensors =
        aclCreateTensorList(both, (uint64_t)(first != NULL) + (uint64_t)(second != NULL));
}

static void what_is_malformed_is_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"i.,jk->ik", "equation has a character 46 at [1]; letters, spaces, commas and one -> are expected"},
        {"ij,jk,kl->il", "equation has more than 2 parts"},
        {"ij->ij", "equation has 1 parts and tensors 2 tensors"},
        {"ijk,jk->ik", "equation has 3 letters for tensor 0 of tensors, which has 2 dims"},
        {"ij,j->i", "equation has 1 letters for tensor 1 of tensors, which has 2 dims"},
        {"abcdefghi,jk->ik", "equation has more than 8 letters in one place, at [8]"},
        {"ij,jk-ik", "equation has - without > at [5]"},
        {"ij,jk->ii", "equation has the letter i twice behind ->"},
        {"ij,jk->im", "equation has the letter m behind -> alone"},
        {"ij,jk->i,k", "equation has a comma behind ->, at [8]"},
        {"ij,jk->ik->", "equation has a - behind ->, at [9]"},
        {"ij,jk->k", "output has shape [3, 3]; [3]"},
        {"", "equation has 1 parts and tensors 2 tensors"},
    };
    (void)state;
    struct attempt attempt = accepted(find("aclnnEinsum"));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        attempt.argument[1].string = wrong[i][0];
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, wrong[i][1]);
    }
    attempt.argument[1].string = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "equation is NULL");
    attempt.argument[1].string = " i j , j k -> i k ";
    assert_accepted(&attempt);
    attempt.argument[1].string = "ij,jk->ik";
    replace_list(&attempt, tensor_with(ACL_FLOAT, 2, DIMS(3, 4), NULL),
                 tensor_with(ACL_FLOAT, 2, DIMS(3, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "letter j of equation has sizes 4 and 3");
    replace_list(&attempt, tensor_with(ACL_FLOAT, 2, DIMS(3, 3), NULL),
                 tensor_with(ACL_INT32, 2, DIMS(3, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensor 1 of tensors has dtype INT32; FLOAT, that of");
    replace_list(&attempt, tensor_with(ACL_BOOL, 2, DIMS(3, 3), NULL),
                 tensor_with(ACL_BOOL, 2, DIMS(3, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensors has dtype BOOL");
    attempt.argument[1].string = "ii->i";
    replace_list(&attempt, tensor_with(ACL_FLOAT, 2, DIMS(1, 3), NULL), NULL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "letter i of equation has sizes 1 and 3 in one tensor");
    replace_list(&attempt, NULL, NULL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensors has 0 tensors; 1 or 2 are expected");
    release(&attempt);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 60; round++) {
        struct drawn drawn = draw(dtypes[round % DTYPES]);
        if (run(&drawn) != 0)
            return 0;
        const struct layout *out = &drawn.tensor[OUT];
        hash = hash_of(out->memory, (size_t)(out->reach + 1) * out->bytes, hash);
        forget(&drawn);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_are_loops_over_letters),
        cmocka_unit_test(products_have_the_bits_of_matmul),
        cmocka_unit_test(what_is_malformed_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
