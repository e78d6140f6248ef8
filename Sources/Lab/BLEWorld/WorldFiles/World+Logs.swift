// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// The logs that a world replays.
extension World {
  /// Reads a log by its path.
  typealias LogReader = (String) throws(WorldFileError) -> [UInt8]

  mutating func loadLogs(_ root: JSONNode, _ load: LogReader) throws(JSONError) {
    var mistakes = JSONMistakes()
    for (first, peripheral) in peripherals.enumerated() {
      let node = root.at("peripherals/\(first)")
      peripherals[first].advertisement.loadLogs(
        of: peripheral.address, node.at("advertisement"), load, &mistakes)
      for (second, service) in peripheral.services.enumerated() {
        for (third, characteristic) in service.characteristics.enumerated() {
          guard case .replay(var recording) = characteristic.notifying else { continue }
          let node = node.at("services/\(second)/characteristics/\(third)/notifies/replay")
          let wanted = recording.characteristic ?? characteristic.uuid
          recording.samples =
            mistakes.collect { () throws(JSONError) in
              try Self.samples(recording.path, "values of \(wanted)", node, load) {
                log throws(JSONError) in
                try Recording.samples(in: log, of: wanted)
              }
            } ?? []
          peripherals[first].services[second].characteristics[third].notifying = .replay(recording)
        }
      }
    }
    try mistakes.rethrow()
  }

  fileprivate static func samples(
    _ path: String, _ wanted: String, _ node: JSONNode, _ load: LogReader,
    _ read: ([UInt8]) throws(JSONError) -> [Recording.Sample]
  ) throws(JSONError) -> [Recording.Sample] {
    let log: [UInt8]
    do throws(WorldFileError) { log = try load(path) } catch { throw JSONError(node, "\(error)") }
    let samples: [Recording.Sample]
    do throws(JSONError) {
      samples = try read(log)
    } catch {
      throw JSONError(node, "expected a log of JSON records: \(path):\(error)")
    }
    guard !samples.isEmpty else {
      throw JSONError(node, "expected a log with \(wanted), found none in \(path)")
    }
    return samples
  }
}

extension AdvertisementSpec {
  fileprivate mutating func loadLogs(
    of address: String, _ node: JSONNode, _ load: World.LogReader, _ mistakes: inout JSONMistakes
  ) {
    // The members are in the order of the entries.
    for (index, data) in manufacturerData.enumerated() {
      let place = node.at("manufacturer_data").members.map { $0[index].value } ?? node
      manufacturerData[index].changes?.loadLog(
        .company(data.company), of: address, place.at("replay"), load, &mistakes)
    }
    for (index, data) in serviceData.enumerated() {
      let place = node.at("service_data").members.map { $0[index].value } ?? node
      serviceData[index].changes?.loadLog(
        .service(data.service), of: address, place.at("replay"), load, &mistakes)
    }
  }
}

extension AdvertisedChanges {
  fileprivate mutating func loadLog(
    _ sender: AdvertisedData.Sender, of address: String, _ node: JSONNode, _ load: World.LogReader,
    _ mistakes: inout JSONMistakes
  ) {
    guard case .replay(var recording) = self else { return }
    let wanted = recording.address ?? address
    let words =
      switch sender {
      case .company(let company): "manufacturer data \(company.fourDigits)"
      case .service(let service): "service data \(service)"
      }
    recording.samples =
      mistakes.collect { () throws(JSONError) in
        try World.samples(recording.path, "\(words) of \(wanted)", node, load) { log throws(JSONError) in
          try AdvertisedRecording.samples(in: log, of: sender, from: wanted)
        }
      } ?? []
    self = .replay(recording)
  }
}
