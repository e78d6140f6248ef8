# SPDX-License-Identifier: MIT
"""The peripherals of docs/built-in-world.md, played by Bumble; see Tests/System/Rig/README.md."""
