/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The products that can be emulated, by SoC name.
 */
#ifndef BELAY_BASE_PRODUCT_H
#define BELAY_BASE_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

/* The products whose rules differ; every SoC name maps to one of them. */
enum product { PRODUCT_910A, PRODUCT_910B, PRODUCT_950 };

enum { SOC_NAME_BYTES = 32 };

/* How many cube cores the SoC of a name that is emulated has. */
uint32_t product_cube_cores(const char *soc_name);

/* Finds the rules that a SoC name stands for; false for a name that is not emulated. */
bool product_find(const char *soc_name, enum product *product);

#endif
