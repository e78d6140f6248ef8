# SPDX-License-Identifier: MIT
"""The peripherals of docs/world.md, played by Bumble; see Tests/Rig/README.md."""
