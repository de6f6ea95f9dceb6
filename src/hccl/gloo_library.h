/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Opens libbelay_gloo.so, which is not needed before there are several ranks.
 */
#ifndef BELAY_HCCL_GLOO_LIBRARY_H
#define BELAY_HCCL_GLOO_LIBRARY_H

#include "hccl/gloo.h"
#include "hccl/mesh_fault.h"

/* HCCL_E_NOT_SUPPORT, with a sentence that names the package, where it or Gloo is not installed. */
HcclResult gloo_library_open(const struct gloo_transport **transport, struct mesh_fault *fault);

#endif
