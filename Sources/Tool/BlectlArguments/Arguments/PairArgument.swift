// SPDX-License-Identifier: MIT
internal import BLECentral

/// A device and one of its characteristics as one word on the command line: DEVICE:CHAR.
package struct PairArgument: Sendable, Hashable {
  package let device: DeviceArgument
  package let characteristic: CharacteristicArgument

  /// Parses `Strap:2a37` or `F0:F1:F2:F3:F4:F5:180d/2a37`: the last colon separates them, so both may contain others.
  ///
  /// An address alone is a device without a characteristic.
  package init(parsing text: String) throws(ArgumentError) {
    guard BluetoothAddress(text) == nil, let colon = text.lastIndex(of: ":") else {
      throw ArgumentError(text, "is not DEVICE:CHAR, such as Strap:2a37")
    }
    device = try DeviceArgument(parsing: String(text[..<colon]))
    characteristic = try CharacteristicArgument(parsing: String(text[text.index(after: colon)...]))
  }
}

/// A word behind the first one of DEVICE CHAR… or DEVICE:CHAR….
package enum SourceWord: Sendable, Hashable {
  case characteristic(CharacteristicArgument)
  case pair(PairArgument)

  package var isPair: Bool { if case .pair = self { true } else { false } }

  /// Parses a characteristic, or else a pair.
  package init(parsing text: String) throws(ArgumentError) {
    do throws(ArgumentError) {
      self = .characteristic(try CharacteristicArgument(parsing: text))
    } catch {
      guard text.contains(":"), BluetoothAddress(text) == nil else { throw error }
      self = .pair(try PairArgument(parsing: text))
    }
  }
}

/// The characteristics that are wanted of one DEVICE.
package struct WantedSource: Sendable, Hashable {
  package let device: DeviceArgument
  package private(set) var characteristics: [CharacteristicArgument]

  package init(_ device: DeviceArgument, _ characteristics: [CharacteristicArgument]) {
    (self.device, self.characteristics) = (device, characteristics)
  }

  fileprivate mutating func add(_ characteristic: CharacteristicArgument) {
    if !characteristics.contains(characteristic) { characteristics.append(characteristic) }
  }
}

extension [WantedSource] {
  /// The sources that DEVICE CHAR… or DEVICE:CHAR… names, one for each DEVICE; nil if there is a DEVICE only.
  ///
  /// Characteristics behind the first word make it a DEVICE, whatever colons it has. It is parsed as a DEVICE in any case.
  package init?(_ first: DeviceArgument, _ words: [SourceWord]) throws(ArgumentError) {
    var (characteristics, pairs): ([CharacteristicArgument], [PairArgument]) = ([], [])
    for word in words {
      switch word {
      case .characteristic(let characteristic): characteristics.append(characteristic)
      case .pair(let pair): pairs.append(pair)
      }
    }
    if pairs.isEmpty, !characteristics.isEmpty {
      self = [WantedSource(first, characteristics)]
      return
    }
    if let characteristic = characteristics.first {
      throw ArgumentError(
        "\(characteristic)", "has no device before it: use DEVICE:CHAR for each, or DEVICE CHAR…")
    }
    let text = first.description
    if pairs.isEmpty, BluetoothAddress(text) != nil || !text.contains(":") { return nil }
    self = []
    for pair in [try PairArgument(parsing: text)] + pairs {
      if let index = firstIndex(where: { $0.device == pair.device }) {
        self[index].add(pair.characteristic)
      } else {
        append(WantedSource(pair.device, [pair.characteristic]))
      }
    }
  }

  /// The DEVICE that matches a device best; nil if none matches.
  package func word(for device: some DeviceCandidate) -> String? {
    let matches = compactMap { source in source.device.rank(of: device).map { (source.device, $0) } }
    return matches.max { $0.1 < $1.1 }.map { "\($0.0)" }
  }

  /// The characteristics of all whose DEVICE matches a device, each once.
  package func characteristics(of device: some DeviceCandidate) -> [CharacteristicArgument] {
    var all = WantedSource(.address(device.address), [])
    for source in self where source.device.rank(of: device) != nil {
      for characteristic in source.characteristics { all.add(characteristic) }
    }
    return all.characteristics
  }
}
