// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import ValueStreams

extension [CharacteristicArgument] {
  /// The keys of their values, as far as they are known before a link is open; `view` may be another meaning.
  func decodedKeys(of device: DeviceArgument, shownAs view: ValueView?) -> [String] {
    flatMap { characteristic in
      let known = characteristic.identity(of: device.subject).flatMap { ValueMeaning(of: $0) }
      return (view.map { $0.meaning(insteadOf: known) } ?? known)?.keys ?? []
    }
  }
}
