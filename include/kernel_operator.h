/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What AscendC kernels include: C++20, compiled by bisheng of this installation, or by any C++ compiler where nothing is
 * launched with <<<>>>.
 */
#ifndef KERNEL_OPERATOR_H
#define KERNEL_OPERATOR_H

#include "ascendc/launch.h"
#include "ascendc/qualifiers.h"

#endif
