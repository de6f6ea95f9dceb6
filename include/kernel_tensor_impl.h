/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A part of kernel_operator.h under the name that some kernels include.
 */
#ifndef KERNEL_TENSOR_IMPL_H
#define KERNEL_TENSOR_IMPL_H

#include "kernel_operator.h"

#endif
