/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What kernels include for the high-level Matmul, and for the structures that their host side fills in.
 */
#ifndef LIB_MATMUL_INTF_H
#define LIB_MATMUL_INTF_H

#include "kernel_operator.h"
#include "ascendc/matmul.h"

#endif
