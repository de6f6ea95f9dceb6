/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The calls of tests/ops/listed_dtypes.c: what is given, in the order of the parameters, and what comes out.
 */
#ifndef BELAY_TESTS_OPS_LISTED_DTYPES_H
#define BELAY_TESTS_OPS_LISTED_DTYPES_H

enum given_kind {
    GIVEN_TENSOR,
    GIVEN_CHANGED, /* in place: what it becomes is the row's `changed` */
    GIVEN_RESULT,  /* the numbers that are expected */
    GIVEN_SCALAR,
    GIVEN_INTS,
    GIVEN_INT,
    GIVEN_BOOL,
    GIVEN_DOUBLE,
    GIVEN_FLOAT,
    GIVEN_NOTHING,
};

/* shape: "2x3", empty for one element without dims; NULL: one dim. */
struct given {
    enum given_kind kind;
    aclDataType dtype;
    const char *numbers, *shape;
};

enum { GIVEN_MAX = 10 };
struct listed {
    const char *api, *products; /* b: Ascend910B, c: Ascend950; the other one refuses */
    const char *changed;
    struct given given[GIVEN_MAX];
};

#define T(dtype, ...)                          \
    {                                          \
        GIVEN_TENSOR, ACL_##dtype, __VA_ARGS__ \
    }
#define C(dtype, ...)                           \
    {                                           \
        GIVEN_CHANGED, ACL_##dtype, __VA_ARGS__ \
    }
#define R(dtype, ...)                          \
    {                                          \
        GIVEN_RESULT, ACL_##dtype, __VA_ARGS__ \
    }
#define S(dtype, ...)                          \
    {                                          \
        GIVEN_SCALAR, ACL_##dtype, __VA_ARGS__ \
    }
#define INTS(text)                  \
    {                               \
        GIVEN_INTS, ACL_INT64, text \
    }
#define INT(text)                  \
    {                              \
        GIVEN_INT, ACL_INT64, text \
    }
#define YES                       \
    {                             \
        GIVEN_BOOL, ACL_BOOL, "1" \
    }
#define NO                        \
    {                             \
        GIVEN_BOOL, ACL_BOOL, "0" \
    }
#define NONE          \
    {                 \
        GIVEN_NOTHING \
    }

static const struct listed listed[] = {
    /* Integers and truth. */
    {"aclnnAddRelu",
     "bc",
     NULL,
     {T(INT8, "100 -7 -100"), T(INT8, "1 2 -100"), S(INT64, "1"), R(INT8, "101 0 56")}},
    {"aclnnAddRelu", "bc", NULL, {T(UINT8, "200 7"), T(UINT8, "100 2"), S(INT64, "1"), R(UINT8, "44 9")}},
    {"aclnnInplaceAddRelu", "bc", "5 0", {C(INT64, "9 1"), T(INT32, "-2 -2"), S(INT64, "2")}},
    {"aclnnAddRelu", "", NULL, {T(BOOL, "1 0"), T(BOOL, "1 0"), S(INT64, "1"), R(BOOL, "1 0")}},
    {"aclnnAddr",
     "bc",
     NULL,
     {T(BOOL, "0 1 0 0", "2x2"), T(BOOL, "1 0"), T(BOOL, "0 1"), S(INT64, "1"), S(INT64, "1"),
      R(BOOL, "0 1 0 0", "2x2")}},
    {"aclnnAddr",
     "bc",
     NULL,
     {T(BOOL, "1 0 0 1", "2x2"), T(BOOL, "1 0"), T(BOOL, "0 1"), S(INT64, "0"), S(INT64, "256"),
      R(BOOL, "0 1 0 0", "2x2")}},
    {"aclnnInplaceAddr",
     "bc",
     "1 0 0 1",
     {C(BOOL, "1 0 0 1", "2x2"), T(BOOL, "1 0"), T(BOOL, "0 1"), S(INT64, "7"), S(INT64, "0")}},
    {"aclnnInplaceOne", "bc", "1 1 1", {C(UINT16, "0 7 65535")}},
    {"aclnnClamp", "c", NULL, {T(BOOL, "0 1 1"), S(INT64, "0"), S(INT64, "0"), R(INT64, "0 0 0")}},
    {"aclnnClamp", "c", NULL, {T(BOOL, "0 1 1"), S(BOOL, "1"), NONE, R(BOOL, "1 1 1")}},
    {"aclnnReplicationPad1d",
     "c",
     NULL,
     {T(BOOL, "1 0 0 1", "2x2"), INTS("1 1"), R(BOOL, "1 1 0 0 0 0 1 1", "2x4")}},
    {"aclnnReplicationPad2d",
     "c",
     NULL,
     {T(BOOL, "1 0 0 1", "1x2x2"), INTS("1 0 0 1"), R(BOOL, "1 1 0 0 0 1 0 0 1", "1x3x3")}},
    {"aclnnReplicationPad3d",
     "c",
     NULL,
     {T(BOOL, "1 0", "1x1x1x2"), INTS("1 0 0 0 0 0"), R(BOOL, "1 1 0", "1x1x1x3")}},
    {"aclnnBitwiseXorTensor", "bc", NULL, {T(INT32, "5 -1"), T(INT32, "3 1"), R(COMPLEX64, "6 0 -2 0")}},
    {"aclnnBitwiseOrScalar", "bc", NULL, {T(INT8, "4 8"), S(INT64, "3"), R(COMPLEX128, "7 0 11 0")}},
    {"aclnnBitwiseXorScalar", "bc", NULL, {T(INT64, "4 3"), S(INT64, "7"), R(COMPLEX64, "3 0 4 0")}},
    {"aclnnFloorDivide", "bc", NULL, {T(INT32, "-7 7"), T(INT32, "2 2"), R(COMPLEX64, "-4 0 3 0")}},
    {"aclnnFloorDivide", "bc", NULL, {T(FLOAT, "-7 7.5"), T(FLOAT, "2 2"), R(COMPLEX128, "-4 0 3 0")}},

    /* Unsigned numbers. */
    {"aclnnLeftShift",
     "bc",
     NULL,
     {T(UINT16, "1 40000 3"), T(UINT16, "15 1 16"), R(UINT16, "32768 14464 0")}},
    {"aclnnLeftShift",
     "bc",
     NULL,
     {T(UINT64, "1 3"), T(UINT64, "63 64"), R(UINT64, "9223372036854775808 0")}},
    {"aclnnLeftShifts", "bc", NULL, {T(UINT32, "3000000000 5"), S(INT64, "1"), R(UINT32, "1705032704 10")}},
    {"aclnnRightShift", "bc", NULL, {T(UINT16, "65535 40000"), T(UINT16, "15 1"), R(UINT16, "1 20000")}},
    {"aclnnRightShift", "bc", NULL, {T(UINT32, "4294967295 7"), T(UINT32, "31 32"), R(UINT32, "1 0")}},
    {"aclnnRightShift",
     "bc",
     NULL,
     {T(UINT64, "9223372036854775808 12297829382473033728 8"), T(UINT64, "63 1 64"),
      R(UINT64, "1 6148914691236516864 0")}},
    {"aclnnIndexCopy",
     "c",
     NULL,
     {T(UINT32, "1 2 3"), INT("0"), T(INT64, "2"), T(UINT32, "4294967295"), R(UINT32, "1 2 4294967295")}},
    {"aclnnInplaceIndexCopy", "c", "7 2", {C(UINT64, "1 2"), INT("0"), T(INT32, "0"), T(UINT64, "7")}},
    {"aclnnIsInTensorScalar", "bc", NULL, {T(UINT16, "65535 1"), S(INT64, "65535"), NO, NO, R(BOOL, "1 0")}},
    {"aclnnIsInTensorScalar", "bc", NULL, {T(COMPLEX64, "1 2 1 0"), S(INT64, "1"), NO, NO, R(BOOL, "0 1")}},
    {"aclnnIsInTensorScalar",
     "bc",
     NULL,
     {T(COMPLEX128, "1 2 1 0"), S(COMPLEX128, "1 2"), NO, YES, R(BOOL, "0 1")}},
    {"aclnnIsInScalarTensor", "bc", NULL, {S(INT64, "-1"), T(UINT16, "65535 1"), NO, NO, R(BOOL, "0", "")}},
    {"aclnnIsInScalarTensor", "bc", NULL, {S(INT64, "9"), T(UINT16, "7 9"), NO, NO, R(BOOL, "1", "")}},
    {"aclnnIsInScalarTensor", "bc", NULL, {S(INT64, "1"), T(COMPLEX64, "1 2 3 4"), NO, NO, R(BOOL, "0", "")}},
    {"aclnnIsInScalarTensor",
     "bc",
     NULL,
     {S(COMPLEX64, "3 4"), T(COMPLEX128, "1 2 3 4"), NO, NO, R(BOOL, "1", "")}},
    {"aclnnIsInScalarTensor", "bc", NULL, {S(COMPLEX64, "3 0"), T(FLOAT16, "1 3"), NO, NO, R(BOOL, "1", "")}},
    {"aclnnMaxPool",
     "c",
     NULL,
     {T(UINT16, "1 65535 3 40000", "1x2x2"), INTS("1 2"), INTS("1 1"), INT("0"), INTS("0 0 0 0"), INTS("1"),
      INT("0"), R(UINT16, "65535 40000", "1x2x1")}},
    {"aclnnMaxPool",
     "c",
     NULL,
     {T(UINT16, "7", "1x1x1"), INTS("1 1"), INTS("1 1"), INT("0"), INTS("0 1 0 0"), INTS("1"), INT("0"),
      R(UINT16, "0 7", "1x1x2")}},

    /* Packed numbers: 0.5 and -3, and 0.5 with bits that do not count. */
    {"aclnnWeightQuantBatchMatmulV2",
     "bc",
     NULL,
     {T(FLOAT16, "2", "1x1"),
      T(INT8, "6 40", "1x2"),
      T(FLOAT16, "1"),
      NONE,
      T(UINT64, "140326228459520 70369801146367"),
      NONE,
      NONE,
      {GIVEN_INT, ACL_INT32, "0"},
      R(INT8, "3 40", "1x2")}},

    /* Complex numbers. */
    {"aclnnLinalgCross",
     "bc",
     NULL,
     {T(COMPLEX64, "1 1 2 0 0 3"), T(COMPLEX64, "0 1 1 0 2 -1"), INT("-1"), R(COMPLEX64, "4 -5 -6 -1 1 -1")}},
    {"aclnnLinalgCross",
     "bc",
     NULL,
     {T(COMPLEX128, "1 0 0 0 0 0"), T(COMPLEX128, "0 0 0 1 0 0"), INT("0"), R(COMPLEX128, "0 0 0 0 0 1")}},
    {"aclnnPowTensorScalar",
     "bc",
     NULL,
     {T(COMPLEX64, "1 2 0 -3"), S(INT64, "2"), R(COMPLEX64, "-3 4 -9 0")}},
    {"aclnnInplacePowTensorScalar", "bc", "0.2 -0.4", {C(COMPLEX128, "1 2"), S(INT64, "-1")}},
    {"aclnnPowScalarTensor",
     "bc",
     NULL,
     {S(INT64, "2"), T(COMPLEX64, "3 0 -1 0"), R(COMPLEX64, "8 0 0.5 0")}},
    {"aclnnPowTensorTensor", "bc", NULL, {T(FLOAT, "4"), T(COMPLEX64, "0.5 0"), R(COMPLEX64, "2 0")}},
    {"aclnnRsubs",
     "bc",
     NULL,
     {T(COMPLEX64, "1 2 0 -3"), S(INT64, "1"), S(INT64, "1"), R(COMPLEX64, "0 -2 1 3")}},
    {"aclnnRsubs",
     "bc",
     NULL,
     {T(FLOAT, "1 2"), S(COMPLEX128, "0 1"), S(INT64, "1"), R(COMPLEX64, "-1 1 -2 1")}},
    {"aclnnRsub",
     "bc",
     NULL,
     {T(COMPLEX128, "1 2"), T(FLOAT, "5"), S(COMPLEX64, "0 1"), R(COMPLEX128, "7 -1")}},
    {"aclnnTanh", "bc", NULL, {T(COMPLEX64, "0 0.7853981633974483"), R(COMPLEX64, "0 1")}},
    {"aclnnLinalgQr",
     "bc",
     NULL,
     {T(COMPLEX64, "3 4 0 0", "2x1"), INT("0"), R(COMPLEX64, "-0.6 -0.8 0 0", "2x1"),
      R(COMPLEX64, "-5 0", "1x1")}},
    {"aclnnLinalgCholesky", "bc", NULL, {T(BF16, "4 9 2 10", "2x2"), NO, R(BF16, "2 0 1 3", "2x2")}},
    {"aclnnTanh", "", NULL, {T(COMPLEX64, "1 2"), R(FLOAT, "1")}},
    {"aclnnMatmul",
     "bc",
     NULL,
     {T(COMPLEX64, "1 1 0 2", "1x2"),
      T(COMPLEX64, "0 1 3 0", "2x1"),
      R(COMPLEX64, "-1 7", "1x1"),
      {GIVEN_INT, ACL_INT64, "0"}}},
    {"aclnnAddmv",
     "bc",
     NULL,
     {T(INT8, "100"), T(INT8, "100 2", "1x2"), T(INT8, "3 1"), S(INT64, "1"), S(INT64, "2"), R(INT8, "-10"),
      INT("0")}},
    {"aclnnAddmv",
     "bc",
     NULL,
     {T(BOOL, "0 1", "2"), T(BOOL, "1 0 0 0", "2x2"), T(BOOL, "1 1"), S(INT64, "1"), S(INT64, "1"),
      R(BOOL, "1 1"), INT("0")}},
    {"aclnnAddmv",
     "bc",
     NULL,
     {T(DOUBLE, "1e-16"), T(DOUBLE, "1 -1", "1x2"), T(DOUBLE, "1 1"), S(INT64, "1"), S(INT64, "1"),
      R(DOUBLE, "1e-16"), INT("0")}},

    /* The pictures that windows see. */
    {"aclnnAdaptiveMaxPool2d",
     "bc",
     NULL,
     {T(DOUBLE, "0.1 0.10000000000000002 -1 nan", "1x2x2"), INTS("2 1"),
      R(DOUBLE, "0.10000000000000002 nan", "1x2x1"), R(INT64, "1 3", "1x2x1")}},
    {"aclnnAdaptiveMaxPool3d",
     "",
     NULL,
     {T(DOUBLE, "1 2", "1x1x1x2"), INTS("1 1 1"), R(DOUBLE, "2", "1x1x1x1"), R(INT64, "1", "1x1x1x1")}},
    {"aclnnUpsampleNearest1dV2",
     "bc",
     NULL,
     {T(UINT8, "1 255", "1x1x2"),
      INTS("4"),
      {GIVEN_FLOAT, ACL_FLOAT, "0"},
      R(UINT8, "1 1 255 255", "1x1x4")}},
    {"aclnnUpsampleLinear1d",
     "bc",
     NULL,
     {T(DOUBLE, "0 1e-15", "1x1x2"),
      INTS("3"),
      YES,
      {GIVEN_DOUBLE, ACL_DOUBLE, "0"},
      R(DOUBLE, "0 5e-16 1e-15", "1x1x3")}},
};

#undef T
#undef C
#undef R
#undef S
#undef INTS
#undef INT
#undef YES
#undef NO
#undef NONE

#endif
