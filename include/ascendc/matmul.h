/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The high-level Matmul: C = A B + bias over the part of the matrices that the core has, in tiles of baseM by baseN. The
 * vector core that asks computes it, here and now: a product is added in fp32 (of int8 in 32 bits) to the bias, k
 * ascending, as Mmad does. How a device splits and buffers the work (the rest of TCubeTiling, MatmulConfig) changes
 * nothing.
 */
#ifndef ASCENDC_MATMUL_H
#define ASCENDC_MATMUL_H

#include "ascendc/fixpipe.h"
#include "ascendc/matmul_types.h"
#include "ascendc/pipe.h"
#include "ascendc/tiling.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC
{
/* A matrix: its elements, whether it is stored transposed, and how long a row of what is stored is. */
template <typename T> struct MatmulOperand {
    const uint8_t *data = nullptr, *low = nullptr, *high = nullptr; /* low: of a tensor on the chip */
    const T *base = nullptr;                                        /* of one in global memory */
    uint64_t count = 0;
    bool transposed = false;
    T scalar{};

    void operator=(const GlobalTensor<T> &tensor)
    {
        data = tensor.bytes();
        low = high = nullptr;
        base = tensor.base;
        count = tensor.count;
    }
    void operator=(const LocalTensor<T> &tensor)
    {
        data = tensor.address;
        low = tensor.low;
        high = tensor.high;
    }
    /* Elements that are read, or written: within their memory. */
    uint8_t *reach(const belay_chip_place &place, uint64_t at, uint64_t elements, bool writes) const
    {
        const uint8_t *from = data + at * sizeof(T);
        if (low)
            access_chip(place, belay_chip_now(), writes ? PIPE_FIX : PIPE_MTE1, from, elements * sizeof(T),
                        low, high, writes, sizeof(T));
        else
            belay_chip_global(&place, from, elements * sizeof(T), base, count * sizeof(T), writes);
        return const_cast<uint8_t *>(from);
    }
};

template <typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE = C_TYPE,
          const auto &MM_CFG = CFG_NORM, typename Callback = MatmulCallBackFunc<>, typename Policy = void>
class MatmulImpl
{
    using A = typename A_TYPE::T;
    using B = typename B_TYPE::T;
    using C = typename C_TYPE::T;
    using Bias = typename BIAS_TYPE::T;
    using Sum = std::conditional_t<std::is_integral_v<A>, int32_t, float>;
    static constexpr bool lies(CubeFormat format, bool of_c)
    {
        return format == CubeFormat::ND || format == CubeFormat::NZ ||
               format == (of_c ? CubeFormat::ND_ALIGN : CubeFormat::VECTOR) ||
               (!of_c && format == CubeFormat::SCALAR);
    }
    static_assert(lies(A_TYPE::format, false) && lies(B_TYPE::format, false),
                  "Matmul: A and B in ND, NZ, VECTOR or SCALAR are expected");
    static_assert(lies(C_TYPE::format, true), "Matmul: C in ND, ND_ALIGN or NZ is expected");
    static_assert(std::is_same_v<A, B>, "Matmul: A and B of one type are expected");
    static_assert(is_float<A> || std::is_same_v<A, int8_t>,
                  "Matmul: half, bfloat16_t, float or int8_t is expected of A and B");
    enum { TILE_COLUMNS = 1024 };

  public:
    using SrcT = A;
    using DstT = C;

    /* Of TCubeTiling, or what has the same fields. */
    template <typename Tiling> void Init(const Tiling *told, TPipe * = nullptr, const Where &at = BELAY_HERE)
    {
        const belay_chip_place place = at.of("Matmul::Init");
        if (!told)
            belay_chip_fault(&place, "the tiling is NULL; a TCubeTiling is expected");
        is_made = true;
        SetOrgShape((int)told->M, (int)told->N, (int)told->Ka, (int)told->Kb);
        base_rows = (int)told->baseM;
        base_columns = (int)told->baseN;
        by_columns = told->iterateOrder == 0;
        SetSingleShape((int)told->singleCoreM, (int)told->singleCoreN, (int)told->singleCoreK);
        has_bias = false;
        restart();
    }
    void SetSubBlockIdx(uint8_t)
    {
    }
    template <typename... More> void SetUserDefInfo(More &&...)
    {
    }
    template <typename... More> void SetSelfDefineData(More &&...)
    {
    }
    template <typename... More> void SetWorkspace(More &&...)
    {
    }
    void SetHF32(bool, int32_t = 0)
    {
    }
    void SetOrgShape(int m, int n, int k)
    {
        SetOrgShape(m, n, k, k, n);
    }
    void SetOrgShape(int m, int n, int ka, int kb, int kc = 0)
    {
        rows_a = rows_c = m;
        depth_a = ka;
        depth_b = kb;
        columns_b = n;
        columns_c = kc ? kc : n;
    }
    void SetSingleShape(int m, int n, int k)
    {
        rows = m;
        columns = n;
        depth = k;
        restart();
    }
    void SetTail(int m = -1, int n = -1, int k = -1)
    {
        SetSingleShape(m == -1 ? rows : m, n == -1 ? columns : n, k == -1 ? depth : k);
    }
    void SetTensorA(const GlobalTensor<A> &tensor, bool isTransposeA = A_TYPE::isTrans)
    {
        set(a, tensor, isTransposeA);
    }
    void SetTensorA(const LocalTensor<A> &tensor, bool isTransposeA = A_TYPE::isTrans)
    {
        set(a, tensor, isTransposeA);
    }
    void SetTensorB(const GlobalTensor<B> &tensor, bool isTransposeB = B_TYPE::isTrans)
    {
        set(b, tensor, isTransposeB);
    }
    void SetTensorB(const LocalTensor<B> &tensor, bool isTransposeB = B_TYPE::isTrans)
    {
        set(b, tensor, isTransposeB);
    }
    /* All of A, or of B, is one number. */
    void SetTensorA(A scalar)
    {
        a = MatmulOperand<A>();
        a.scalar = scalar;
        restart();
    }
    void SetTensorB(B scalar)
    {
        b = MatmulOperand<B>();
        b.scalar = scalar;
        restart();
    }
    void SetBias(const GlobalTensor<Bias> &tensor)
    {
        bias = tensor;
        has_bias = true;
    }
    void SetBias(const LocalTensor<Bias> &tensor)
    {
        bias = tensor;
        has_bias = true;
    }
    void ClearBias()
    {
        has_bias = false;
    }
    void DisableBias()
    {
        has_bias = false;
    }
    void SetQuantScalar(uint64_t bits)
    {
        scale = bits;
        scales = MatmulOperand<uint64_t>();
    }
    void SetQuantVector(const GlobalTensor<uint64_t> &tensor)
    {
        scales = tensor;
    }
    template <bool sync = true> bool Iterate(bool enPartialSum = false, const Where &at = BELAY_HERE)
    {
        const belay_chip_place place = at.of("Matmul::Iterate");
        judge(place);
        if (enPartialSum)
            belay_chip_fault(&place,
                             "adds to the tile before; enPartialSum = false is expected, no other is there");
        const int across = (columns + base_columns - 1) / base_columns,
                  down = (rows + base_rows - 1) / base_rows;
        if (++tile >= across * down) {
            tile = -1;
            return false;
        }
        tile_row = by_columns ? tile % down : tile / across;
        tile_column = by_columns ? tile / down : tile % across;
        return true;
    }
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<C> &to, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    const Where &at = BELAY_HERE)
    {
        take_tile(to, enAtomic, enSequentialWrite, at);
    }
    template <bool sync = true>
    void GetTensorC(const LocalTensor<C> &to, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    const Where &at = BELAY_HERE)
    {
        (void)enSequentialWrite; /* on the chip a tile is always whole */
        take_tile(to, enAtomic, true, at);
    }
    template <bool sync = true>
    void IterateAll(const GlobalTensor<C> &to, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    bool waitIterateAll = false, bool fakeMsg = false, const Where &at = BELAY_HERE)
    {
        (void)enSequentialWrite, (void)waitIterateAll, (void)fakeMsg;
        all(to, enAtomic, columns_c, at);
    }
    template <bool sync = true>
    void IterateAll(const LocalTensor<C> &to, uint8_t enAtomic = 0, const Where &at = BELAY_HERE)
    {
        all(to, enAtomic,
            C_TYPE::format == CubeFormat::ND_ALIGN
                ? (int)(in_whole_blocks((uint64_t)columns * sizeof(C)) / sizeof(C))
                : columns,
            at);
    }
    void WaitIterateAll()
    {
    }
    void WaitGetTensorC()
    {
    }
    void End()
    {
        has_bias = false;
        restart();
    }

  private:
    MatmulOperand<A> a;
    MatmulOperand<B> b;
    MatmulOperand<Bias> bias;
    MatmulOperand<uint64_t> scales;
    uint64_t scale = 0;
    int rows_a = 0, depth_a = 0, depth_b = 0, columns_b = 0, rows_c = 0, columns_c = 0; /* as they lie */
    int rows = 0, columns = 0, depth = 0;                                               /* this core's */
    int base_rows = 0, base_columns = 0, tile = -1, tile_row = 0, tile_column = 0;
    bool has_bias = false, is_made = false, by_columns = true; /* tiles of a column one after another */

    void restart()
    {
        tile = -1;
    }
    template <typename T, typename Tensor>
    void set(MatmulOperand<T> &operand, const Tensor &tensor, bool transposed)
    {
        operand = tensor;
        operand.transposed = transposed;
        restart();
    }
    void judge(const belay_chip_place &place) const
    {
        if (!is_made)
            belay_chip_fault(&place,
                             "the object has no tiling; REGIST_MATMUL_OBJ or Init before it is expected");
        if (rows < 1 || columns < 1 || depth < 1 || base_rows < 1 || base_columns < 1)
            belay_chip_fault(&place,
                             "a part of %d by %d by %d (m, n, k) in tiles of %d by %d; positive numbers are "
                             "expected",
                             rows, columns, depth, base_rows, base_columns);
    }
    /* Where an element stands, and how many follow it in its row of what is stored. */
    template <typename T>
    static uint64_t place_of_element(CubeFormat format, uint64_t row, uint64_t column, uint64_t height,
                                     uint64_t width)
    {
        constexpr uint64_t each = 32 / sizeof(T);
        if (format == CubeFormat::NZ)
            return column / each * ((height + 15) / 16 * 16) * each + row * each + column % each;
        return row * width + column;
    }
    /* `count` elements of a row from (row, column) on, as they are added. */
    template <typename Type, typename T>
    void take(const belay_chip_place &place, Sum *to, const MatmulOperand<T> &from, uint64_t row,
              uint64_t column, uint64_t count, uint64_t height, uint64_t width) const
    {
        constexpr uint64_t each = 32 / sizeof(T);
        if (!from.data) {
            for (uint64_t i = 0; i < count; i++)
                to[i] = static_cast<Sum>(from.scalar);
            return;
        }
        if (from.transposed) {
            for (uint64_t i = 0; i < count; i++) {
                const uint64_t at = place_of_element<T>(Type::format, column + i, row, width, height);
                to[i] = static_cast<Sum>(*reinterpret_cast<const T *>(from.reach(place, at, 1, false)));
            }
            return;
        }
        for (uint64_t i = 0; i < count;) {
            const uint64_t at = place_of_element<T>(Type::format, row, column + i, height, width);
            const uint64_t rest = Type::format == CubeFormat::NZ ? each - (column + i) % each : count;
            const uint64_t some = rest < count - i ? rest : count - i;
            const T *elements = reinterpret_cast<const T *>(from.reach(place, at, some, false));
            for (uint64_t e = 0; e < some; e++)
                to[i + e] = static_cast<Sum>(elements[e]);
            i += some;
        }
    }
    /* A row of a tile, TILE_COLUMNS of it at most. */
    void sum_row(const belay_chip_place &place, Sum *sums, int row, int column, int count) const
    {
        for (int i = 0; i < count; i++)
            sums[i] = 0;
        if (has_bias) {
            const Bias *added =
                reinterpret_cast<const Bias *>(bias.reach(place, (uint64_t)column, (uint64_t)count, false));
            for (int i = 0; i < count; i++)
                sums[i] = static_cast<Sum>(added[i]);
        }
        const int height_a = A_TYPE::pos == TPosition::GM ? rows_a : rows;
        const int width_a = A_TYPE::pos == TPosition::GM ? depth_a : depth;
        const int height_b = B_TYPE::pos == TPosition::GM ? depth_b : depth;
        const int width_b = B_TYPE::pos == TPosition::GM ? columns_b : columns;
        for (int k = 0; k < depth; k++) {
            Sum x, y[TILE_COLUMNS];
            take<A_TYPE>(place, &x, a, (uint64_t)row, (uint64_t)k, 1, (uint64_t)height_a, (uint64_t)width_a);
            take<B_TYPE>(place, y, b, (uint64_t)k, (uint64_t)column, (uint64_t)count, (uint64_t)height_b,
                         (uint64_t)width_b);
            for (int i = 0; i < count; i++) {
                if constexpr (std::is_integral_v<Sum>)
                    sums[i] = (Sum)((uint32_t)sums[i] + (uint32_t)x * (uint32_t)y[i]);
                else
                    sums[i] += x * y[i];
            }
        }
    }
    /* To C's type: what is quantised by a factor for all or of each column. */
    void round_row(const belay_chip_place &place, C *to, const Sum *sums, int column, int count) const
    {
        FixpipeParamsV220 p;
        if (std::is_integral_v<Sum> && !std::is_same_v<C, Sum>)
            p.quantPre = QuantMode_t::DEQF16;
        else if (sizeof(C) == 1)
            p.quantPre = QuantMode_t::QF322B8_PRE;
        const uint64_t *factors = scales.data ? reinterpret_cast<const uint64_t *>(scales.reach(
                                                    place, (uint64_t)column, (uint64_t)count, false))
                                              : nullptr;
        for (int i = 0; i < count; i++)
            to[i] = fixed<C>(sums[i], p, factors ? factors[i] : scale);
    }
    void put_row(const belay_chip_place &place, const MatmulOperand<C> &to, uint64_t at, const C *values,
                 int count, uint8_t atomic) const
    {
        uint8_t *target = to.reach(place, at, (uint64_t)count, true);
        if constexpr (std::is_same_v<C, float> || std::is_same_v<C, half> || std::is_same_v<C, bfloat16_t> ||
                      std::is_same_v<C, int32_t>) {
            const int kind = atomic ? atomic : belay_chip_now()->atomic;
            if (kind != CHIP_STORE && !to.low) {
                store_atomically(kind, reinterpret_cast<C *>(target), values, (size_t)count);
                return;
            }
        }
        memcpy(target, static_cast<const void *>(values), (size_t)count * sizeof(C));
    }
    /* Rows and columns of the product to a matrix whose element (0, 0) of them is its first. */
    template <typename Tensor>
    void compute(const belay_chip_place &place, const Tensor &tensor, int row, int column, int height,
                 int width, int first_row, int first_column, int height_c, int width_c, uint8_t atomic) const
    {
        MatmulOperand<C> to;
        to = tensor;
        constexpr int each = 32 / sizeof(C);
        belay_chip_barrier(&place, -1);
        for (int i = 0; i < height; i++)
            for (int first = 0; first < width; first += TILE_COLUMNS) {
                const int some = width - first < TILE_COLUMNS ? width - first : (int)TILE_COLUMNS;
                Sum sums[TILE_COLUMNS];
                C values[TILE_COLUMNS];
                sum_row(place, sums, row + i, column + first, some);
                round_row(place, values, sums, column + first, some);
                for (int j = 0; j < some;) {
                    const int at_column = first_column + first + j;
                    const int rest = C_TYPE::format == CubeFormat::NZ ? each - at_column % each : some;
                    const int now = rest < some - j ? rest : some - j;
                    put_row(place, to,
                            place_of_element<C>(C_TYPE::format, (uint64_t)(first_row + i),
                                                (uint64_t)at_column, (uint64_t)height_c, (uint64_t)width_c),
                            values + j, now, atomic);
                    j += now;
                }
            }
        belay_chip_barrier(&place, -1);
    }
    template <typename Tensor> void all(const Tensor &to, uint8_t atomic, int width_c, const Where &at)
    {
        const belay_chip_place place = at.of("Matmul::IterateAll");
        judge(place);
        const int height_c = C_TYPE::pos == TPosition::GM ? rows_c : rows;
        compute(place, to, 0, 0, rows, columns, 0, 0, height_c, width_c, atomic);
        restart();
    }
    template <typename Tensor> void take_tile(const Tensor &to, uint8_t atomic, bool alone, const Where &at)
    {
        const belay_chip_place place = at.of("Matmul::GetTensorC");
        judge(place);
        if (tile < 0)
            belay_chip_fault(&place,
                             "no tile was computed; an Iterate that returns true before it is expected");
        const int row = tile_row * base_rows, column = tile_column * base_columns;
        const int height = rows - row < base_rows ? rows - row : base_rows;
        const int width = columns - column < base_columns ? columns - column : base_columns;
        compute(place, to, row, column, height, width, alone ? 0 : row, alone ? 0 : column,
                alone ? base_rows : rows_c, alone ? base_columns : columns_c, atomic);
    }
};

template <typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE = C_TYPE,
          const auto &MM_CFG = CFG_NORM, typename Callback = MatmulCallBackFunc<>, typename Policy = void>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, Callback, Policy>;

/* Objects, each with a pointer to its tiling behind it or without, where Init comes later. */
inline void register_products(TPipe *, const Where &)
{
}

template <typename M, typename... More>
void register_products(TPipe *pipe, const Where &at, M &product, More &&...more);

template <typename M, typename Next, typename... More>
void register_product(TPipe *pipe, const Where &at, M &product, Next &&next, More &&...more)
{
    if constexpr (std::is_pointer_v<std::decay_t<Next>>) {
        if (next)
            product.Init(next, pipe, at);
        register_products(pipe, at, more...);
    } else if constexpr (std::is_null_pointer_v<std::decay_t<Next>>) {
        register_products(pipe, at, more...);
    } else {
        register_products(pipe, at, next, more...);
    }
}

template <typename M, typename... More>
void register_products(TPipe *pipe, const Where &at, M &product, More &&...more)
{
    if constexpr (sizeof...(More) > 0)
        register_product(pipe, at, product, more...);
}

/* Whether this core goes on: of a mixed kernel the cube core is done, which serves the vector cores of a device. */
template <typename... Objects>
bool register_matmuls(uint32_t kind, TPipe *pipe, const uint8_t *, const Where &at, Objects &&...objects)
{
    belay_kernel_become(kind);
    if (kind != BELAY_KERNEL_CUBE && belay_kernel_block()->core == BELAY_CORE_CUBE)
        return false;
    register_products(pipe, at, objects...);
    return true;
}
} // namespace AscendC

/* The older name of the namespace. */
namespace matmul
{
using AscendC::CFG_IBSHARE_NORM;
using AscendC::CFG_MDL;
using AscendC::CFG_NORM;
using AscendC::CubeFormat;
using AscendC::GetMDLConfig;
using AscendC::GetNormalConfig;
using AscendC::LayoutMode;
using AscendC::Matmul;
using AscendC::MatmulCallBackFunc;
using AscendC::MatmulConfig;
using AscendC::MatmulImpl;
using AscendC::MatmulType;
} // namespace matmul

#ifdef ASCENDC_CUBE_ONLY
#define BELAY_MATMUL_KIND BELAY_KERNEL_CUBE
#else
#define BELAY_MATMUL_KIND BELAY_KERNEL_MIXED_1_2
#endif
#define REGIST_MATMUL_OBJ(pipe, workspace, ...)                                                    \
    if (!::AscendC::register_matmuls(BELAY_MATMUL_KIND, pipe, workspace, BELAY_HERE, __VA_ARGS__)) \
    return

#endif
