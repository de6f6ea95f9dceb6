/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tables of constants and the values that they must have. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_API_CONSTANT_H
#define BELAY_TESTS_API_CONSTANT_H

struct constant {
    const char *name;
    long long found;
    long long expected;
};

#define CONSTANT(name, value)           \
    {                                   \
#name, (long long)(name), value \
    }

static inline void expect_all(const struct constant *constants, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (constants[i].found != constants[i].expected)
            fail_msg("%s is %lld; %lld is expected", constants[i].name, constants[i].found,
                     constants[i].expected);
}

#define EXPECT_ALL(constants) expect_all(constants, sizeof constants / sizeof constants[0])

#endif
