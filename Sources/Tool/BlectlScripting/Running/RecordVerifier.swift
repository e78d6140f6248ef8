// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import ValueStreams

/// Checks a script against the record of devices, without Bluetooth.
struct RecordVerifier {
  let records: DeviceRecords
  let plan: ScriptPlan
  let context: CommandContext

  /// Checks the script against the record of each device that matches.
  ///
  /// - Throws: ``CommandError`` if the record has no such device.
  func run(_ wanted: DeviceArgument) async throws -> CommandError? {
    var results: [(device: String, failure: CommandError?)] = []
    let matching = records.devices.filter { address, device in
      wanted.rank(of: RecordedCandidate(address: address, name: device.name)) != nil
    }
    for (address, device) in matching.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      let title = matching.count == 1 ? wanted.title(of: address) : nil
      let recorded = RecordedDevice(
        device.events, of: ProfileSubject(address: address, name: device.name))
      let failure = try await plan.repeated(
        on: recorded, "\(address)", named: title, context.options, context.console)
      results.append(("\(address)", failure))
    }
    if results.isEmpty {
      let known = records.devices.keys.map { "\($0)" }.sorted()
      throw CommandError(
        status: .notFound, message: "cannot find \(wanted) in the record", details: known)
    }
    return results.count == 1 ? results[0].failure : ScriptRunner.summary(results)
  }
}

private struct RecordedCandidate: DeviceCandidate {
  let address: BluetoothAddress
  let name: String?
  var rssi: Int? { nil }
}
