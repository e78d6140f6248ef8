// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
package import BlectlArguments
internal import TerminalOutput
package import ValueStreams

/// The values that devices advertise, on their way to the outputs.
package final class AdvertisedStream: Sendable {
  private let devices: [DeviceArgument]
  /// True if it is an error if none of the devices is heard in the time.
  private let mustHear: Bool
  private let selection: AdvertisedSelection
  private let reception: Reception
  private let left: RemainingValues
  private let time: CollectingTime?
  private let outputs: StreamOutputs
  private let context: CommandContext
  private let absence = Lock<CommandError?>(nil)
  private let hasListened = Lock(false)

  /// `devices` are those wanted, all if there are none, and with `mustHear` one of them must be heard; `left` is how many values, and a nil `time` sets no limit.
  package init(
    _ devices: [DeviceArgument], mustHear: Bool, _ selection: AdvertisedSelection, over reception: Reception,
    left: RemainingValues, time: CollectingTime?, outputs: StreamOutputs, context: CommandContext
  ) {
    (self.devices, self.mustHear, self.selection, self.reception) = (devices, mustHear, selection, reception)
    (self.left, self.time, self.outputs, self.context) = (left, time, outputs, context)
  }

  /// Listens until enough values have come, or Bluetooth is away for good.
  package func run() async throws {
    let values = AdvertisedValues(selection, context.decoder)
    var unheard = Set(devices.indices)
    var names: Set<String> = []
    // It also ends waiting for Bluetooth.
    time?.begin()
    try await reception.run { [hasListened, outputs] record in
      if [.started, .resumed].contains(record.event) { hasListened.exchange(true) }
      outputs.send(.reception(record))
    } _: { events in
      for event in events where event.kind != .lost {
        if !unheard.isEmpty {
          for index in unheard where devices[index].rank(of: event.info) != nil { unheard.remove(index) }
          if names.count < Self.mostNames, let name = event.info.name { names.insert(name) }
        }
        guard isWanted(event.info) else { continue }
        let batches = values.values(of: event.info, at: event.time)
        // The others are not sensors, unless they were named.
        if !devices.isEmpty || values.hasValues {
          outputs.heard(HeardDevice(event.info), at: event.time)
        }
        for batch in batches {
          guard left.take(1) == 1 else { return false }
          outputs.send(.values(batch))
        }
      }
      if left.isOver { return false }
      outputs.pace()
      return true
    }
    // Others may come when enough values have come.
    if left.isOver { return }
    let absent = unheard.sorted().map { devices[$0] }
    guard mustHear, let first = absent.first, absent.count == devices.count, time?.isOver == true else {
      for device in absent {
        context.console.warn("\(device) was not heard\(device.advice(among: names))")
      }
      return
    }
    let finding = "it was not heard before the end of --duration"
    absence.exchange(.absence(of: first, finding, nearNames: first.advice(among: names)))
  }

  /// - Throws: ``CommandError`` if nothing could be heard in the time, or a device was not that must be.
  package func requireHeard() throws(CommandError) {
    if time?.isOver == true { try Reception.require(hasListened.withLock(\.self)) }
    if let absence = absence.withLock(\.self) { throw absence }
  }

  /// The number of names that are remembered for advice.
  private static let mostNames = 256

  private func isWanted(_ info: PeripheralInfo) -> Bool {
    devices.isEmpty || devices.contains { $0.rank(of: info) != nil }
  }
}
