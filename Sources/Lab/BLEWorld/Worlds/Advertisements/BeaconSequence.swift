// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The data of a beacon, one packet after another from the first.
struct BeaconSequence {
  private let spec: BeaconSpec
  private let address: BluetoothAddress
  private var fields: FieldSequences
  private var counter: UInt32

  init(_ spec: BeaconSpec, from address: BluetoothAddress) {
    (self.spec, self.address) = (spec, address)
    fields = FieldSequences(spec.values)
    counter = spec.firstCounter
  }

  /// Returns the next packet.
  ///
  /// - Throws: why its values cannot be encoded, or not be encrypted.
  mutating func next() throws(BeaconError) -> AdvertisedData {
    let (format, address) = (spec.format, address)
    let data: AdvertisedData
    do throws(FormatError) {
      data = try fields.next { pairs throws(FormatError) in
        try format.encoded(NamedValues(pairs), from: address)
      }
    } catch {
      throw .format(error)
    }
    return try seal(data)
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
