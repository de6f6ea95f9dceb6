/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The same with contraction allowed, which must show. */
#define PLANTED
#include "contraction.c"
