/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * triton-ascend puts this file into its launchers where TRITON_DEVICE_PRINT is set: they open a tunnel for what the
 * device prints, and close it behind the launch. Kernels of the host print themselves; that a launch has a tunnel is
 * seen by its value, behind the arguments.
 */
namespace cce
{
namespace internal
{
struct DebugTunnelData;
struct DebugTunnel {
    static DebugTunnelData *Open(unsigned)
    {
        return reinterpret_cast<DebugTunnelData *>(0x42656c6179ul);
    }
    static void Close(DebugTunnelData *, void *&)
    {
    }
};
} // namespace internal
} // namespace cce
