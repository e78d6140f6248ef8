// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The data of a beacon, one packet after another from the first.
struct BeaconSequence {
  private struct Value {
    let name: String
    let source: BeaconValue.Source
    var index = 0
    var numbers: NumberSequence?
    /// The current value; nil before the first packet.
    var text: String?

    init(_ value: BeaconValue) {
      (name, source) = (value.name, value.source)
      if case .numbers(let rule) = value.source { numbers = NumberSequence(rule) }
    }

    /// True if it is a counter that restarts where the format has no room for it.
    var isOpen: Bool {
      if case .numbers(.counter(let counter)) = source { counter.last == nil } else { false }
    }

    /// Takes the next value; `fits` tells whether the format has it.
    mutating func advance(_ fits: (String) -> Bool) {
      defer { index += 1 }
      switch source {
      case .constant(let word): text = word.text
      case .list(let words): text = words.isEmpty ? nil : words[index % words.count].text
      case .numbers:
        let isOpen = isOpen
        text = numbers?.next { number in
          let text = BeaconValue.Word.text(number)
          return isOpen && !fits(text) ? nil : text
        }
      }
    }
  }

  private let spec: BeaconSpec
  private let address: BluetoothAddress
  private var values: [Value]
  private var counter: UInt32

  init(_ spec: BeaconSpec, from address: BluetoothAddress) {
    (self.spec, self.address) = (spec, address)
    values = spec.values.map { Value($0) }
    counter = spec.firstCounter
  }

  /// Returns the next packet.
  ///
  /// - Throws: why its values cannot be encoded, or not be encrypted.
  mutating func next() throws(BeaconError) -> AdvertisedData {
    // Whether an open counter fits depends on the others.
    for index in values.indices where !values[index].isOpen { values[index].advance { _ in true } }
    for index in values.indices where values[index].isOpen {
      var value = values[index]
      value.advance { fits($0, index) }
      values[index] = value
    }
    let data: AdvertisedData
    do throws(FormatError) {
      data = try encoded(values)
    } catch {
      throw .format(error)
    }
    return try seal(data)
  }

  private func fits(_ text: String, _ index: Int) -> Bool {
    var values = values
    values[index].text = text
    return (try? encoded(values)) != nil
  }

  private func encoded(_ values: [Value]) throws(FormatError) -> AdvertisedData {
    let pairs = values.compactMap { value in value.text.map { (name: value.name, text: $0) } }
    return try spec.format.encoded(NamedValues(pairs), from: address)
  }

  private mutating func seal(_ data: AdvertisedData) throws(BeaconError) -> AdvertisedData {
    guard let key = spec.key else { return data }
    defer { counter &+= 1 }
    do throws(DecryptionError) {
      return try spec.format.sealed(data, from: address, key: key, counter: counter)
    } catch {
      throw .encryption(error)
    }
  }
}

/// The reason that a beacon cannot be sent.
enum BeaconError: Error {
  case format(FormatError)
  case encryption(DecryptionError)
}
