/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether torch_npu is who calls a function that libbelay_torch.so stands in for.
 */
#ifndef BELAY_FORWARDING_TORCH_NPU_CALLER_H
#define BELAY_FORWARDING_TORCH_NPU_CALLER_H

#include <stdbool.h>

/* By the name of the library that the address, to which the function returns, is in. */
bool is_in_torch_npu(const void *address);

#endif
