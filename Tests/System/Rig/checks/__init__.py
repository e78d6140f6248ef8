# SPDX-License-Identifier: MIT
"""The modules of selftest.py."""
