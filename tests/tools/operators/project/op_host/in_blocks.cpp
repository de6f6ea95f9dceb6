/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * An operator with combinations that differ in their formats alone: out = 2 * x + w of plain tensors, 3 * x + w of those
 * in FRACTAL_NZ, as they are stored; w is in FRACTAL_NZ always.
 */
#include "in_blocks_tiling.h"
#include "register/op_def_registry.h"

namespace optiling
{
static ge::graphStatus InBlocksTiling(gert::TilingContext *context)
{
    const gert::StorageShape *x = context->GetInputShape(0);
    const gert::StorageShape *w = context->GetOptionalInputShape(1);
    InBlocksTilingData tiling;
    tiling.set_count(static_cast<uint32_t>(x->GetStorageShape().GetShapeSize()));
    tiling.set_hasWeight(w != nullptr);
    const bool is_nz = context->GetInputDesc(0)->GetStorageFormat() == ge::FORMAT_FRACTAL_NZ;
    if (x->GetStorageShape().GetDimNum() != (is_nz ? 4 : 2) || x->GetOriginShape().GetDimNum() != 2 ||
        context->GetInputDesc(0)->GetOriginFormat() != ge::FORMAT_ND ||
        (w && w->GetStorageShape().GetDimNum() != 4))
        return ge::GRAPH_FAILED;
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops
{
class InBlocks : public OpDef
{
  public:
    explicit InBlocks(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ});
        this->Input("w")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_FRACTAL_NZ, ge::FORMAT_FRACTAL_NZ});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ});
        this->SetInferShape([](gert::InferShapeContext *context) -> ge::graphStatus {
            *context->GetOutputShape(0) = *context->GetInputShape(0);
            return ge::GRAPH_SUCCESS;
        });
        this->AICore().SetTiling(optiling::InBlocksTiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(InBlocks);
} // namespace ops
