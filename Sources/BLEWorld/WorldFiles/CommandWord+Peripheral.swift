// SPDX-License-Identifier: MIT

extension CommandWord {
  /// Commands for a peripheral.
  static let peripheralWords = [
    fixed("drop-link", "The peripheral closes its link.", .dropLink),
    fixed(
      "vanish", "The peripheral goes out of range: its link breaks and its advertisements stop.", .vanish),
    fixed("appear", "The peripheral comes into range.", .appear),
    peripheral(
      "set-rssi", "Changes the average signal strength.",
      [
        .required(
          "rssi", \.rssi, Codec.integer(-127...20).optional, "The average signal strength in dBm.")
      ], isUndoable: false
    ) { fields in
      .setRSSI(fields.rssi ?? 0)
    } take: { command, fields in
      guard case .setRSSI(let strength) = command else { return false }
      fields.rssi = strength
      return true
    },
    fixed("forget-bonds", "The peripheral loses its bonds; its link stays.", .forgetBonds),
    peripheral(
      "type-passkey",
      "The user of the peripheral types a passkey: at once if it waits for one, else when it next asks.",
      [.required("passkey", \.passkey, Codec.passkey.optional, "The passkey.")], isUndoable: false
    ) { fields in
      .typePasskey(fields.passkey ?? 0)
    } take: { command, fields in
      guard case .typePasskey(let passkey) = command else { return false }
      fields.passkey = passkey
      return true
    },
    fixed(
      "ask-security", "The peripheral asks for an encrypted link, so that the daemon pairs.", .askForSecurity),
    fixed(
      "repeat-device",
      "The daemon signals all properties of the device again; of an unknown device, it signals RSSI.",
      .repeatProperties),
    peripheral(
      "refuse-connect", "Attempts to connect fail.", [.times, .error, .text]
    ) { fields in
      fields.bluezError.map { .refuseConnect(times: fields.times, $0) } ?? .refuseConnect(times: fields.times)
    } take: { command, fields in
      guard case .refuseConnect(let times, let error) = command else { return false }
      fields.times = times
      fields.bluezError = error
      return true
    },
    peripheral(
      "hang-connect", "Attempts to connect hang until the daemon gives up.", [.times]
    ) { fields in
      .hangConnect(times: fields.times)
    } take: { command, fields in
      guard case .hangConnect(let times) = command else { return false }
      fields.times = times
      return true
    },
    peripheral(
      "drop-after-operations", "The peripheral closes each link after a number of reads and writes.",
      [.required("operations", \.operations, Codec.integer(0...1_000_000), "The number; 0 is never.")]
    ) { fields in
      .dropAfterOperations(fields.operations == 0 ? nil : fields.operations)
    } take: { command, fields in
      guard case .dropAfterOperations(let count) = command else { return false }
      fields.operations = count ?? 0
      return true
    },
    peripheral(
      "drop-after-time", "The peripheral closes each link after some time.",
      [.required("time", \.time, Codec.duration, "The time; \"0s\" is never.")]
    ) { fields in
      .dropAfterTime(fields.time == .zero ? nil : fields.time)
    } take: { command, fields in
      guard case .dropAfterTime(let time) = command else { return false }
      fields.time = time ?? .zero
      return true
    },
    peripheral(
      "slow-link", "Slows the links down to one packet at a time in each direction.",
      [
        .required(
          "packet_time", \.packetTime, Codec.duration.optional, "The time per packet; \"0s\" is no delay.")
      ]
    ) { fields in
      .slowLink(fields.packetTime)
    } take: { command, fields in
      guard case .slowLink(let time) = command else { return false }
      fields.packetTime = time
      return true
    },
    peripheral("delay-services", "Service discovery takes longer.", [.delay]) { fields in
      .delayServices(fields.delay)
    } take: { command, fields in
      guard case .delayServices(let delay) = command else { return false }
      fields.delay = delay
      return true
    },
    orderServices,
    fixed(
      "lose-adverts",
      "Advertisements are lost: the peripheral cannot be found or connected to. An open link stays.",
      .loseAdverts()),
    peripheral("lose-names", "Its advertisements arrive without the name.", [.times]) { fields in
      .loseNames(times: fields.times)
    } take: { command, fields in
      guard case .loseNames(let times) = command else { return false }
      fields.times = times
      return true
    },
    fixed("heal", "Ends all faults of the peripheral and its characteristics.", .heal),
  ]

  /// A command without keys of its own.
  private static func fixed(_ word: String, _ about: String, _ command: PeripheralAction) -> CommandWord {
    peripheral(word, about, isUndoable: command.undoing != nil) { _ in
      command
    } take: { other, _ in
      other == command
    }
  }

  private static let orderServices = peripheral(
    "order-services", "The order in which the daemon exports the services and sets ServicesResolved.",
    [
      .required(
        "order", \.order, Codec.words(ServiceOrderWord.allCases.map { ($0.rawValue, $0) }),
        "The order; the normal one is objects_first."),
      Field("by", \.delay, Codec.duration, "The delay of the objects with objects_late."),
    ]
  ) { fields in
    switch fields.order {
    case .objectsFirst: .orderServices(.objectsFirst)
    case .resolvedFirst: .orderServices(.resolvedFirst)
    case .objectsLate: .orderServices(.objectsLate(fields.delay))
    }
  } take: { command, fields in
    guard case .orderServices(let order) = command else { return false }
    switch order {
    case .objectsFirst: fields.order = .objectsFirst
    case .resolvedFirst: fields.order = .resolvedFirst
    case .objectsLate(let delay):
      fields.order = .objectsLate
      fields.delay = delay
    }
    return true
  }
}

extension CommandWord {
  /// Commands for a characteristic.
  static let characteristicWords = [
    characteristic(
      "set-value", "Sets the value and notifies subscribed clients.",
      [.required("value", \.value, Codec.value, "The value.")], isUndoable: false
    ) { fields in
      .setValue(fields.value)
    } take: { command, fields in
      guard case .setValue(let value) = command else { return false }
      fields.value = value
      return true
    },
    simple(
      "repeat-characteristic", "The daemon signals all its properties again although none has changed.",
      .repeatProperties),
    characteristic("slow-answer", "Requests are answered late.", [.delay, .operation, .times]) { fields in
      .answer(AnswerFault(.late(fields.delay), to: fields.operation, times: fields.times))
    } take: { command, fields in
      guard case .answer(let fault) = command, case .late(let delay) = fault.answer else { return false }
      fields.delay = delay
      fields.take(fault)
      return true
    },
    characteristic("no-answer", "Requests are never answered.", [.operation, .times]) { fields in
      .answer(AnswerFault(.never, to: fields.operation, times: fields.times))
    } take: { command, fields in
      guard case .answer(let fault) = command, case .never = fault.answer else { return false }
      fields.take(fault)
      return true
    },
    characteristic(
      "att-error", "Requests are answered with an ATT error.",
      [.required("code", \.code, Codec.attError, "The error code."), .operation, .times]
    ) { fields in
      .answer(AnswerFault(.error(fields.code), to: fields.operation, times: fields.times))
    } take: { command, fields in
      guard case .answer(let fault) = command, case .error(let code) = fault.answer else { return false }
      fields.code = code
      fields.take(fault)
      return true
    },
    simple("heal-characteristic", "Requests are answered normally again.", .heal),
  ]

  /// A command without keys of its own.
  private static func simple(_ word: String, _ about: String, _ command: CharacteristicAction) -> CommandWord
  {
    characteristic(word, about, isUndoable: false) { _ in
      command
    } take: { other, _ in
      other == command
    }
  }
}

extension CommandObject {
  /// Sets the keys that all answer faults share.
  fileprivate mutating func take(_ fault: AnswerFault) {
    operation = fault.operation
    times = fault.times
  }
}
