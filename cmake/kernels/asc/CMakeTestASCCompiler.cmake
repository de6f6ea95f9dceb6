# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# bisheng says itself what is missing when it is first used.
set(CMAKE_ASC_COMPILER_WORKS TRUE CACHE INTERNAL "")
