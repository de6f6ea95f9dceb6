# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-023 *
"""The same where memory is mapped in pieces. with: PYTORCH_NPU_ALLOC_CONF=expandable_segments:True"""
import sharing

if __name__ == "__main__":
    sharing.main()
