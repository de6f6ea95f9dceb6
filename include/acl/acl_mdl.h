/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Offline models. Belay runs none and declares none of their functions; the header exists because programs
 * include it. Captured work (aclmdlRI) is in acl/rt/capture.h.
 */
#ifndef BELAY_ACL_ACL_MDL_H
#define BELAY_ACL_ACL_MDL_H

#include "acl/acl_rt.h"

#endif
