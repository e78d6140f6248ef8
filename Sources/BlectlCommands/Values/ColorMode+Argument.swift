// SPDX-License-Identifier: MIT
import ArgumentParser

extension ColorMode: ExpressibleByArgument {}
