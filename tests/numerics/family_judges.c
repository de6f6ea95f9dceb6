/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The judge of each family; no part of a fingerprint.
 */
#include "numerics/family.h"
#include "numerics/family_judge.h"

const struct family_judge *family_judge_of(enum reference_operator stem)
{
    const struct family *family = family_of(stem);
    return family == &activations ? &activations_judge : family == &calculations ? &calculations_judge : NULL;
}
