// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import JSON
internal import ValueStreams

extension [CharacteristicArgument] {
  /// The keys of their values, as far as they are known before a link is open; `view` may be another meaning.
  func decodedKeys(of device: DeviceArgument, shownAs view: ValueView?) -> [String] {
    meanings(on: device, view).flatMap { $0?.keys ?? [] }
  }

  /// Refuses the names of fields that none of the values can have; if not all meanings are known, any may come.
  func requireFields(_ names: [String], of device: DeviceArgument, shownAs view: ValueView?) throws {
    if names.isEmpty { return }
    let meanings = meanings(on: device, view)
    let known = meanings.compactMap(\.self)
    let keys = known.flatMap(\.keys)
    guard known.count == meanings.count, known.allSatisfy({ !$0.keys.isEmpty }) else { return }
    for name in names where known.allSatisfy({ $0.key(named: name) == nil }) {
      let advice =
        Spelling.advice(for: name, among: keys) ?? "the fields are \(keys.joined(separator: ", "))"
      throw ValidationError("\(ArgumentError(name, "is not a field of these values; \(advice)"))")
    }
  }

  /// The meanings that are known before a link is open, nil for others.
  private func meanings(on device: DeviceArgument, _ view: ValueView?) -> [ValueMeaning?] {
    map { characteristic in
      let known = characteristic.identity(of: device.subject).flatMap { ValueMeaning(of: $0) }
      return view.map { $0.meaning(insteadOf: known) } ?? known
    }
  }
}
