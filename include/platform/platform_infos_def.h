/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The product, as a context hands it to platform_ascendc::PlatformAscendC.
 */
#ifndef PLATFORM_PLATFORM_INFOS_DEF_H
#define PLATFORM_PLATFORM_INFOS_DEF_H

namespace fe
{
class PlatFormInfos
{
  public:
    explicit PlatFormInfos(const char *name = nullptr) : soc(name)
    {
    }
    /* As aclrtGetSocName has it; NULL: that of the process. */
    const char *SocName() const
    {
        return soc;
    }

  private:
    const char *soc;
};
} // namespace fe

#endif
