# SPDX-License-Identifier: MIT
"""The peripherals of docs/built-in-world.md, played by Bumble; see Tests/Rig/README.md."""
