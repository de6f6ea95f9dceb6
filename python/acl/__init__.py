# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The acl runtime for Python clients: acl.init, acl.rt, acl.op, acl.mdl, acl.util, descriptions, constants, over libascendcl.

A function without a result returns the status, an int that is 0 on success; one with results returns them and then the
status. Handles and device addresses are ints. Nothing is freed unasked: what a create or malloc function returned lives
until its destroy or free function is called. Each function is that of C with the name in its docstring; the headers
describe it, and say which codes it returns.
"""
import ctypes
import os
import sys

from acl import addresses as util
from acl import mdl, op, rt
from acl.binding import ascendcl, bind
from acl.constants import *
from acl.descriptions import *
from acl.status import *

# The one place of the version, which CMakeLists.txt and pyproject.toml read from here.
__version__ = "0.2.0"
# The name that clients know addresses by, whichever way they import it.
sys.modules["acl.util"] = util

ascendcl.aclAppLog.restype = None
ascendcl.aclInit.argtypes = [ctypes.c_char_p]
ascendcl.aclGetRecentErrMsg.restype = ctypes.c_char_p
ascendcl.aclrtGetSocName.restype = ctypes.c_char_p

finalize = bind("aclFinalize()")
finalize_reference = bind("aclFinalizeReference(uint64 *count)")
get_version = rt.get_version
get_device_capability = bind("aclGetDeviceCapability(uint32 device_id, int32 device_info, int64 *value)")
get_cann_attribute = bind("aclGetCannAttribute(int32 cann_attr, int32 *value)")
data_type_size = bind("size aclDataTypeSize(int32 data_type)")
float16_to_float = bind("float aclFloat16ToFloat(uint16 value)")
float_to_float16 = bind("uint16 aclFloatToFloat16(float value)")
set_compileopt = bind("aclSetCompileopt(int32 opt, text value)")
get_compileopt_size = bind("size aclGetCompileoptSize(int32 opt)")


def init(config_path=None):
    """aclInit(config_path) -> ret. A second call returns ACL_ERROR_REPEAT_INITIALIZE (100002), and counts."""
    return ascendcl.aclInit(None if config_path is None else os.fsencode(config_path))


def get_soc_name():
    """aclrtGetSocName() -> the name of the product, or None."""
    name = ascendcl.aclrtGetSocName()
    return None if name is None else name.decode()


def get_recent_err_msg():
    """aclGetRecentErrMsg() -> what this thread's calls complained of since it was last asked, newest first; ""."""
    return (ascendcl.aclGetRecentErrMsg() or b"").decode(errors="replace")


def app_log(log_level, message):
    """aclAppLog with a message -> None: a line of the log, with the function, file and line of the caller."""
    caller = sys._getframe(1)
    texts = (os.fsencode(text) for text in (caller.f_code.co_name, caller.f_code.co_filename))
    ascendcl.aclAppLog(ctypes.c_int(log_level), *texts, ctypes.c_uint32(caller.f_lineno), b"%s",
                       str(message).encode(errors="replace"))


def get_compileopt(opt):
    """aclGetCompileopt(opt) -> (value, ret)."""
    text = ctypes.create_string_buffer(get_compileopt_size(opt) or 1)
    ascendcl.aclGetCompileopt.restype = ctypes.c_int
    ret = ascendcl.aclGetCompileopt(ctypes.c_int(opt), text, ctypes.c_size_t(len(text)))
    return text.value.decode(errors="replace"), ret


rt.get_soc_name = get_soc_name
