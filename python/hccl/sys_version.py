# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The version of the toolkit whose interface this is, as share/info has it for all packages."""

__sys_version__ = "8.5.0"
