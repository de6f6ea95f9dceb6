/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sets of dtypes of ops/dtypes.h against their names, which say what is in them, and no two of them the
 * same.
 */
#include "ops/dtypes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct named_set {
    const char *name;
    struct dtype_set set;
} sets[] = {
#define NAMED(name, ...) {#name, __VA_ARGS__},
    DTYPE_SETS(NAMED)};
enum { SETS = sizeof sets / sizeof sets[0] };

/* What the words of a name mean, written out here anew; a word that another one begins with comes behind it. */
#define BIT(name) DTYPE_BIT(ACL_##name)
#define FLOATS    (BIT(FLOAT) | BIT(DOUBLE) | BIT(FLOAT16) | BIT(BF16))
#define INTEGERS  (BIT(INT8) | BIT(INT16) | BIT(INT32) | BIT(INT64) | BIT(UINT8))
#define NATURALS  (BIT(UINT16) | BIT(UINT32) | BIT(UINT64))
#define COMPLEX   (BIT(COMPLEX64) | BIT(COMPLEX128))
#define FLOATS_OF_950                                                                              \
    (BIT(FLOAT8_E4M3FN) | BIT(FLOAT8_E5M2) | BIT(FLOAT8_E8M0) | BIT(HIFLOAT8) | BIT(FLOAT4_E2M1) | \
     BIT(FLOAT4_E1M2))
#define SMALL (FLOATS_OF_950 | BIT(INT4))
static const struct word {
    const char *text;
    uint64_t bits;
} words[] = {
    {"all", FLOATS | INTEGERS | NATURALS | BIT(BOOL) | COMPLEX},
    {"reals", FLOATS | INTEGERS | NATURALS | BIT(BOOL)},
    {"common_floats", FLOATS & ~BIT(BF16)},
    {"floats", FLOATS},
    {"fp32", BIT(FLOAT)},
    {"fp64", BIT(DOUBLE)},
    {"fp16", BIT(FLOAT16)},
    {"bf16", BIT(BF16)},
    {"integers", INTEGERS},
    {"int8", BIT(INT8)},
    {"int16", BIT(INT16)},
    {"int32", BIT(INT32)},
    {"int64", BIT(INT64)},
    {"int4", BIT(INT4)},
    {"naturals", NATURALS},
    {"uint8", BIT(UINT8)},
    {"uint16", BIT(UINT16)},
    {"uint32", BIT(UINT32)},
    {"uint64", BIT(UINT64)},
    {"bool", BIT(BOOL)},
    {"complex64", BIT(COMPLEX64)},
    {"complex128", BIT(COMPLEX128)},
    {"complex", COMPLEX},
    {"float8_e8m0", BIT(FLOAT8_E8M0)},
    {"float8", BIT(FLOAT8_E4M3FN) | BIT(FLOAT8_E5M2)},
    {"float4_e2m1", BIT(FLOAT4_E2M1)},
    {"float4", BIT(FLOAT4_E2M1) | BIT(FLOAT4_E1M2)},
    {"small", SMALL},
    {"hifloat8", BIT(HIFLOAT8)},
};

/* Moves on behind a word; false where the name goes on with another one. */
static bool takes(const char **name, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*name, word, length) != 0 || ((*name)[length] != '_' && (*name)[length] != '\0'))
        return false;
    *name += length + ((*name)[length] == '_');
    return true;
}

static struct dtype_set set_of(const char *name)
{
    struct dtype_set set = {{0}};
    enum { EVERYWHERE, ON_910B, ON_950, NOT_ON_950 } where = EVERYWHERE;
    const char *at = name + strlen("dtypes_");
    while (*at) {
        if (takes(&at, "on_910b"))
            where = ON_910B;
        else if (takes(&at, "on_950"))
            where = ON_950;
        else if (takes(&at, "not_on_950"))
            where = NOT_ON_950;
        size_t i = 0;
        while (i < sizeof words / sizeof words[0] && !takes(&at, words[i].text))
            i++;
        if (i == sizeof words / sizeof words[0])
            fail_msg("%s: %s is no word", name, at);
        set.on[PRODUCT_910A] |= where == EVERYWHERE ? words[i].bits : 0;
        set.on[PRODUCT_910B] |= where == EVERYWHERE || where == ON_910B ? words[i].bits : 0;
        set.on[PRODUCT_950] |= where != NOT_ON_950 ? words[i].bits : 0;
        set.on[PRODUCT_950] &= where == NOT_ON_950 ? ~words[i].bits : ~UINT64_C(0);
    }
    const uint64_t small = strstr(name, "_small") != NULL ? SMALL : FLOATS_OF_950;
    set.on[PRODUCT_910A] &= ~(BIT(BF16) | small);
    set.on[PRODUCT_910B] &= ~small;
    return set;
}

static void names_say_what_is_in_sets(void **state)
{
    (void)state;
    for (size_t i = 0; i < SETS; i++) {
        const struct dtype_set expected = set_of(sets[i].name);
        if (memcmp(&expected, &sets[i].set, sizeof expected) != 0)
            fail_msg("%s has something else in it", sets[i].name);
    }
}

static void each_set_stands_once(void **state)
{
    (void)state;
    assert_true(SETS > 50);
    for (size_t i = 0; i < SETS; i++)
        for (size_t k = 0; k < i; k++)
            if (memcmp(&sets[i].set, &sets[k].set, sizeof sets[i].set) == 0)
                fail_msg("%s is %s", sets[i].name, sets[k].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_what_is_in_sets),
        cmocka_unit_test(each_set_stands_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
