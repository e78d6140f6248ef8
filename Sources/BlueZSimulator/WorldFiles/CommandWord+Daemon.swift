// SPDX-License-Identifier: MIT

extension CommandWord {
  /// What happens to an adapter.
  static let adapterWords = [
    adapter("adapter-off", "Another program switches the adapter off.", .switchOff),
    adapter("adapter-on", "Another program switches the adapter on.", .switchOn),
    adapter("remove-adapter", "The adapter is unplugged.", .remove),
    adapter("add-adapter", "The adapter is plugged in again, or a new one is.", .add),
    adapter("block-adapter", "rfkill blocks the radio.", .block),
    adapter("unblock-adapter", "rfkill lets the radio go; the adapter stays off.", .unblock),
    adapter(
      "release-monitors", "The daemon gives up all passive scans.", .releaseMonitors, isUndoable: false),
    adapter(
      "repeat-adapter", "The daemon tells all properties of the adapter again though none has changed.",
      .repeatProperties, isUndoable: false),
  ]

  /// What happens to the daemon.
  static let daemonWords = [
    simple("kill-daemon", "The daemon dies without a word; for a while, or until start-daemon.", .kill),
    simple(
      "stop-daemon",
      "The daemon ends in order, taking back every object; for a while, or until start-daemon.", .stop),
    simple("start-daemon", "The daemon starts again, with what it had stored.", .start),
    simple("freeze-daemon", "The daemon hangs: nothing is answered, nothing is told.", .freeze),
    simple("thaw-daemon", "The daemon goes on where it hung.", .thaw),
    daemon(
      "fail-call",
      "The daemon answers calls of a method with an error, as it does when it is busy: InProgress, if no other.",
      [
        .required("method", \.method, Form.methodName, "The name of the method."), .anyDevice, .error, .text,
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
    daemon("double-signals", "Each signal of the daemon comes twice.", [.times]) { fields in
      .doubleSignals(times: fields.times)
    } take: { command, fields in
      guard case .doubleSignals(let times) = command else { return false }
      fields.times = times
      return true
    },
  ]

  private static func simple(_ word: String, _ about: String, _ command: DaemonCommand) -> CommandWord {
    daemon(word, about) { _ in
      command
    } take: { other, _ in
      other == command
    }
  }

  /// What another program does.
  static let otherClientWords = [
    otherClient(
      "other-scan", "Another program scans; the daemon merges its filter with that of others.", .adapter,
      [
        Key(
          "services", \.services, Form<AttributeUUID>.service.list("an array of services"),
          "Of which one is advertised."),
        Key("rssi", \.rssi, Form.integer(-127...20), "The weakest signal in dBm."),
        Key("pattern", \.pattern, Form.plainText("a text"), "What an address or a name begins with."),
        Key("duplicates", \.duplicates, Form.flag, "Whether each report is told."),
      ], isUndoable: true
    ) { fields in
      .scan(
        OtherFilter(
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
      "other-hold", "Another program takes the notifications of a characteristic for itself (AcquireNotify).",
      .characteristic, isUndoable: true
    ) { fields in
      fields.reference.map { .hold($0) }
    } take: { command, fields in
      guard case .hold(let reference) = command else { return false }
      fields.reference = reference
      return true
    },
    otherClient(
      "other-release", "The other program ends its subscription, or lets go of what it holds.",
      .characteristic
    ) { fields in
      fields.reference.map { .release($0) }
    } take: { command, fields in
      guard case .release(let reference) = command else { return false }
      fields.reference = reference
      return true
    },
    other("other-agent", "Another program answers questions of pairing.", .registerAgent, isUndoable: true),
    other("other-no-agent", "The other program does so no longer.", .unregisterAgent),
    other("other-leave", "The other program leaves the bus: all that it began ends.", .leave),
  ]

  private static func other(
    _ word: String, _ about: String, _ command: OtherClientCommand, isUndoable: Bool = false
  ) -> CommandWord {
    otherClient(word, about, isUndoable: isUndoable) { _ in
      command
    } take: { other, _ in
      other == command
    }
  }
}
