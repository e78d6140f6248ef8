// SPDX-License-Identifier: MIT
package import BLECentral

/// A device on the command line: DEVICE.
package enum DeviceArgument: Sendable, Hashable {
  /// The device with that address.
  case address(BluetoothAddress)
  /// The device whose name matches.
  case name(NamePattern)

  /// The device that a text names: an address if it is one, otherwise a name.
  ///
  /// - Throws: when the text is empty, or a mistyped address: no device with such a name would be found.
  package init(parsing text: String) throws(ArgumentError) {
    if text.isEmpty { throw ArgumentError(text, "does not name a device") }
    let address = BluetoothAddress(text)
    if address == nil, DeviceArgument.resemblesAddress(text) {
      throw ArgumentError(text, "is not a Bluetooth address: six bytes in hexadecimal")
    }
    self = address.map(DeviceArgument.address) ?? .name(NamePattern(text))
  }

  /// Whether a text is several pairs of letters or digits with colons between them, about as many as an address has.
  private static func resemblesAddress(_ text: String) -> Bool {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    return (5...7).contains(groups.count)
      && groups.allSatisfy { $0.count == 2 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
  }

  /// How well a device matches, or nil if it does not; an address matches exactly or not at all.
  package func rank(of candidate: some DeviceCandidate) -> NamePattern.Rank? {
    switch self {
    case .address(let address): candidate.address == address ? .exact : nil
    case .name(let pattern):
      candidate.name.flatMap(pattern.rank(of:))
        ?? (DeviceArgument.addressWithoutColons(pattern.text) == candidate.address ? .exact : nil)
    }
  }

  /// The address that twelve hexadecimal digits may be; a device may have such a name too.
  private static func addressWithoutColons(_ text: String) -> BluetoothAddress? {
    guard text.utf8.count == 12 else { return nil }
    var spelled = ""
    for (index, character) in text.enumerated() {
      if index > 0, index.isMultiple(of: 2) { spelled.append(":") }
      spelled.append(character)
    }
    return BluetoothAddress(spelled)
  }

  /// Selects the matching devices; only the best kind of match counts.
  ///
  /// - Parameters:
  ///   - candidates: the devices, in the order in which they were found.
  ///   - pick: which one to take if several match; nil takes all.
  /// - Returns: the matches; `many` only without `pick`.
  package func select<Candidate: DeviceCandidate>(
    from candidates: [Candidate], pick: PickRule? = nil
  ) -> Selection<Candidate> {
    let ranks = candidates.map(rank(of:))
    let best = ranks.compactMap(\.self).max()
    let matches = zip(candidates, ranks).filter { $0.1 != nil && $0.1 == best }.map(\.0)
    switch pick {
    case nil: return Selection(matches)
    case .first: return Selection(Array(matches.prefix(1)))
    case .strongest:
      // Of two equals the first one wins, so that the choice is stable.
      let strongest = matches.reduce(nil as Candidate?) { strongest, next in
        guard let strongest else { return next }
        return next.rssi ?? .min > strongest.rssi ?? .min ? next : strongest
      }
      return strongest.map(Selection.one) ?? .none
    }
  }
}

extension DeviceArgument: CustomStringConvertible {
  /// The address, or the name as typed.
  package var description: String {
    switch self {
    case .address(let address): address.description
    case .name(let pattern): pattern.text
    }
  }
}

/// A device that DEVICE on the command line may mean.
package protocol DeviceCandidate {
  /// The address, which identifies it.
  var address: BluetoothAddress { get }
  /// The name that the device reports, nil if none.
  var name: String? { get }
  /// The signal strength in dBm, nil if it has not been heard.
  var rssi: Int? { get }
}

/// Which of several matching devices to take: the value of `--pick`.
package enum PickRule: String, Sendable, CaseIterable {
  /// The one with the strongest signal; devices that have not been heard come last.
  case strongest
  /// The one that was found first.
  case first
}

/// The matches of a word on the command line.
package enum Selection<Candidate> {
  /// No match.
  case none
  /// Exactly one match.
  case one(Candidate)
  /// At least two matches, in the order of the candidates.
  case many([Candidate])

  /// The selection with these matches.
  package init(_ matches: [Candidate]) {
    switch matches.count {
    case 0: self = .none
    case 1: self = .one(matches[0])
    default: self = .many(matches)
    }
  }
}

extension Selection: Sendable where Candidate: Sendable {}
extension Selection: Equatable where Candidate: Equatable {}
