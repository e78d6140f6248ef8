// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import BlectlArguments

/// What the outputs of a stream need to know of its values before they come.
struct ExpectedValues {
  /// Their format, if it is not their meaning.
  var format: ValueFormat?
  /// The keys that decoded ones can have, as far as they are known.
  var keys: [String] = []
  /// The devices that should be there from the beginning.
  var devices: [DeviceArgument] = []
  /// Whether devices advertise them.
  var areAdvertised = false
}
