// SPDX-License-Identifier: MIT
package import BLECentral
internal import JSON
internal import ValueStreams

/// A device on the command line: DEVICE.
package enum DeviceArgument: Sendable, Hashable {
  case address(BluetoothAddress)
  case name(NamePattern)
  /// A device that was found before, whatever its private address is now; never parsed.
  case resolved(PrivateIdentity)

  /// Parses an address, or else a name; throws for a mistyped address, which cannot be a name.
  package init(parsing text: String) throws(ArgumentError) {
    if text.isEmpty { throw ArgumentError(text, "does not name a device") }
    let address = BluetoothAddress(text)
    if address == nil, DeviceArgument.resemblesAddress(text) {
      throw ArgumentError(text, "is not a Bluetooth address: six bytes in hexadecimal")
    }
    self = address.map(DeviceArgument.address) ?? .name(NamePattern(text))
  }

  /// A device that was found, by what stays the same of it.
  package init(_ key: DeviceKey) {
    self =
      switch key {
      case .address(let address): .address(address)
      case .identity(let identity): .resolved(identity)
      }
  }

  /// Creates that of a device in a profile.
  package init(_ own: ProfileDevice) {
    self = own.address.map { .address($0) } ?? .name(NamePattern(own.name))
  }

  /// Returns whether a text has about as many pairs of letters or digits, with colons between them, as an
  /// address.
  private static func resemblesAddress(_ text: String) -> Bool {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    // One pair may lack a digit.
    return (5...7).contains(groups.count) && groups.count(where: { $0.count == 2 }) >= groups.count - 1
      && groups.allSatisfy { group in
        (1...2).contains(group.count) && group.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      }
  }

  /// The identity of the device as known before it is found.
  package var subject: ProfileSubject {
    switch self {
    case .address(let address): ProfileSubject(address: address)
    case .name(let pattern): ProfileSubject(names: [pattern.text])
    case .resolved(let identity): ProfileSubject(address: identity.address, names: [identity.name])
    }
  }

  /// True if it stands for devices that the user does not know one by one.
  package var isPattern: Bool { if case .name(let name) = self { name.hasWildcards } else { false } }

  /// The words for the device that was found, in messages: what was typed, or its address if that also stands for others.
  package func title(of address: BluetoothAddress) -> String { isPattern ? "\(address)" : description }

  /// Nil if the device does not match; an address matches exactly or not at all.
  package func rank(of candidate: some DeviceCandidate) -> NamePattern.Rank? {
    switch self {
    case .address(let address): candidate.has(address) ? .exact : nil
    case .resolved(let identity): candidate.identity == identity ? .exact : nil
    case .name(let pattern):
      [candidate.name, candidate.reportedName].compactMap { $0.flatMap(pattern.rank(of:)) }.max()
        ?? (DeviceArgument.addressWithoutColons(pattern.text).map { candidate.has($0) } == true
          ? .exact : nil)
    }
  }

  /// Returns whether both certainly mean different devices, by what was typed.
  package func excludes(_ other: DeviceArgument) -> Bool {
    switch (self, other) {
    case (.address(let address), .address(let other)):
      // A private address and that of an identity may be those of one device.
      address != other && ![address.randomKind, other.randomKind].contains(.resolvable)
    case (.name(let name), .name(let other)):
      DeviceArgument.addressWithoutColons(name.text) == nil
        && DeviceArgument.addressWithoutColons(other.text) == nil && name.excludes(other)
    default: false
    }
  }

  /// True if it may be the name that a profile gives a device, which has another one for other words.
  package var mayBeOwnName: Bool {
    guard case .name = self else { return false }
    return Vocabulary.known.profiles.devices.contains { !excludes(.name(NamePattern($0.name))) }
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

  /// Selects the matching devices, of which only the best kind of match counts; `many` only without `pick`.
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

extension DeviceArgument {
  /// A suggestion for a name that was not heard, such as `; did you mean Piano?`; empty if none of `names`, which were, is
  /// similar, or the name is right.
  package func advice(among names: Set<String>) -> String {
    guard case .name(let pattern) = self,
      !Vocabulary.known.profiles.devices.contains(where: { $0.name == pattern.text })
    else { return "" }
    return Spelling.advice(for: pattern.text, amongNames: names.sorted()).map { "; \($0)" } ?? ""
  }
}

extension DeviceArgument: CustomStringConvertible {
  package var description: String {
    switch self {
    case .address(let address): address.description
    case .name(let pattern): pattern.text
    case .resolved(let identity): identity.name
    }
  }
}

/// A device that DEVICE on the command line may mean.
package protocol DeviceCandidate {
  var address: BluetoothAddress { get }
  /// The name that it is shown with, if any.
  var name: String? { get }
  /// The name that the device reports, if it is shown with another one.
  var reportedName: String? { get }
  /// The identity behind a private address, if it is known.
  var identity: PrivateIdentity? { get }
  /// In dBm; nil if the device was not heard.
  var rssi: Int? { get }
}

extension DeviceCandidate {
  package var reportedName: String? { nil }
  package var identity: PrivateIdentity? { nil }

  /// Returns whether an address is the device's: that of its advertisements, or that of its identity.
  package func has(_ address: BluetoothAddress) -> Bool {
    self.address == address || identity?.address == address
  }
}

/// The choice among several matching devices: the value of `--pick`.
package enum PickRule: String, Sendable, CaseIterable {
  /// The strongest signal; devices that were not heard come last.
  case strongest
  case first
}

/// The matches of a word on the command line.
package enum Selection<Candidate> {
  case none
  case one(Candidate)
  /// At least two matches, in the order of the candidates.
  case many([Candidate])

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
