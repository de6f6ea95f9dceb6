// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// The members that clients in C++ call on handles, with the types that they have there: the calls are those
// that a compiler of C++ makes.
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace ge
{
enum DataType { DT_FLOAT = 0, DT_UNDEFINED = 28 };
class AscendString
{
  public:
    const char *GetString() const;

  private:
    std::shared_ptr<std::string> name_;
};
} // namespace ge

struct aclTensor {
    void *GetData() const;
};
struct aclScalar {
    ge::DataType GetDataType() const;
    const void *GetData() const;
    float ToFloat() const;
    std::complex<float> ToComplex64() const;
    std::complex<double> ToComplex128() const;
    ge::AscendString ToString() const;
};
template <typename T> class aclArray
{
  public:
    const T *GetData() const;
};
extern template const long *aclArray<long>::GetData() const;

static int wrong;

static void expect(bool is_right, int line)
{
    if (!is_right)
        std::printf("cxx_getter.cpp:%d: not as expected\n", line);
    wrong += !is_right;
}
#define EXPECT(condition) expect(condition, __LINE__)

template <typename T> static aclScalar *scalar(T value, aclDataType dtype)
{
    return aclCreateScalar(&value, dtype);
}

static std::string text(const aclScalar *value)
{
    ge::AscendString string = value->ToString();
    ge::AscendString copy = string; // counts the users of the text
    string = ge::AscendString();
    return copy.GetString();
}

static void scalars()
{
    aclScalar *single = scalar(1.5f, ACL_FLOAT), *wide = scalar(INT64_C(-9007199254740993), ACL_INT64);
    aclScalar *natural = scalar(UINT64_MAX, ACL_UINT64), *truth = scalar(true, ACL_BOOL);
    aclScalar *half = scalar(uint16_t{0x3e00}, ACL_FLOAT16), *precise = scalar(0.1, ACL_DOUBLE);
    aclScalar *pair = scalar(std::complex<float>(1.5f, -2), ACL_COMPLEX64);
    aclScalar *pairs = scalar(std::complex<double>(0.1, 3), ACL_COMPLEX128);
    EXPECT(single->GetDataType() == ge::DT_FLOAT && static_cast<int>(pairs->GetDataType()) == ACL_COMPLEX128);
    EXPECT(*static_cast<const float *>(single->GetData()) == 1.5f);
    EXPECT(*static_cast<const int64_t *>(wide->GetData()) == INT64_C(-9007199254740993));
    EXPECT(*static_cast<const uint16_t *>(half->GetData()) == 0x3e00);
    EXPECT(*static_cast<const std::complex<double> *>(pairs->GetData()) == std::complex<double>(0.1, 3));
    EXPECT(single->ToFloat() == 1.5f && half->ToFloat() == 1.5f && truth->ToFloat() == 1.0f);
    EXPECT(wide->ToFloat() == static_cast<float>(INT64_C(-9007199254740993)));
    EXPECT(natural->ToFloat() == 18446744073709551616.0f && pair->ToFloat() == 1.5f);
    EXPECT(pair->ToComplex64() == std::complex<float>(1.5f, -2) &&
           single->ToComplex64() == std::complex<float>(1.5f, 0));
    EXPECT(pairs->ToComplex128() == std::complex<double>(0.1, 3) &&
           truth->ToComplex128() == std::complex<double>(1, 0));
    EXPECT(natural->ToComplex128() == std::complex<double>(18446744073709551616.0, 0));
    EXPECT(text(single) == "1.5" && text(wide) == "-9007199254740993" &&
           text(natural) == "18446744073709551615");
    EXPECT(text(truth) == "true" && text(half) == "1.5" && text(precise) == "0.10000000000000001");
    EXPECT(text(pair) == "(1.5,-2)");
    EXPECT(std::strcmp(ge::AscendString().GetString(), "") == 0);
    for (aclScalar *each : {single, wide, natural, truth, half, precise, pair, pairs})
        EXPECT(aclDestroyScalar(each) == 0);

    // What no longer is one, and what never was: nothing but a sentence.
    (void)aclGetRecentErrMsg();
    EXPECT(single->GetData() == nullptr &&
           std::strstr(aclGetRecentErrMsg(), "aclScalar::GetData: scalar") != nullptr);
    EXPECT(single->GetDataType() == ge::DT_UNDEFINED && single->ToFloat() == 0 && text(single).empty());
    EXPECT(single->ToComplex64() == std::complex<float>() &&
           single->ToComplex128() == std::complex<double>());
}

static void tensors_and_arrays()
{
    float memory[8];
    const int64_t shape[] = {2}, strides[] = {2}, storage[] = {8};
    aclTensor *tensor = aclCreateTensor(shape, 1, ACL_FLOAT, strides, 3, ACL_FORMAT_ND, storage, 1, memory);
    aclTensor *bare = aclCreateTensor(shape, 1, ACL_FLOAT, strides, 3, ACL_FORMAT_ND, storage, 1, nullptr);
    EXPECT(tensor->GetData() == memory + 3 && bare->GetData() == nullptr);
    const int64_t values[] = {4, 5};
    aclIntArray *array = aclCreateIntArray(values, 2), *empty = aclCreateIntArray(values, 0);
    const auto *as_class = reinterpret_cast<const aclArray<long> *>(array);
    const auto *empty_class = reinterpret_cast<const aclArray<long> *>(empty);
    EXPECT(as_class->GetData()[0] == 4 && as_class->GetData()[1] == 5 && empty_class->GetData() == nullptr);
    EXPECT(aclDestroyTensor(tensor) == 0 && aclDestroyTensor(bare) == 0);
    EXPECT(aclDestroyIntArray(array) == 0 && aclDestroyIntArray(empty) == 0);
    (void)aclGetRecentErrMsg();
    EXPECT(tensor->GetData() == nullptr &&
           std::strstr(aclGetRecentErrMsg(), "aclTensor::GetData: tensor") != nullptr);
    EXPECT(as_class->GetData() == nullptr &&
           std::strstr(aclGetRecentErrMsg(), "aclArray::GetData: array") != nullptr);
}

int main()
{
    scalars();
    tensors_and_arrays();
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
