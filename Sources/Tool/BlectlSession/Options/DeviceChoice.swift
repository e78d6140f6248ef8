// SPDX-License-Identifier: MIT
package import BlectlArguments

/// The device of a command, and the choice if several match.
package struct DeviceChoice: Sendable {
  package let device: DeviceArgument
  /// Nil makes several matches an error.
  package let pick: PickRule?

  package init(_ device: DeviceArgument, pick: PickRule? = nil) { (self.device, self.pick) = (device, pick) }
}
