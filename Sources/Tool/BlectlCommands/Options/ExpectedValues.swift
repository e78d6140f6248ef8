// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlectlArguments

/// The facts about a stream's values that its outputs need in advance.
struct ExpectedValues {
  /// Their format, if it is not their meaning.
  var format: ValueFormat?
  /// The keys that decoded ones can have, as far as they are known.
  var keys: [String] = []
  /// The devices that should be there from the beginning.
  var devices: [DeviceArgument] = []
  /// True if devices advertise them.
  var areAdvertised = false
}
