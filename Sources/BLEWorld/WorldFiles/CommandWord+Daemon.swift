// SPDX-License-Identifier: MIT
internal import BLEMeaning

extension CommandWord {
  /// Commands for an adapter.
  static let adapterWords = [
    adapter("adapter-off", "Another program switches the adapter off.", .switchOff),
    adapter("adapter-on", "Another program switches the adapter on.", .switchOn),
    adapter("remove-adapter", "The adapter is unplugged.", .remove),
    adapter("add-adapter", "The adapter, or a new one, is plugged in.", .add),
    adapter("block-adapter", "rfkill blocks the radio.", .block),
    adapter("unblock-adapter", "rfkill unblocks the radio; the adapter stays off.", .unblock),
    adapter(
      "release-monitors", "The daemon ends all passive scans.", .releaseMonitors),
    adapter(
      "repeat-adapter", "The daemon signals all properties of the adapter again although none has changed.",
      .repeatProperties),
  ]

  /// Commands for the daemon.
  static let daemonWords = [
    simple("kill-daemon", "The daemon is killed, until \"for\" is over or start-daemon.", .kill),
    simple(
      "stop-daemon",
      "The daemon stops and removes every object, until \"for\" is over or start-daemon.", .stop),
    simple("start-daemon", "The daemon starts again with its stored devices.", .start),
    simple("freeze-daemon", "The daemon hangs: it answers nothing and signals nothing.", .freeze),
    simple("thaw-daemon", "The daemon resumes after a freeze.", .thaw),
    simple(
      "kill-bus", "The bus is killed, and the daemon ends with it, until \"for\" is over or start-bus.",
      .killBus),
    simple("start-bus", "The bus starts again at the same address, and the daemon with it.", .startBus),
    daemon(
      "fail-call",
      "The daemon answers calls of a method with an error. Default: InProgress, as when it is busy.",
      [
        .required("method", \.method, Codec.methodName, "The name of the method."), .anyDevice, .error, .text,
        .times,
      ]
    ) { fields in
      .failCalls(
        CallFault(fields.method, fields.bluezError, device: fields.device, times: fields.times))
    } take: { command, fields in
      guard case .failCalls(let fault) = command else { return false }
      fields.method = fault.method
      fields.bluezError = fault.error
      fields.device = fault.device
      fields.times = fault.times
      return true
    },
    daemon("double-signals", "The daemon sends each signal twice.", [.times]) { fields in
      .doubleSignals(times: fields.times)
    } take: { command, fields in
      guard case .doubleSignals(let times) = command else { return false }
      fields.times = times
      return true
    },
  ]

  private static func simple(_ word: String, _ about: String, _ command: DaemonAction) -> CommandWord {
    daemon(word, about) { _ in
      command
    } take: { other, _ in
      other == command
    }
  }

  /// Commands for another program on the bus.
  static let otherClientWords = [
    otherClient(
      "other-scan", "Another program scans; the daemon merges the filters of all programs.", .adapter,
      [
        Field(
          "services", \.services, Codec<BluetoothUUID>.service.list("an array of services"),
          "Only devices that advertise one of these services."),
        Field("rssi", \.rssi, Codec.integer(-127...20), "The minimum signal strength in dBm."),
        Field("pattern", \.pattern, Codec.plainText("a text"), "The prefix of an address or a name."),
        Field("duplicates", \.duplicates, Codec.flag, "Whether the daemon reports duplicates."),
      ], isUndoable: true
    ) { fields in
      .scan(
        OtherClientFilter(
          services: fields.services, rssi: fields.rssi, pattern: fields.pattern,
          duplicates: fields.duplicates), adapter: fields.adapter)
    } take: { command, fields in
      guard case .scan(let filter, let adapter) = command else { return false }
      fields.adapter = adapter
      fields.services = filter.services
      fields.rssi = filter.rssi
      fields.pattern = filter.pattern
      fields.duplicates = filter.duplicates
      return true
    },
    otherClient("other-stop-scan", "The other program ends its scan.", .adapter) { fields in
      .stopScan(adapter: fields.adapter)
    } take: { command, fields in
      guard case .stopScan(let adapter) = command else { return false }
      fields.adapter = adapter
      return true
    },
    otherClient(
      "other-subscribe", "Another program subscribes to a characteristic (StartNotify).", .characteristic,
      isUndoable: true
    ) { fields in
      fields.reference.map { .subscribe($0) }
    } take: { command, fields in
      guard case .subscribe(let reference) = command else { return false }
      fields.reference = reference
      return true
    },
    otherClient(
      "other-hold",
      "Another program acquires the notifications of a characteristic exclusively (AcquireNotify).",
      .characteristic, isUndoable: true
    ) { fields in
      fields.reference.map { .hold($0) }
    } take: { command, fields in
      guard case .hold(let reference) = command else { return false }
      fields.reference = reference
      return true
    },
    otherClient(
      "other-release", "The other program ends its subscription or releases the characteristic.",
      .characteristic
    ) { fields in
      fields.reference.map { .release($0) }
    } take: { command, fields in
      guard case .release(let reference) = command else { return false }
      fields.reference = reference
      return true
    },
    other("other-agent", "Another program registers a pairing agent.", .registerAgent),
    other("other-no-agent", "The other program unregisters its pairing agent.", .unregisterAgent),
    other("other-leave", "The other program leaves the bus, which ends everything that it started.", .leave),
  ]

  private static func other(_ word: String, _ about: String, _ command: OtherClientAction) -> CommandWord {
    otherClient(word, about, isUndoable: command.undoing != nil) { _ in
      command
    } take: { other, _ in
      other == command
    }
  }
}
