# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""There for clients that ask the version of the collectives: the functions themselves are libhccl.so's."""
