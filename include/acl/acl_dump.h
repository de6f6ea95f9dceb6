/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dumps of operators' data. Belay writes none and declares no function of them; the header exists because
 * programs include it.
 */
#ifndef BELAY_ACL_ACL_DUMP_H
#define BELAY_ACL_ACL_DUMP_H

#include "acl/acl_base.h"

#endif
