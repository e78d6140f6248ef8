// SPDX-License-Identifier: MIT

/// A descriptor of this machine.
///
/// It is Sendable because its state is locked.
open class CBMutableDescriptor: CBDescriptor, @unchecked Sendable {
  /// Makes a descriptor: 2901 with a `String`, 2904 with `Data`, or a custom one with either.
  public init(type UUID: CBUUID, value: Any?) { super.init(uuid: UUID, value: value) }
}
