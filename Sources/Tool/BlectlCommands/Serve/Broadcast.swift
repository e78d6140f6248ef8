// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEPeripheral
package import BLEWorld
package import BlectlSession
internal import PeripheralEmulator
internal import TerminalOutput
internal import ValueStreams

/// An advertisement from its start to its end, and the reports about it; runs on the loop.
package final class Broadcast {
  private let manager: PeripheralManager
  private let advertisement: Advertisement
  private let contents: ChangingAdvertisement?
  private let outputs: StreamOutputs
  private let context: CommandContext
  /// The adapter that sends it; nil while none does.
  private var adapter: String?

  /// Needs a manager that advertises nothing else.
  package init(
    _ advertisement: Advertisement, by manager: PeripheralManager, outputs: StreamOutputs,
    context: CommandContext
  ) {
    (self.advertisement, self.manager, self.outputs) = (advertisement, manager, outputs)
    (self.context, contents) = (context, nil)
  }

  /// Advertises what a peripheral of a world does, and changes it as time passes.
  package init(
    _ peripheral: PeripheralSpec, by manager: PeripheralManager, outputs: StreamOutputs,
    context: CommandContext
  ) async {
    (self.manager, self.outputs, self.context) = (manager, outputs, context)
    let contents = ChangingAdvertisement(peripheral, from: await manager.adapterAddress, on: context.loop)
    let fitted = TruncatedAdvertisement(contents.current, isChanging: peripheral.advertisement.isChanging)
    for remark in fitted.remarks { context.remark("blectl: \(remark)") }
    (advertisement, self.contents) = (fitted.advertisement, contents)
  }

  /// Advertises until the time is over or the task is cancelled; the library restarts it after an outage.
  package func run(for duration: Duration?) async throws {
    let events = await manager.events()
    let advertising = try await manager.startAdvertising(advertisement, timeout: context.timeout)
    started(on: await manager.adapterName(of: advertising) ?? "", isFirst: true)
    sendChanges(of: advertising)
    defer { contents?.stop() }
    do {
      let following = context.loop.confinedWork { [self] in
        for try await event in events { try await follow(event.kind, advertising) }
      }
      try await context.loop.limited(to: duration, following)
    } catch let error as BLEError where error.code != .cancelled {
      ended(error.code == .busUnavailable ? .busUnavailable : .refused)
      throw error
    }
    ended(Task.isCancelled ? .interrupted : .duration)
  }

  /// Sends what changes as time passes.
  private func sendChanges(of advertising: Advertising) {
    contents?.start { [manager, context] contents in
      let changed = TruncatedAdvertisement(contents, isChanging: true).advertisement
      do {
        try manager.assumeIsolated { try $0.update(advertising, to: changed) }
      } catch {
        context.console.warn("\(error)")
      }
    }
  }

  private func follow(_ event: PeripheralEvent.Kind, _ advertising: Advertising) async throws {
    switch event {
    case .state(let state):
      if let reason = AdvertisingEnd(state) { return ended(reason) }
      await lookAgain(advertising)
    case .advertisingStarted(advertising): await lookAgain(advertising)
    case .failed(let error): throw error
    default: break
    }
  }

  /// Reports the adapter that sends it now, if it changed.
  private func lookAgain(_ advertising: Advertising) async {
    guard let name = await manager.adapterName(of: advertising) else { return }
    guard name != adapter else { return }
    if adapter != nil { ended(.adapterRemoved) }
    started(on: name, isFirst: false)
  }

  // MARK: Reports

  private func started(on name: String, isFirst: Bool) {
    adapter = name
    report(.started(advertisement), on: name)
    context.remark(
      isFirst
        ? "advertising on \(name): \(summary); press Ctrl-C to stop" : "advertising again on \(name)")
  }

  /// Reports the end, unless it is not on the air.
  private func ended(_ reason: AdvertisingEnd) {
    guard let name = adapter else { return }
    adapter = nil
    report(.ended(reason), on: name)
    switch reason {
    case .duration, .interrupted, .busUnavailable, .refused: break
    case .serviceUnavailable, .poweredOff, .blocked, .adapterRemoved:
      context.remark("not advertising on \(name): \(reason.text); waiting for its return")
    }
  }

  private func report(_ event: AdvertisingRecord.Event, on name: String) {
    outputs.report(LoggedRecord(AdvertisingRecord(event: event, adapter: name), about: .adapter(name)))
  }

  /// Describes the advertised data for people.
  private var summary: String {
    let context = advertisement.context
    var parts = context.data.map { AdvertisementReading($0, in: context).text }
    if let name = advertisement.name { parts.append("name \(name)") }
    // Services with data are named with the data.
    let services = advertisement.services.filter { advertisement.serviceData[$0] == nil }
      .map { Vocabulary.known.name(ofService: $0) ?? "\($0)" }
    if !services.isEmpty { parts.append("services \(services.joined(separator: ", "))") }
    return parts.isEmpty ? "nothing but its address" : parts.joined(separator: " · ")
  }
}
