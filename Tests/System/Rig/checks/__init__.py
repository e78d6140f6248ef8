# SPDX-License-Identifier: MIT
"""What selftest.py uses."""
