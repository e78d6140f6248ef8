// SPDX-License-Identifier: MIT

// Names of profiles beside assigned numbers, for those who look a number up.

extension Profiles {
  /// The entries that are wanted, as numbers that the user has assigned; each name of a UUID once.
  private func numbers(
    _ kinds: [AssignedNumber.Kind], where isWanted: (ProfileIndex.Entry) -> Bool
  ) -> [AssignedNumber] {
    var seen: Set<AssignedNumber> = []
    return indices.flatMap { index in
      kinds.flatMap { kind in
        index.entries(kind).filter(isWanted).map {
          AssignedNumber(kind: kind, number: .uuid($0.uuid), name: $0.text, origin: .own)
        }
      }
    }.filter { seen.insert($0).inserted }
  }

  /// Returns what profiles call a UUID.
  package func assigned(_ uuid: BluetoothUUID, kinds: [AssignedNumber.Kind]) -> [AssignedNumber] {
    isEmpty ? [] : numbers(kinds) { $0.uuid == uuid }
  }

  /// Finds the numbers whose name in a profile contains a text, compared as in ``characteristics(named:)``.
  package func containing(_ part: some StringProtocol, kinds: [AssignedNumber.Kind]) -> [AssignedNumber] {
    let key = NameKey(part)
    guard !isEmpty, !key.bytes.isEmpty else { return [] }
    return numbers(kinds) { entry in
      var text = entry.text
      return text.withUTF8 { key.fit($0) != nil }
    }
  }
}
