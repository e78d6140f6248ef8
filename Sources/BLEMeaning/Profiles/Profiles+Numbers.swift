// SPDX-License-Identifier: MIT

// Names of profiles beside assigned numbers, for those who look a number up.

extension Profiles {
  /// The entries of profiles, as numbers that the user has assigned; each name of a UUID once.
  private func numbers(_ kinds: [AssignedNumber.Kind]) -> [AssignedNumber] {
    var seen: Set<AssignedNumber> = []
    return profiles.flatMap { profile in
      kinds.flatMap { kind -> [AssignedNumber] in
        let entries: [(BluetoothUUID, String)] =
          switch kind {
          case .service: profile.services.map { ($0.uuid, $0.name) }
          case .characteristic: profile.characteristics.map { ($0.uuid, $0.name) }
          case .descriptor: profile.descriptors.map { ($0.uuid, $0.name) }
          default: []
          }
        return entries.map { AssignedNumber(kind: kind, number: .uuid($0), name: $1, origin: .own) }
      }
    }.filter { seen.insert($0).inserted }
  }

  /// Returns what profiles call a UUID.
  package func assigned(_ uuid: BluetoothUUID, kinds: [AssignedNumber.Kind]) -> [AssignedNumber] {
    isEmpty ? [] : numbers(kinds).filter { $0.uuid == uuid }
  }

  /// Finds the numbers whose name in a profile contains a text, compared as in ``characteristics(named:)``.
  package func containing(_ part: some StringProtocol, kinds: [AssignedNumber.Kind]) -> [AssignedNumber] {
    let key = NameKey(part).bytes
    guard !isEmpty, !key.isEmpty else { return [] }
    return numbers(kinds).filter { NameKey($0.name).bytes.firstRange(of: key) != nil }
  }
}
