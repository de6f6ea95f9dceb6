/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the high-level Matmul is told when a kernel is compiled: where matrices lie and in which form, and how a device
 * is to go about it, of which nothing here depends.
 */
#ifndef ASCENDC_MATMUL_TYPES_H
#define ASCENDC_MATMUL_TYPES_H

#include "ascendc/types.h"

namespace AscendC
{
/* Rows (ND), rows that begin on blocks of 32 bytes (ND_ALIGN), fractals (NZ), one row (VECTOR), one number (SCALAR). */
enum class CubeFormat : uint8_t { ND, NZ, ZN, ZZ, NN, VECTOR, SCALAR, ND_ALIGN };
enum class LayoutMode : uint8_t { NONE, BSNGD, SBNGD, BNGS1S2, NORMAL };

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct MatmulType {
    static constexpr TPosition pos = POSITION;
    static constexpr CubeFormat format = FORMAT;
    static constexpr bool isTrans = ISTRANS;
    static constexpr LayoutMode layout = LAYOUT;
    static constexpr bool ibShare = IBSHARE;
    using T = TYPE;
};

struct MatmulConfig {
    bool doNorm = false, doBasicBlock = false, doMultiDataLoad = false;
    uint32_t basicM = 0, basicN = 0, basicK = 0;
    bool intrinsicsCheck = false, isNBatch = false, enVecND2NZ = false, doSpecialBasicBlock = false;
    uint32_t doMTE2Preload = 0, singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
    uint32_t stepM = 0, stepN = 0, baseMN = 0, singleCoreMN = 0;
    bool enUnitFlag = false, isPerTensor = false, hasAntiQuantOffset = false, doIBShareNorm = false;
    bool doSpecialMDL = false, enableInit = true, enableEnd = true, enableGetTensorC = true;
    bool enableSetOrgShape = true, enableSetBias = true, enableSetTail = true, enableQuantVector = true;
    bool enableSetDefineData = true, enableReuse = true, enableUBReuse = false, enableL1CacheUB = false;
    bool intraBlockPartSum = false, enableMixDualMaster = false, isA2B2Shared = false;
    bool isEnableChannelSplit = false, enableKdimReorderLoad = false, isCO1Shared = false;
};

/* The numbers of the calls below are of a device's schedule. */
template <typename... Numbers> constexpr MatmulConfig GetNormalConfig(Numbers...)
{
    MatmulConfig config;
    config.doNorm = true;
    return config;
}

template <typename... Numbers> constexpr MatmulConfig GetMDLConfig(Numbers...)
{
    MatmulConfig config;
    config.doMultiDataLoad = true;
    return config;
}

template <typename... Numbers> constexpr MatmulConfig GetBasicConfig(Numbers...)
{
    MatmulConfig config;
    config.doBasicBlock = true;
    return config;
}

template <typename... Numbers> constexpr MatmulConfig GetIBShareNormConfig(Numbers...)
{
    MatmulConfig config;
    config.doIBShareNorm = true;
    return config;
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig(), CFG_MDL = GetMDLConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();

/* Functions that copy in place of the object's own: none are there. */
template <auto... functions> struct MatmulCallBackFunc {
    static_assert(sizeof...(functions) == 0, "Matmul: functions of the program that copy are not there");
};
} // namespace AscendC

#endif
