// SPDX-License-Identifier: MIT

/// The number of an L2CAP channel.
public typealias CBL2CAPPSM = UInt16
