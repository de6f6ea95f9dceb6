/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the host's side of a kernel asks of the product that it cuts its work for: cores and the sizes of their memories.
 * They are those of the product that BELAY_SOC names, and not of the machine: a kernel's sums come out the same
 * everywhere. C++11 and later; programs are linked with libascendcl alone.
 */
#ifndef TILING_PLATFORM_PLATFORM_ASCENDC_H
#define TILING_PLATFORM_PLATFORM_ASCENDC_H

#include <cstdint>
#include <cstring>

#include "acl/acl_rt.h"
#include "platform/platform_infos_def.h"

namespace platform_ascendc
{
enum class CoreMemType { L0_A, L0_B, L0_C, L1, L2, UB, HBM, RESERVED };
enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND910_93,
    ASCEND950,
    RESERVED_VERSION = 99999
};

class PlatformAscendC
{
  public:
    /* The name of a product, as aclrtGetSocName has it; that of the process where it is NULL. */
    explicit PlatformAscendC(const char *name = nullptr)
        : soc(find(name != nullptr ? name : aclrtGetSocName()))
    {
    }
    /* The product of a context of op_host. */
    explicit PlatformAscendC(const fe::PlatFormInfos *infos)
        : PlatformAscendC(infos != nullptr ? infos->SocName() : static_cast<const char *>(nullptr))
    {
    }

    uint32_t GetCoreNum() const
    {
        return soc.cubes;
    }
    uint32_t GetCoreNumAic() const
    {
        return soc.cubes;
    }
    uint32_t GetCoreNumAiv() const
    {
        return soc.cubes * soc.vectors;
    }
    /* Vector cores beside the ones that belong to cube cores. */
    uint32_t GetCoreNumVector() const
    {
        return soc.version == SocVersion::ASCEND310P ? 7 : 0;
    }
    SocVersion GetSocVersion() const
    {
        return soc.version;
    }

    /* In bytes; 0 for what the product has not. */
    void GetCoreMemSize(const CoreMemType &memory, uint64_t &size) const
    {
        const uint64_t kilo = 1024;
        size = memory == CoreMemType::L0_A || memory == CoreMemType::L0_B ? 64 * kilo
               : memory == CoreMemType::L0_C                              ? soc.l0c_kilobytes * kilo
               : memory == CoreMemType::L1                                ? soc.l1_kilobytes * kilo
               : memory == CoreMemType::UB                                ? soc.ub_kilobytes * kilo
               : memory == CoreMemType::L2                                ? soc.l2_megabytes * kilo * kilo
               : memory == CoreMemType::HBM                               ? 32 * kilo * kilo * kilo
                                                                          : 0;
    }

    /*
     * How many blocks to launch for so many pieces of work, of which each vector core takes one: those of mixed kernels
     * have a cube core and as many vector cores as the product has for it.
     */
    uint32_t CalcTschBlockDim(uint32_t pieces, uint32_t cube_cores, uint32_t vector_cores) const
    {
        if (cube_cores == 0 || vector_cores == 0 || cube_cores > vector_cores)
            return pieces;
        const uint32_t each = vector_cores / cube_cores;
        return (pieces + each - 1) / each;
    }

    /* Of what libraries for kernels want at the front of a workspace. */
    uint32_t GetLibApiWorkSpaceSize() const
    {
        return soc.version == SocVersion::ASCEND310P ? 2u << 20 : 16u << 20;
    }

  private:
    struct Soc {
        const char *begins;
        SocVersion version;
        uint32_t cubes, vectors, ub_kilobytes, l1_kilobytes, l0c_kilobytes, l2_megabytes;
    };

    /* The longest beginning that fits. */
    static Soc find(const char *name)
    {
        const Soc all[] = {{"Ascend910_93", SocVersion::ASCEND910_93, 24, 2, 192, 512, 128, 192},
                           {"Ascend910_95", SocVersion::ASCEND950, 32, 2, 248, 512, 256, 128},
                           {"Ascend950", SocVersion::ASCEND950, 32, 2, 248, 512, 256, 128},
                           {"Ascend910B1", SocVersion::ASCEND910B, 24, 2, 192, 512, 128, 192},
                           {"Ascend910B2", SocVersion::ASCEND910B, 24, 2, 192, 512, 128, 192},
                           {"Ascend910B", SocVersion::ASCEND910B, 20, 2, 192, 512, 128, 192},
                           {"Ascend310P", SocVersion::ASCEND310P, 8, 1, 256, 1024, 256, 16},
                           {"Ascend310B", SocVersion::ASCEND310B, 1, 1, 248, 1024, 128, 4},
                           {"Ascend910", SocVersion::ASCEND910, 32, 1, 256, 1024, 256, 32}};
        for (const Soc &soc : all)
            if (name != nullptr && std::strncmp(name, soc.begins, std::strlen(soc.begins)) == 0)
                return soc;
        return {"", SocVersion::RESERVED_VERSION, 20, 2, 192, 512, 128, 192};
    }

    Soc soc;
};

class PlatformAscendCManager
{
  public:
    static PlatformAscendC *GetInstance()
    {
        static PlatformAscendC platform;
        return &platform;
    }

    /* Of the product of this name, whatever the process has; the first name counts for all later calls. */
    static PlatformAscendC *GetInstance(const char *name)
    {
        static PlatformAscendC platform(name);
        return &platform;
    }
};
} // namespace platform_ascendc

#endif
