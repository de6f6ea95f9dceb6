/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The words of AscendC that a C++ compiler does not know. bisheng has words of its own for those that say what a
 * kernel is, and takes them away when it has read them; to everybody else they are nothing.
 */
#ifndef BELAY_ASCENDC_QUALIFIERS_H
#define BELAY_ASCENDC_QUALIFIERS_H

#ifndef __global__
#define __global__
#endif
#ifndef __vector__
#define __vector__
#endif
#ifndef __cube__
#define __cube__
#endif
#ifndef __mix__
#define __mix__(...)
#endif

#ifndef __aicore__
#define __aicore__
#endif
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __host_aicore__
#define __simt_vf__
#define __kfc_workspace__
#define __sync_noalias__
#define __sync_alias__
#define __no_simd_vf_fusion__
#ifndef __force_inline__
#define __force_inline__ inline
#endif

#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif

#define GM_ADDR uint8_t *

#endif
