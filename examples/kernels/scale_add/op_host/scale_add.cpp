/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The host side of ScaleAdd, z = x * scale + y: how the work is cut, what comes out, and the definition. */
#include <algorithm>

#include "register/op_def_registry.h"
#include "scale_add_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling
{
enum { WHOLE_TILES = 1, ANY_LENGTH = 2, TILE_BUFFERS = 6, BLOCK_BYTES = 32 };

static uint64_t Whole(uint64_t count, uint64_t of)
{
    return (count + of - 1) / of * of;
}

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t room = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, room);
    const gert::Shape &shape = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape &other = context->GetInputShape(1)->GetStorageShape();
    if (shape != other)
        return ge::GRAPH_FAILED;

    const bool is_half = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
    const uint64_t unit = BLOCK_BYTES / (is_half ? 2 : 4);
    const uint64_t total = shape.GetShapeSize();
    const uint64_t blocks = std::max<uint64_t>(1, std::min<uint64_t>(platform.GetCoreNumAiv(), total / unit));
    const uint64_t perBlock = std::max(unit, Whole((total + blocks - 1) / blocks, unit));
    const uint64_t perTile = std::min<uint64_t>(room / TILE_BUFFERS / sizeof(float) / unit * unit, 4096);

    ScaleAddTilingData tiling;
    tiling.set_total(total);
    tiling.set_perBlock(perBlock);
    tiling.set_perTile(static_cast<uint32_t>(perTile));
    tiling.set_scale(*context->GetAttrs()->GetFloat(0));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(static_cast<uint32_t>(std::max<uint64_t>(1, (total + perBlock - 1) / perBlock)));
    context->SetTilingKey(total % unit == 0 ? WHOLE_TILES : ANY_LENGTH);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge
{
static graphStatus InferShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
} // namespace ge

namespace ops
{
class ScaleAdd : public OpDef
{
  public:
    explicit ScaleAdd(const char *name) : OpDef(name)
    {
        for (const char *each : {"x", "y"})
            this->Input(each)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND})
                .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND})
                .AutoContiguous();
        this->Output("z")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("scale").AttrType(OPTIONAL).Float(1.0);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(ScaleAdd);
} // namespace ops
