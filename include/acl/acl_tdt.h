/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Data channels between host and device. Belay has none and declares no function of them; the header exists
 * because programs include it.
 */
#ifndef BELAY_ACL_ACL_TDT_H
#define BELAY_ACL_ACL_TDT_H

#include "acl/acl_base.h"

#endif
