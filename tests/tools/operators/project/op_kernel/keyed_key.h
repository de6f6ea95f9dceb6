/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The parameters of the kernel's template, which of them are compiled: of FLOAT each factor by either sign,
 * of INT32 one. */
#ifndef KEYED_KEY_H
#define KEYED_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

ASCENDC_TPL_ARGS_DECL(Keyed, ASCENDC_TPL_DTYPE_DECL(D_T_X, C_DT_FLOAT, C_DT_INT32),
                      ASCENDC_TPL_UINT_DECL(FACTOR, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 2, 0, 2, 3, 5, 10,
                                            12),
                      ASCENDC_TPL_BOOL_DECL(NEGATE, 0, 1), );

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DTYPE_SEL(D_T_X, C_DT_FLOAT),
                                     ASCENDC_TPL_UINT_SEL(FACTOR, ASCENDC_TPL_UI_RANGE, 1, 2, 4),
                                     ASCENDC_TPL_BOOL_SEL(NEGATE, 0, 1), ),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DTYPE_SEL(D_T_X, C_DT_INT32),
                                     ASCENDC_TPL_UINT_SEL(FACTOR, ASCENDC_TPL_UI_LIST, 12),
                                     ASCENDC_TPL_BOOL_SEL(NEGATE, 1), ), );

#endif
