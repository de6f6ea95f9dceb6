/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tiling keys of kernels that are templates: ASCENDC_TPL_ARGS_DECL says which parameters there are, ASCENDC_TPL_SEL which of
 * their values are compiled, and GET_TPL_TILING_KEY which of these the host side has chosen. Both sides include the header
 * that has the two.
 */
#ifndef ASCENDC_HOST_API_TILING_TEMPLATE_ARGUMENT_H
#define ASCENDC_HOST_API_TILING_TEMPLATE_ARGUMENT_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace belay_template_keys
{
enum { VALUES_MAX = 64, PARAMETERS_MAX = 16 };
enum Mode { RANGES, LIST, MIX };

/* A parameter of the kernel, with values that it can have. A selection has the bits of none. */
struct Parameter {
    const char *name;
    unsigned bits;
    unsigned count;
    uint64_t value[VALUES_MAX];

    /* Too many values are no constant: the compiler names the line. */
    constexpr void add(uint64_t one)
    {
        value[count++] = one;
    }
};

struct Selection {
    Parameter parameter[PARAMETERS_MAX];
};

constexpr Parameter list(const char *name, unsigned bits, std::initializer_list<uint64_t> values)
{
    Parameter made = {name, bits, 0, {}};
    for (uint64_t one : values)
        made.add(one);
    return made;
}

/* MIX: how many ranges, the ends of each, and then single values. RANGES: the same without the values. */
constexpr Parameter numbers(const char *name, unsigned bits, Mode mode, std::initializer_list<uint64_t> words)
{
    const uint64_t *at = words.begin(), *const end = words.end();
    uint64_t ranges = mode != LIST && at != end ? *at++ : 0;
    Parameter made = {name, bits, 0, {}};
    for (; ranges > 0 && end - at >= 2; ranges--, at += 2)
        for (uint64_t one = at[0]; one <= at[1]; one++)
            made.add(one);
    for (; mode != RANGES && at != end; at++)
        made.add(*at);
    return made;
}

constexpr bool is_same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The values side by side, the first parameter's in the lowest bits. */
template <size_t N> constexpr uint64_t key_of(const Parameter (&of)[N], const uint64_t (&value)[N])
{
    uint64_t key = 0;
    unsigned shift = 0;
    for (size_t i = 0; i < N; i++) {
        key |= (value[i] & ((uint64_t(1) << of[i].bits) - 1)) << shift;
        shift += of[i].bits;
    }
    return key;
}

template <size_t N, typename... Values>
constexpr uint64_t key_of_values(const Parameter (&of)[N], Values... value)
{
    static_assert(sizeof...(Values) == N, "a value for each parameter of ASCENDC_TPL_ARGS_DECL is expected");
    return key_of(of, {static_cast<uint64_t>(value)...});
}

/* What a selection has of a parameter. */
constexpr const Parameter &selected(const Selection &of, const Parameter &declared)
{
    size_t at = 0;
    while (!is_same(of.parameter[at].name, declared.name)) /* one that is left out is no constant */
        at++;
    return of.parameter[at];
}

/* How many combinations a selection has, one value of each parameter in each. */
template <size_t N> constexpr size_t combinations_of(const Selection &of, const Parameter (&declared)[N])
{
    size_t all = 1;
    for (size_t i = 0; i < N; i++)
        all *= selected(of, declared[i]).count;
    return all;
}

template <size_t N, size_t M>
constexpr size_t combinations(const Selection (&of)[M], const Parameter (&declared)[N])
{
    size_t all = 0;
    for (size_t i = 0; i < M; i++)
        all += combinations_of(of[i], declared);
    return all;
}

/* The value of one parameter in a combination. They come one after the other: the last parameter's values change the
 * fastest. */
template <size_t N, size_t M>
constexpr uint64_t value_at(const Selection (&of)[M], const Parameter (&declared)[N], size_t combination,
                            size_t parameter)
{
    size_t selection = 0;
    for (; combination >= combinations_of(of[selection], declared); selection++)
        combination -= combinations_of(of[selection], declared);
    for (size_t i = N; --i > parameter;)
        combination /= selected(of[selection], declared[i]).count;
    const Parameter &one = selected(of[selection], declared[parameter]);
    return one.value[combination % one.count];
}
} // namespace belay_template_keys

#define BELAY_TEMPLATE_KEYS 1

#define ASCENDC_TPL_ARGS_DECL(operation, ...)                                                          \
    [[maybe_unused]] static constexpr ::belay_template_keys::Parameter belay_template_parameters[] = { \
        __VA_ARGS__}
#define ASCENDC_TPL_SEL(...)                                                                           \
    [[maybe_unused]] static constexpr ::belay_template_keys::Selection belay_template_selections[] = { \
        __VA_ARGS__}
#define ASCENDC_TPL_ARGS_SEL(...)    \
    ::belay_template_keys::Selection \
    {                                \
        {                            \
            __VA_ARGS__              \
        }                            \
    }

#define ASCENDC_TPL_UI_RANGE ::belay_template_keys::RANGES
#define ASCENDC_TPL_UI_LIST  ::belay_template_keys::LIST
#define ASCENDC_TPL_UI_MIX   ::belay_template_keys::MIX
#define ASCENDC_TPL_1_BW     1
#define ASCENDC_TPL_2_BW     2
#define ASCENDC_TPL_3_BW     3
#define ASCENDC_TPL_4_BW     4
#define ASCENDC_TPL_5_BW     5
#define ASCENDC_TPL_6_BW     6
#define ASCENDC_TPL_7_BW     7
#define ASCENDC_TPL_8_BW     8

#define ASCENDC_TPL_UINT_DECL(name, bits, mode, ...) \
    ::belay_template_keys::numbers(#name, bits, mode, {__VA_ARGS__})
#define ASCENDC_TPL_UINT_SEL(name, mode, ...) ::belay_template_keys::numbers(#name, 0, mode, {__VA_ARGS__})
#define ASCENDC_TPL_BOOL_DECL(name, ...)      ::belay_template_keys::list(#name, 1, {__VA_ARGS__})
#define ASCENDC_TPL_BOOL_SEL(name, ...)       ::belay_template_keys::list(#name, 0, {__VA_ARGS__})
#define ASCENDC_TPL_DTYPE_DECL(name, ...)     ::belay_template_keys::list(#name, 8, {__VA_ARGS__})
#define ASCENDC_TPL_DTYPE_SEL(name, ...)      ::belay_template_keys::list(#name, 0, {__VA_ARGS__})
#define ASCENDC_TPL_DATATYPE_DECL             ASCENDC_TPL_DTYPE_DECL
#define ASCENDC_TPL_DATATYPE_SEL              ASCENDC_TPL_DTYPE_SEL
#define ASCENDC_TPL_FORMAT_DECL(name, ...)    ::belay_template_keys::list(#name, 8, {__VA_ARGS__})
#define ASCENDC_TPL_FORMAT_SEL(name, ...)     ::belay_template_keys::list(#name, 0, {__VA_ARGS__})

#define GET_TPL_TILING_KEY(...)             ::belay_template_keys::key_of_values(belay_template_parameters, __VA_ARGS__)
#define ASCENDC_TPL_SEL_PARAM(context, ...) (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__))

/* Dtypes and formats, by the numbers that both sides have for them. */
enum {
    C_DT_FLOAT = 0,
    C_DT_FLOAT16 = 1,
    C_DT_INT8 = 2,
    C_DT_INT32 = 3,
    C_DT_UINT8 = 4,
    C_DT_INT16 = 6,
    C_DT_UINT16 = 7,
    C_DT_UINT32 = 8,
    C_DT_INT64 = 9,
    C_DT_UINT64 = 10,
    C_DT_DOUBLE = 11,
    C_DT_BOOL = 12,
    C_DT_BF16 = 27
};
enum { C_FORMAT_NCHW = 0, C_FORMAT_NHWC = 1, C_FORMAT_ND = 2, C_FORMAT_FRACTAL_NZ = 29 };

#endif
