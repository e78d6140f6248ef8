// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import ValueStreams

extension [WantedSource] {
  /// The columns for their values, as far as they are known before a link is open; `view` may be another meaning.
  func columns(shownAs view: ValueView?) -> [String] { meanings(view).flatMap { $0?.columns ?? [] } }

  /// The names of the fields that their values can have; of values whose meaning only the link shows, those of any format.
  func fieldNames(shownAs view: ValueView?) -> FieldNames {
    let meanings = meanings(view)
    let known = meanings.compactMap(\.self)
    let areAllKnown = known.count == meanings.count && known.allSatisfy { !$0.keys.isEmpty }
    return areAllKnown ? FieldNames(of: known) : FieldNames(known: .known)
  }

  /// Returns those that a device may be which an alarm is for; all, if it is for all, or for none of them.
  func of(_ device: DeviceArgument?) -> [WantedSource] {
    guard let device, !(map(\.device) + [device]).contains(where: \.mayBeOwnName) else { return self }
    let meant = filter { !$0.device.excludes(device) }
    return meant.isEmpty ? self : meant
  }

  /// The meanings that are known before a link is open, nil for others.
  private func meanings(_ view: ValueView?) -> [ValueMeaning?] {
    flatMap { source in
      source.characteristics.map { characteristic in
        let known = characteristic.identity(of: source.device.subject).flatMap { ValueMeaning(of: $0) }
        return view.map { $0.meaning(insteadOf: known) } ?? known
      }
    }
  }
}
