// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Whole kernels of AscendC: queues, buffers, events, cores that wait for one another, tiling, scalars and what is
// printed.
#include "ascendc_support.h"

using namespace AscendC;

namespace
{
/* A kernel as people write them. */
class VectorAdd
{
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total)
    {
        length = total / GetBlockNum();
        const uint32_t first = length * GetBlockIdx();
        xs.SetGlobalBuffer((__gm__ float *)x + first, length);
        ys.SetGlobalBuffer((__gm__ float *)y + first, length);
        zs.SetGlobalBuffer((__gm__ float *)z + first, length);
        pipe.InitBuffer(in_x, 2, TILE * sizeof(float));
        pipe.InitBuffer(in_y, 2, TILE * sizeof(float));
        pipe.InitBuffer(out_z, 2, TILE * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t tile = 0; tile < length / TILE; tile++) {
            CopyIn(tile);
            Compute();
            CopyOut(tile);
        }
    }

  private:
    static constexpr uint32_t TILE = 64;
    __aicore__ inline void CopyIn(uint32_t tile)
    {
        LocalTensor<float> x = in_x.AllocTensor<float>(), y;
        in_y.AllocTensor<float>(y);
        DataCopy(x, xs[tile * TILE], TILE);
        DataCopy(y, ys[tile * TILE], TILE);
        in_x.EnQue(x);
        in_y.EnQue<TPosition::GM, TPosition::VECIN>(y);
    }
    __aicore__ inline void Compute()
    {
        LocalTensor<float> x = in_x.DeQue<float>(), y;
        in_y.DeQue(y);
        LocalTensor<float> z = out_z.AllocTensor<float>();
        Add(z, x, y, TILE);
        out_z.EnQue<float>(z);
        in_x.FreeTensor(x);
        in_y.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t tile)
    {
        LocalTensor<float> z = out_z.DeQue<TPosition::VECOUT, TPosition::GM, float>();
        DataCopy(zs[tile * TILE], z, TILE);
        out_z.FreeTensor(z);
    }
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> in_x, in_y;
    TQue<QuePosition::VECOUT, 2> out_z;
    GlobalTensor<float> xs, ys, zs;
    uint32_t length;
};

extern "C" __global__ __aicore__ void vector_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total)
{
    VectorAdd add;
    add.Init(x, y, z, total);
    add.Process();
}
} // namespace

TEST(a_kernel_with_queues_on_eight_blocks)
{
    const auto a = drawn<float>(8 * 64 * 5, 40), b = drawn<float>(8 * 64 * 5, 41);
    Memory x(a), y(b), z(std::vector<float>(a.size()));
    CHECK(launch(8, BELAY_KERNEL_AUTO, vector_add, x.gm(), y.gm(), z.gm(), (uint32_t)a.size()) == 0);
    CHECK_SAME(z.values<float>(), mapped<float>(a, b, [](float u, float v) { return u + v; }));
}

TEST(a_queue_between_two_positions_needs_no_copy)
{
    const auto a = drawn<int32_t>(64, 42);
    Memory x(a), z(std::vector<int32_t>(64));
    CHECK(launch(
              1, BELAY_KERNEL_VECTOR,
              [](GM_ADDR from, GM_ADDR to) {
                  TPipe pipe;
                  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
                  pipe.InitBuffer(queue, 1, 256);
                  GlobalTensor<int32_t> in, out;
                  in.SetGlobalBuffer((__gm__ int32_t *)from);
                  out.SetGlobalBuffer((__gm__ int32_t *)to);
                  for (int i = 0; i < 3; i++) {
                      if (!queue.HasIdleBuffer() || queue.HasTensorInQue() || !queue.VacantInQue())
                          Trap();
                      auto t = queue.AllocTensor<int32_t>();
                      DataCopy(t, in, 64);
                      queue.EnQue(t);
                      if (queue.GetTensorCountInQue() != 1)
                          Trap();
                      t = queue.DeQue<int32_t>();
                      DataCopy(out, t, 64);
                      queue.FreeTensor(t);
                  }
              },
              x.gm(), z.gm()) == 0);
    CHECK_SAME(z.values<int32_t>(), a);
}

TEST(buffers_pools_and_tensors_at_addresses)
{
    Memory z(std::vector<float>(64));
    CHECK(launch(
              1, BELAY_KERNEL_VECTOR,
              [](GM_ADDR to) {
                  TPipe pipe;
                  TBufPool<TPosition::VECCALC> pool;
                  TBuf<> first, second;
                  TQue<TPosition::VECOUT, 1> queue;
                  pipe.InitBufPool(pool, 1024);
                  pool.InitBuffer(first, 256);
                  pool.InitBuffer(queue, 1, 256);
                  pool.Reset();
                  pool.InitBuffer(second, 512); /* where first was */
                  pipe.InitBuffer(first, 128);
                  auto x = second.Get<float>(), y = second.GetWithOffset<float>(8, 64);
                  Duplicate(x, 1.0f, 64);
                  Duplicate(y, 2.0f, 8);
                  LocalTensor<float> same(TPosition::VECCALC, 64, 8), more;
                  Adds(same, same, 1.0f, 8); /* the pool begins at 0 */
                  more.SetAddrWithOffset(x, 24);
                  Adds(more, more, 10.0f, 8);
                  if (x.GetSize() != 128 || x.GetLength() != 512 || y.GetPosition() != TPosition::VECCALC ||
                      !(x == second.Get<float>()))
                      Trap();
                  PipeBarrier<PIPE_ALL>();
                  GlobalTensor<float> out;
                  out.SetGlobalBuffer((__gm__ float *)to, 64);
                  if (out.GetSize() != 64 || out[4].GetPhyAddr() != out.GetPhyAddr(4))
                      Trap();
                  DataCopy(out, x, 64);
                  LocalMemAllocator<> allocator;
                  auto a = allocator.Alloc<float>(8), b = allocator.Alloc<TPosition::VECCALC, float, 16>();
                  if ((uint64_t)b.GetPhyAddr() - a.GetPhyAddr() != 32 || GetTPipePtr() != &pipe)
                      Trap();
              },
              z.gm()) == 0);
    const auto is = z.values<float>();
    CHECK(is[15] == 1 && is[16] == 3 && is[23] == 3 && is[24] == 11 && is[32] == 1);
}

TEST(events_are_taken_and_given_back)
{
    CHECK(launch(1, BELAY_KERNEL_VECTOR, []() {
              TPipe pipe;
              const auto first = pipe.AllocEventID<HardEvent::V_S>(),
                         second = pipe.AllocEventID<HardEvent::V_S>();
              if (first != 0 || second != 1 || pipe.FetchEventID(HardEvent::V_S) != 2)
                  Trap();
              pipe.ReleaseEventID<HardEvent::V_S>(first);
              if (GetTPipePtr()->FetchEventID(HardEvent::V_S) != 0)
                  Trap();
              SetFlag<HardEvent::V_S>(second);
              WaitFlag<HardEvent::V_S>(second);
              TQueSync<PIPE_S, PIPE_V> sync;
              sync.SetFlag(3);
              sync.WaitFlag(3);
              set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
              wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
              pipe_barrier(PIPE_ALL);
              pipe.ReleaseEventID<HardEvent::V_S>(second);
          }) == 0);
}

TEST(blocks_meet_in_syncall)
{
    Memory z(std::vector<int32_t>(64 * 8)), words(std::vector<int32_t>(1024));
    CHECK(launch(
              8, BELAY_KERNEL_VECTOR,
              [](GM_ADDR to, GM_ADDR workspace) {
                  GlobalTensor<int32_t> out, sync;
                  out.SetGlobalBuffer((__gm__ int32_t *)to);
                  sync.SetGlobalBuffer((__gm__ int32_t *)workspace);
                  TPipe pipe;
                  TBuf<> buffer;
                  pipe.InitBuffer(buffer, 256);
                  auto x = buffer.Get<int32_t>();
                  Duplicate(x, (int32_t)GetBlockIdx(), 64);
                  PipeBarrier<PIPE_ALL>();
                  DataCopy(out[GetBlockIdx() * 64], x, 64);
                  SyncAll();
                  const int64_t next = (GetBlockIdx() + 1) % GetBlockNum();
                  DataCopy(x, out[next * 64], 64);
                  PipeBarrier<PIPE_ALL>();
                  SyncAll(sync, x);
                  DataCopy(out[GetBlockIdx() * 64], x, 64);
                  SyncAll<false>();
              },
              z.gm(), words.gm()) == 0);
    for (int i = 0; i < 512; i++)
        CHECK(z.values<int32_t>()[i] == (i / 64 + 1) % 8);
}

TEST(neighbours_wait_for_one_another)
{
    Memory z(std::vector<int32_t>(8)), words(std::vector<int32_t>(8 * 8 * 2));
    CHECK(launch(
              8, BELAY_KERNEL_VECTOR,
              [](GM_ADDR to, GM_ADDR workspace) {
                  GlobalTensor<int32_t> out, sync;
                  out.SetGlobalBuffer((__gm__ int32_t *)to, 8);
                  sync.SetGlobalBuffer((__gm__ int32_t *)workspace, 128);
                  TPipe pipe;
                  TBuf<> buffer;
                  pipe.InitBuffer(buffer, 256);
                  auto x = buffer.Get<int32_t>();
                  const int32_t block = (int32_t)GetBlockIdx();
                  if (block < 7) /* the last one begins */
                      IBWait(sync, x, block + 1, 0);
                  out.SetValue(block, block == 7 ? 1 : out.GetValue(block + 1) + 1);
                  IBSet(sync, x, block, 0);
              },
              z.gm(), words.gm()) == 0);
    CHECK(z.values<int32_t>()[0] == 8 && z.values<int32_t>()[7] == 1);
}

TEST(blocks_look_again_at_what_others_write)
{
    Memory z(std::vector<int32_t>(32));
    CHECK(launch(
              2, BELAY_KERNEL_VECTOR,
              [](GM_ADDR to) {
                  GlobalTensor<int32_t> out;
                  out.SetGlobalBuffer((__gm__ int32_t *)to, 32);
                  if (GetBlockIdx() == 0)
                      while (out.GetValue(16) == 0)
                          DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE,
                                                   DcciDst::CACHELINE_OUT>(out[16]);
                  out.SetValue(GetBlockIdx() * 16, 7);
                  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(out);
                  GetSystemCycle();
              },
              z.gm()) == 0);
    CHECK(z.values<int32_t>()[0] == 7 && z.values<int32_t>()[16] == 7);
}

TEST(mixed_kernels_set_flags_between_their_cores)
{
    Memory z(std::vector<int32_t>(64));
    CHECK(launch(
              4, BELAY_KERNEL_AUTO,
              [](GM_ADDR to) {
                  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
                  GlobalTensor<int32_t> out;
                  out.SetGlobalBuffer((__gm__ int32_t *)to, 64);
                  if ASCEND_IS_AIC {
                      out.SetValue(GetBlockIdx(), 1);
                      CrossCoreSetFlag<2, PIPE_FIX>(3);
                      CrossCoreWaitFlag(4);
                      out.SetValue(GetBlockIdx(),
                                   out.GetValue(8 + GetBlockIdx() * 2) + out.GetValue(9 + GetBlockIdx() * 2));
                      CrossCoreSetFlag<0, PIPE_FIX>(5);
                      CrossCoreWaitFlag(5);
                  }
                  if ASCEND_IS_AIV {
                      CrossCoreWaitFlag(3);
                      out.SetValue(8 + GetBlockIdx(),
                                   out.GetValue(GetBlockIdx() / GetTaskRation()) + (int32_t)GetSubBlockIdx());
                      CrossCoreSetFlag<1, PIPE_MTE3>(6);
                      CrossCoreWaitFlag(6);
                      CrossCoreSetFlag<2, PIPE_MTE3>(4);
                      if (GetSubBlockNum() != 2 || g_coreType != AIV)
                          Trap();
                  }
              },
              z.gm()) == 0);
    const auto is = z.values<int32_t>();
    for (int block = 0; block < 4; block++)
        CHECK(is[block] == 3 && is[8 + block * 2] == 1 && is[9 + block * 2] == 2);
}

struct Tiling {
    uint32_t length;
    float scale;
};

TEST(tiling_data_and_keys)
{
    Memory z(std::vector<float>(8)), data(std::vector<Tiling>{{8, 1.5f}});
    for (uint64_t key : {0, 3}) {
        belay_kernel_set_tiling_key(key);
        CHECK(launch(
                  1, BELAY_KERNEL_VECTOR,
                  [](GM_ADDR to, GM_ADDR workspace, GM_ADDR tiling) {
                      REGISTER_TILING_DEFAULT(Tiling);
                      GET_TILING_DATA(all, tiling);
                      GET_TILING_DATA_WITH_STRUCT(Tiling, again, tiling);
                      GET_TILING_DATA_MEMBER(Tiling, scale, scale, tiling);
                      GM_ADDR user = GetUserWorkspace(workspace);
                      SetSysWorkspace(workspace);
                      GlobalTensor<float> out;
                      out.SetGlobalBuffer((__gm__ float *)to, 8);
                      ASSERT(user == GetSysWorkSpacePtr() && again.length == 8);
                      InitGlobalMemory(out, all.length, 1.0f);
                      if (TILING_KEY_IS(3))
                          out.SetValue(0, scale);
                      else if (TILING_KEY_IS(0))
                          out.SetValue(0, -scale);
                      Fill(out[1], 1, 9.0f);
                  },
                  z.gm(), z.gm(), data.gm()) == 0);
        CHECK(z.values<float>()[0] == (key ? 1.5f : -1.5f) && z.values<float>()[1] == 9 &&
              z.values<float>()[7] == 1);
    }
}

TEST(scalars_of_the_language)
{
    CHECK(launch(1, BELAY_KERNEL_VECTOR, []() {
              InitSocState();
              SetCtrlSpr<60, 60>(1);
              ASSERT((GetCtrlSpr<60, 60>() == 1 && GetCtrlSpr<59, 59>() == 0));
              ASSERT((ScalarGetSFFValue<1>(8) == 3 && ScalarGetSFFValue<0>(7) == 3 &&
                      ScalarGetCountOfValue<1>(7) == 3));
              ASSERT(ScalarCountLeadingZero(1) == 63);
              ASSERT((ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(1.2f) == 2 &&
                      ScalarCast<float, int32_t, RoundMode::CAST_RINT>(2.5f) == 2));
              ASSERT((ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(3e10f) == 2147483647 &&
                      ScalarCast<float, half, RoundMode::CAST_ODD>(1.5f) == 1.5f &&
                      ScalarCast<float, half, RoundMode::CAST_ODD>(2048.5f) == 2050));
              ASSERT(ToFloat(ToBfloat16(1.0f)) == 1.0f && min(1, 2) == 1 && max(1, 2) == 2);
              ASSERT((IsSameType<float, float>::value && !IsSameType<float, half>::value));
              ASSERT(get_block_idx() == 0 && get_block_num() == 1);
          }) == 0);
}

/* The kinds of kernels that a launch leaves open. */
TEST(kinds_of_kernels)
{
    Memory z(std::vector<int32_t>(16));
    const auto kind = [&](auto kernel, int cubes, int vectors) {
        Memory count(std::vector<int32_t>(2));
        CHECK(launch(1, BELAY_KERNEL_AUTO, kernel, count.gm()) == 0);
        CHECK(count.values<int32_t>()[0] == cubes && count.values<int32_t>()[1] == vectors);
    };
#define KIND(type, cubes, vectors)                               \
    kind(                                                        \
        [](GM_ADDR count) {                                      \
            KERNEL_TASK_TYPE_DEFAULT(type);                      \
            GlobalTensor<int32_t> n;                             \
            n.SetGlobalBuffer((__gm__ int32_t *)count, 2);       \
            belay_kernel_order();                                \
            const int at = ASCEND_IS_NOT_AIC ? 1 : 0;            \
            n(at) += ASCEND_IS_NOT_AIV || ASCEND_IS_AIV ? 1 : 0; \
        },                                                       \
        cubes, vectors)
    KIND(KERNEL_TYPE_AIV_ONLY, 0, 1);
    KIND(KERNEL_TYPE_AIC_ONLY, 1, 0);
    KIND(KERNEL_TYPE_MIX_AIV_1_0, 0, 1);
    KIND(KERNEL_TYPE_MIX_AIC_1_0, 1, 0);
    KIND(KERNEL_TYPE_MIX_AIC_1_1, 1, 1);
    KIND(KERNEL_TYPE_MIX_AIC_1_2, 1, 2);
    KIND(KERNEL_TYPE_AICORE, 0, 1);
    belay_kernel_set_tiling_key(5);
    kind(
        [](GM_ADDR count) {
            KERNEL_TASK_TYPE(5, KERNEL_TYPE_AIC_ONLY);
            if (ASCEND_IS_AIC && TILING_KEY_VAR == 5)
                ((__gm__ int32_t *)count)[0] = 1;
        },
        1, 0);
}

TEST(what_changes_no_result_is_taken)
{
    Memory z(std::vector<int32_t>(16, 3)), data(std::vector<Tiling>{{8, 1.5f}});
    CHECK(launch(
              1, BELAY_KERNEL_VECTOR,
              [](GM_ADDR to, GM_ADDR tiling) {
                  REGISTER_TILING_DEFAULT(Tiling);
                  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 5", Tiling);
                  GET_TILING_DATA_PTR_WITH_STRUCT(Tiling, there, tiling);
                  COPY_TILING_WITH_STRUCT(Tiling, tiling, again);
                  ASSERT(there->length == again.length);
                  TPipe pipe;
                  TBuf<> buffer;
                  TQue<TPosition::VECOUT, 1> queue;
                  pipe.InitBuffer(buffer, 100);
                  pipe.InitBuffer(queue, 1, 64);
                  GlobalTensor<int32_t> out;
                  out.SetGlobalBuffer((__gm__ int32_t *)to, 16);
                  out.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
                  ICachePreLoad(2);
                  DataSyncBarrier<MemDsbT::ALL>();
                  SetSyncBaseAddr(0);
                  SetSysWorkspaceForce(to);
                  ASSERT(GetSysWorkSpacePtr() == to && buffer.GetBufLen() == 128 &&
                         GetICachePreloadStatus() == 0);
                  ASSERT(CountBitsCntSameAsSignBit(1) == 62);
                  SetCtrlSpr<0, 3>(9);
                  ResetCtrlSpr<0, 3>();
                  ASSERT((GetCtrlSpr<0, 3>() == 0));
                  InitOutput<int32_t>(out, 4, 8);
                  AscendCUtils::SetMask<float>(8);
                  ASSERT(AscendCUtils::GetC0Count(4) == 8);
                  auto t = buffer.Get<int32_t>();
                  t.SetUserTag(1);
                  ASSERT(pipe.GetAbsAddr<TPosition::VECCALC>(0, 4).GetPhyAddr() == t.GetPhyAddr());
                  SetPadValue(7);
                  Duplicate<int32_t, false>(t, 6, MASK_PLACEHOLDER_LIST, 1, 1, 8);
                  Adds<int32_t, false>(t, t, 0, MASK_PLACEHOLDER_LIST, 1, UnaryRepeatParams(1, 1, 8, 8));
                  PipeBarrier<PIPE_ALL>();
                  DataCopy(out[8], t, DataCopyParams(1, 1, 0, 0));
                  queue.FreeAllEvent();
                  pipe.Destroy();
              },
              z.gm(), data.gm()) == 0);
    const auto is = z.values<int32_t>();
    CHECK(is[0] == 8 && is[3] == 8 && is[4] == 3 && is[8] == 6 && is[15] == 6);
}

TEST(lists_of_tensors)
{
    /* An offset to the addresses; then of each tensor its rank and index, and its dims. */
    Memory data(std::vector<float>{1, 2, 3, 4});
    std::vector<uint64_t> list = {
        6 * 8, 1, 4, 2ull | 1ull << 32, 2, 2, (uint64_t)data.address, (uint64_t)data.address + 8};
    Memory words(list), z(std::vector<float>(4));
    CHECK(launch(
              1, BELAY_KERNEL_VECTOR,
              [](GM_ADDR tensors, GM_ADDR to) {
                  ListTensorDesc all((__gm__ void *)tensors);
                  uint64_t shape[8];
                  TensorDesc<float> desc;
                  desc.SetShapeAddr(shape);
                  all.GetDesc(desc, 1);
                  ASSERT(all.GetSize() == 2 && desc.GetDim() == 2 && desc.GetShape(1) == 2 &&
                         desc.GetIndex() == 1);
                  GlobalTensor<float> out;
                  out.SetGlobalBuffer((__gm__ float *)to, 4);
                  out.SetValue(0, all.GetDataPtr<float>(0)[0]);
                  out.SetValue(1, desc.GetDataObj().GetValue(0));
              },
              words.gm(), z.gm()) == 0);
    CHECK(z.values<float>()[0] == 1 && z.values<float>()[1] == 3);
}

TEST(kernels_print)
{
    CHECK(launch(2, BELAY_KERNEL_VECTOR, []() {
              TPipe pipe;
              TBuf<> buffer;
              pipe.InitBuffer(buffer, 32);
              auto x = buffer.Get<half>();
              Duplicate(x, half(1.5), 16);
              printf("half %f of %d\n", x.GetValue(0), (int)GetBlockIdx());
              PRINTF("done\n");
              DumpTensor(x, 5, 3);
          }) == 0);
}
