/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the function that prepares tiling is given: the product, and a struct of its own to fill in.
 */
#ifndef EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H
#define EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H

#include "platform/platform_infos_def.h"

namespace gert
{
class TilingParseContext
{
  public:
    TilingParseContext(const char *called, void *info, fe::PlatFormInfos *product)
        : name(called), compiled(info), platform(product)
    {
    }
    template <typename T> T *GetCompiledInfo()
    {
        return static_cast<T *>(compiled);
    }
    const char *GetCompiledJson() const
    {
        return "{}";
    }
    fe::PlatFormInfos *GetPlatformInfo() const
    {
        return platform;
    }
    const char *GetNodeName() const
    {
        return name;
    }
    const char *GetNodeType() const
    {
        return name;
    }

  private:
    const char *name;
    void *compiled;
    fe::PlatFormInfos *platform;
};
} // namespace gert

#endif
