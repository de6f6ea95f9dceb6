/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The parameters of an operator's first phase as its header declares them, a letter each, in the order of the
 * call. In C++ because that can take a type apart; operator_signatures.c compares.
 */
#ifndef BELAY_TESTS_API_OPERATOR_SIGNATURES_H
#define BELAY_TESTS_API_OPERATOR_SIGNATURES_H

#include "aclnn/aclnn_base.h"

struct signature {
    const char *name;
    const char *letters; /* ends with those of uint64_t *workspaceSize and aclOpExecutor **executor, "we" */
};

#ifdef __cplusplus
#include <type_traits>

extern "C" const signature signatures[]; /* ended by a name that is NULL */

template <typename Type> struct letter_of;
/* A tensor that is written is const in some headers and not in others. */
template <> struct letter_of<const aclTensor *> : std::integral_constant<char, 't'> {
};
template <> struct letter_of<aclTensor *> : std::integral_constant<char, 't'> {
};
template <> struct letter_of<const aclTensorList *> : std::integral_constant<char, 'T'> {
};
template <> struct letter_of<aclTensorList *> : std::integral_constant<char, 'T'> {
};
template <> struct letter_of<const aclScalar *> : std::integral_constant<char, 's'> {
};
template <> struct letter_of<const aclScalarList *> : std::integral_constant<char, 'S'> {
};
template <> struct letter_of<const aclIntArray *> : std::integral_constant<char, 'I'> {
};
template <> struct letter_of<const aclBoolArray *> : std::integral_constant<char, 'B'> {
};
template <> struct letter_of<const aclFloatArray *> : std::integral_constant<char, 'F'> {
};
template <> struct letter_of<aclDataType> : std::integral_constant<char, 'D'> {
};
template <> struct letter_of<int64_t> : std::integral_constant<char, 'l'> {
};
template <> struct letter_of<uint64_t> : std::integral_constant<char, 'l'> {
};
template <> struct letter_of<int32_t> : std::integral_constant<char, 'i'> {
};
template <> struct letter_of<int8_t> : std::integral_constant<char, 'c'> {
};
template <> struct letter_of<float> : std::integral_constant<char, 'f'> {
};
template <> struct letter_of<double> : std::integral_constant<char, 'd'> {
};
template <> struct letter_of<bool> : std::integral_constant<char, 'b'> {
};
template <> struct letter_of<const char *> : std::integral_constant<char, 'z'> {
};
template <> struct letter_of<char *> : std::integral_constant<char, 'z'> {
};
template <> struct letter_of<uint64_t *> : std::integral_constant<char, 'w'> {
};
template <> struct letter_of<aclOpExecutor **> : std::integral_constant<char, 'e'> {
};

template <typename Phase1> struct letters_of;
template <typename... Arguments> struct letters_of<aclnnStatus(Arguments...)> {
    static const char letters[];
};
template <typename... Arguments>
const char letters_of<aclnnStatus(Arguments...)>::letters[] = {letter_of<Arguments>::value..., '\0'};

template <typename Phase1, typename Phase2> signature signature_of(const char *name)
{
    static_assert(std::is_same<Phase2, aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>::value,
                  "a second phase has the type of all others");
    return {name, letters_of<Phase1>::letters};
}
#else
extern const struct signature signatures[];
#endif

#endif
