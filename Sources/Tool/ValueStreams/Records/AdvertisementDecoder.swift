// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral

/// Decodes the data of advertisements, with the keys of their senders if it is encrypted.
///
/// One for the whole process: it remembers the counters of packets, and what it has reported.
package final class AdvertisementDecoder: Sendable {
  /// A function that returns the key of the sensor with an address; nil if there is none.
  package typealias Keys = @Sendable (BluetoothAddress) -> BindKey?

  /// A notice that a person should receive once.
  package enum Notice: Sendable, Hashable {
    /// There is no key for the data of a device; only for the first such device.
    case keyMissing(BluetoothAddress, name: String?)
    /// The key of a device does not decrypt its data; once for each device.
    case failed(BluetoothAddress, name: String?, DecryptionError)
  }

  /// The sender of an advertisement.
  struct Sender {
    let address: BluetoothAddress
    /// The address behind a private one, if it is known.
    var ownAddress: BluetoothAddress?
    var name: String?

    /// The address that the device never changes, if it is known.
    var lastingAddress: BluetoothAddress { ownAddress ?? address }

    var subject: ProfileSubject {
      ProfileSubject(address: lastingAddress, names: name.map { [$0] } ?? [])
    }
  }

  /// The data of one company or service of one device.
  fileprivate struct Source: Hashable {
    let address: BluetoothAddress
    let owner: AdvertisedData.Sender
  }

  fileprivate struct State {
    var filters: [Source: ReplayFilter] = [:]
    /// The last packet: BlueZ reports it again with each change of the signal strength, and screens are redrawn.
    var last: [Source: AdvertisementReading] = [:]
    var hasMissedKey = false
    var failed: Set<BluetoothAddress> = []
  }

  /// Decodes without keys, and reports nothing.
  package static let plain = AdvertisementDecoder(keys: nil) { _ in }

  /// The maximum number of sources that are remembered: strangers may invent addresses.
  private static let memory = 10_000

  private let keys: Keys?
  private let report: @Sendable (Notice) -> Void
  private let state = Lock(State())

  package init(keys: Keys?, report: @escaping @Sendable (Notice) -> Void) {
    (self.keys, self.report) = (keys, report)
  }

  /// Decodes the manufacturer data, by company identifier, and the service data, by UUID, of a device.
  package func readings(of info: PeripheralInfo) -> [AdvertisementReading] {
    let (context, sender) = (info.advertisement.context, Sender(info))
    return context.data.map { reading(of: $0, in: context, from: sender) }
  }

  /// Decodes one of the data of an advertisement.
  func reading(
    of data: AdvertisedData, in context: AdvertisedContext, from sender: Sender
  ) -> AdvertisementReading {
    let vocabulary = Vocabulary.known
    let subject = vocabulary.profiles.isEmpty ? nil : sender.subject
    let reading = AdvertisementReading(data, in: context, of: subject, vocabulary)
    guard let format = reading.format, format.needsKey, let keys else { return reading }
    return decrypted(data, format, of: sender, keys)
  }

  private func decrypted(
    _ data: AdvertisedData, _ format: any AdvertisedFormat, of sender: Sender, _ keys: Keys
  ) -> AdvertisementReading {
    let source = Source(address: sender.address, owner: data.sender)
    let key = keys(sender.address) ?? sender.ownAddress.flatMap(keys)
    let (reading, notice) = state.withLock { state -> (AdvertisementReading, Notice?) in
      if let last = state.last[source], last.data == data { return (last, nil) }
      let result = state.decrypt(data, format, of: sender, key, source)
      if state.last.count >= Self.memory { (state.last, state.filters) = ([:], [:]) }
      state.last[source] = result.0
      return result
    }
    if let notice { report(notice) }
    return reading
  }
}

extension AdvertisementDecoder.Sender {
  init(_ info: PeripheralInfo) {
    self.init(address: info.address, ownAddress: info.identity?.address, name: info.name)
  }
}

extension AdvertisementDecoder.State {
  mutating func decrypt(
    _ data: AdvertisedData, _ format: any AdvertisedFormat, of sender: AdvertisementDecoder.Sender,
    _ key: BindKey?,
    _ source: AdvertisementDecoder.Source
  ) -> (AdvertisementReading, AdvertisementDecoder.Notice?) {
    do throws(DecryptionError) {
      let decrypted = try AdvertisedFormats.decode(data, from: sender.address, key: key)
      let freshness = decrypted?.counter.map { filters[source, default: ReplayFilter()].judge($0) }
      return (
        AdvertisementReading(
          data: data, format: decrypted?.format ?? format, decryption: .done, freshness: freshness,
          counter: decrypted?.counter), nil
      )
    } catch {
      let reading = AdvertisementReading(
        data: data, format: format, decryption: AdvertisementReading.Decryption(error))
      guard error != .keyMissing else {
        defer { hasMissedKey = true }
        return (reading, hasMissedKey ? nil : .keyMissing(sender.address, name: sender.name))
      }
      let isNews = failed.insert(sender.address).inserted
      return (reading, isNews ? .failed(sender.address, name: sender.name, error) : nil)
    }
  }
}
