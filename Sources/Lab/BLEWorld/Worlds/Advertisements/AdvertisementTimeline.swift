// SPDX-License-Identifier: MIT
package import BLEFormats

/// The contents of an advertisement as time passes.
package struct AdvertisementTimeline {
  /// The contents now, without rules for changes.
  package private(set) var current: AdvertisementSpec
  /// The time of the next change, counted from the start; nil if the contents stay the same.
  package private(set) var nextChange: Duration?
  private var tracks: [Track]

  /// Starts at the first values; beacons need the address that sends them.
  package init(_ spec: AdvertisementSpec, from address: BluetoothAddress?) {
    current = spec
    current.beacons = []
    tracks =
      spec.manufacturerData.compactMap { data in
        data.changes.map { Track(.bytes(AdvertisedSequence($0), .company(data.company))) }
      }
      + spec.serviceData.compactMap { data in
        data.changes.map { Track(.bytes(AdvertisedSequence($0), .service(data.service))) }
      }
    if let address {
      tracks += spec.beacons.map { beacon in
        Track(.beacon(BeaconSequence(beacon, from: address), beacon.isChanging ? beacon.interval : nil))
      }
    }
    for index in current.manufacturerData.indices { current.manufacturerData[index].changes = nil }
    for index in current.serviceData.indices { current.serviceData[index].changes = nil }
    for service in spec.beacons.flatMap(\.format.announcedServices)
    where !current.services.contains(service) {
      current.services.append(service)
    }
    advance(to: .zero)
  }

  /// Moves on to the contents at a time, and returns whether they differ from those before.
  @discardableResult
  package mutating func advance(to time: Duration) -> Bool {
    if let nextChange, nextChange > time { return false }
    guard !tracks.isEmpty else { return false }
    var isChanged = false
    for index in tracks.indices {
      while let end = tracks[index].end, end <= time {
        guard let data = tracks[index].next() else { continue }
        isChanged = current.set(data) || isChanged
      }
    }
    nextChange = tracks.compactMap(\.end).min()
    return isChanged
  }

  /// One of the data that changes.
  private struct Track {
    enum Source {
      case bytes(AdvertisedSequence, AdvertisedData.Sender)
      case beacon(BeaconSequence, Duration?)
    }

    private var source: Source
    /// The start of the next value; nil if none follows.
    private(set) var end: Duration? = .zero

    init(_ source: Source) { self.source = source }

    /// Returns the next value; nil if there is none, or if a beacon cannot be encoded.
    mutating func next() -> AdvertisedData? {
      let start = end ?? .zero
      switch source {
      case .bytes(var sequence, let sender):
        guard let (bytes, duration) = sequence.next() else {
          end = nil
          return nil
        }
        source = .bytes(sequence, sender)
        end = duration.map { start + $0 }
        return AdvertisedData(bytes, of: sender)
      case .beacon(var sequence, let interval):
        let data = try? sequence.next()
        source = .beacon(sequence, interval)
        end = interval.map { start + $0 }
        return data
      }
    }
  }
}

extension AdvertisementSpec {
  /// Replaces data of the same company or service, or adds it; returns whether that changed anything.
  fileprivate mutating func set(_ data: AdvertisedData) -> Bool {
    switch data {
    case .manufacturer(let company, let bytes):
      if let index = manufacturerData.firstIndex(where: { $0.company == company }) {
        defer { manufacturerData[index].bytes = bytes }
        return manufacturerData[index].bytes != bytes
      }
      manufacturerData.append(.init(company: company, bytes: bytes))
    case .service(let service, let bytes):
      if let index = serviceData.firstIndex(where: { $0.service == service }) {
        defer { serviceData[index].bytes = bytes }
        return serviceData[index].bytes != bytes
      }
      serviceData.append(.init(service: service, bytes: bytes))
    }
    return true
  }
}
