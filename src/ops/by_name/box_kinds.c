/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kinds of boxes, regions and anchors by name (program.h): what detectors of torch_npu ask for.
 */
#include "ops/by_name/program.h"

#define SHIFTS "means.0=0.0 means.1=0.0 means.2=0.0 means.3=0.0 stds.0=1.0 stds.1=1.0 stds.2=1.0 stds.3=1.0"
/* Boxes whose far corners belong to them, one further. */
#define EDGED(of, far, shift, to)                                                                      \
    "!@eps SliceV2 " of " [2] [4] [1] [1] " far "; !@eps InplaceOne " far "; !@eps ConstantPadNd " far \
    " [2,0] 0 " shift "; !@eps Add " of " " shift " 1 " to "; "
#define BOXES   "need mode=iou,iof; "
#define COLUMNS "trans=0 is_cross=1 mode{iou,iof} "
#define TURNED  "own TurnedOverlap x0 x1 trans=0 "
#define WEIGHTS "weight.0=1.0 weight.1=1.0 weight.2=1.0 weight.3=1.0 weight.4=1.0 y0"
#define BINS    "spatial_scale output_dim group_size "

static struct named_operator kinds[] = {
    /* Overlaps of boxes: as aclnnIou, turned. Where nobody says how much wider a box is than its corners lie
     * apart, the corners belong to it. */
    KIND("Iou", 2, 1, 0,
         BOXES "?@eps Iou x0 x1 mode eps aligned=0 t0; !@eps " EDGED("x0", "t1", "t2", "t3")
             EDGED("x1", "t4", "t5", "t6") "!@eps Iou t3 t6 mode 0 aligned=0 t0; ?aligned copy y0 t0; "
                                           "!aligned Permute t0 [1,0] y0"),
    KIND("PtIou", 2, 1, 0, BOXES "Iou x0 x1 mode 0.001 0 t0; Permute t0 [1,0] y0"),

    /* Columns of boxes. */
    KIND("GIoU", 2, 1, 0, BOXES "own BoxDistance x0 x1 " COLUMNS "0 y0"),
    KIND("DIoU", 2, 1, 0, BOXES "own BoxDistance x0 x1 " COLUMNS "1 y0"),
    KIND("CIoU", 2, 2, 0, BOXES "float; CIoU x0 x1 trans=0 is_cross=1 mode y0 y1"),
    KIND("GIoUGrad", 3, 2, 0, BOXES "own BoxDistanceGradient x0 x1 x2 - " COLUMNS "0 y0 y1"),
    KIND("DIoUGrad", 3, 2, 0, BOXES "own BoxDistanceGradient x0 x1 x2 - " COLUMNS "1 y0 y1"),
    KIND("CIoUGrad", 4, 2, X3, BOXES "own BoxDistanceGradient x0 x1 x2 x3? " COLUMNS "2 y0 y1"),
    KIND("RotatedOverlaps", 2, 1, 0, TURNED "1 0 y0"),
    KIND("RotatedIou", 2, 1, 0,
         BOXES "?mode=iou " TURNED "is_cross=1 1 y0; !mode=iou " TURNED "is_cross=1 2 y0"),

    /* How boxes differ from anchors. */
    KIND("BoundingBoxEncode", 2, 1, 0, "own EncodeBoxes x0 x1 " SHIFTS " y0"),
    KIND("BoundingBoxDecode", 2, 1, 0, "own DecodeBoxes x0 x1 " SHIFTS " max_shape wh_ratio_clip=0.016 y0"),
    KIND("RotatedBoxEncode", 2, 1, 0, "own EncodeTurned x0 x1 " WEIGHTS),
    KIND("RotatedBoxDecode", 2, 1, 0, "own DecodeTurned x0 x1 " WEIGHTS),
    KIND("YoloBoxesEncode", 3, 1, 0, "own EncodeByStride x0 x1 x2 y0"),
    KIND("AnchorResponseFlags", 1, 1, 0, "own FlagAnchors x0 featmap_size strides num_base_anchors y0"),
    KIND("GridAssignPositive", 8, 1, 0,
         "own AssignAnchors x0 x1 x2 x3 x4 x5 x6 x7 pos_iou_thr min_pos_iou gt_max_assign_all y0"),

    /* The best boxes. */
    KIND("NMSWithMask", 1, 3, 0, "own BoxesThatStay x0 iou_threshold=0.5 y0 y1 y2"),
    KIND("NonMaxSuppressionV4", 5, 2, 0, "own BestBoxes x0 x1 #2 #3 #4 y0 y1"),
    KIND("BatchMultiClassNonMaxSuppression", 2, 4, 0,
         "need change_coordinate_frame=0; need transpose_box=0; own BestOfBatch x0 x1 score_threshold "
         "iou_threshold max_size_per_class max_total_size y0 y1 y2 y3"),

    /* Regions of images. */
    KIND("ROIAlign", 2, 1, 0,
         "ROIAlign x0 x1 spatial_scale pooled_height pooled_width sample_num=2 roi_end_mode=1 y0"),
    KIND("ROIAlignGrad", 2, 1, 0,
         "ROIAlignBackward x0 x1 xdiff_shape pooled_width pooled_height spatial_scale sample_num=2 "
         "roi_end_mode=1 y0"),
    KIND("PSROIPoolingV2", 2, 1, 0, "own RegionMeans x0 x1 " BINS "y0"),
    KIND("PSROIPoolingGradV2D", 2, 1, 0, "own RegionMeansBackward x0 x1 " BINS "@y0.0 input_size y0"),

    /* Samples, of which each call draws others where nobody gives a seed. */
    KIND("RandomChoiceWithMask", 1, 2, 0,
         "?seed Randperm @count seed seed2=0 t0; !seed Randperm @count 0 @calls t0; "
         "own DrawTrueOnes x0 t0 count=256 y0 y1"),
    KIND("SubSample", 1, 1, 0,
         "Randperm @count 0 @calls t0; own DrawLabels x0 t0 batch_size_per_images positive_fraction y0"),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
