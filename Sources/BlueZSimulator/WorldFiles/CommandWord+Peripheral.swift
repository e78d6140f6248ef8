// SPDX-License-Identifier: MIT

extension CommandWord {
  /// What happens to a peripheral.
  static let peripheralWords = [
    once("drop-link", "The peripheral closes its link.", .dropLink),
    peripheral("vanish", "It goes out of reach: its link breaks, it is not heard.") { _ in
      .vanish
    } take: { command, _ in
      command == .vanish
    },
    peripheral("appear", "It comes into reach.") { _ in
      .appear
    } take: { command, _ in
      command == .appear
    },
    peripheral(
      "set-rssi", "It is heard with another signal strength.",
      [
        .required(
          "rssi", \.rssi, Form.integer(-127...20).optional, "The signal strength in dBm, in the middle.")
      ], isUndoable: false
    ) { fields in
      .setRSSI(fields.rssi ?? 0)
    } take: { command, fields in
      guard case .setRSSI(let strength) = command else { return false }
      fields.rssi = strength
      return true
    },
    once(
      "repeat-device",
      "The daemon tells all properties of the device again; of a device that it does not have, it tells RSSI.",
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
      "hang-connect", "Attempts to connect come to nothing, until the daemon gives up.", [.times]
    ) { fields in
      .hangConnect(times: fields.times)
    } take: { command, fields in
      guard case .hangConnect(let times) = command else { return false }
      fields.times = times
      return true
    },
    peripheral(
      "drop-after-operations", "The peripheral closes each link at so many reads and writes.",
      [.required("operations", \.operations, Form.integer(0...1_000_000), "How many; 0 is never.")]
    ) { fields in
      .dropAfterOperations(fields.operations == 0 ? nil : fields.operations)
    } take: { command, fields in
      guard case .dropAfterOperations(let count) = command else { return false }
      fields.operations = count ?? 0
      return true
    },
    peripheral(
      "drop-after-time", "The peripheral closes each link when it is so old.",
      [.required("time", \.time, Form.duration, "How old; \"0s\" is never.")]
    ) { fields in
      .dropAfterTime(fields.time == .zero ? nil : fields.time)
    } take: { command, fields in
      guard case .dropAfterTime(let time) = command else { return false }
      fields.time = time ?? .zero
      return true
    },
    peripheral(
      "slow-link", "Each packet of its links takes so long, one at a time in each direction.",
      [
        .required(
          "packet_time", \.packetTime, Form.duration.optional, "How long; \"0s\" is no time at all.")
      ]
    ) { fields in
      .slowLink(fields.packetTime)
    } take: { command, fields in
      guard case .slowLink(let time) = command else { return false }
      fields.packetTime = time
      return true
    },
    peripheral("delay-services", "Finding the services takes longer than usual.", [.delay]) { fields in
      .delayServices(fields.delay)
    } take: { command, fields in
      guard case .delayServices(let delay) = command else { return false }
      fields.delay = delay
      return true
    },
    orderServices,
    peripheral(
      "lose-adverts", "Its advertisements are lost: it is not heard and cannot be connected to; a link stays."
    ) { _ in
      .loseAdverts()
    } take: { command, _ in
      command == .loseAdverts()
    },
    peripheral("lose-names", "What is heard of it comes without the name.", [.times]) { fields in
      .loseNames(times: fields.times)
    } take: { command, fields in
      guard case .loseNames(let times) = command else { return false }
      fields.times = times
      return true
    },
    once("heal", "Takes back all that stands against the peripheral and its characteristics.", .heal),
  ]

  private static func once(_ word: String, _ about: String, _ command: PeripheralCommand) -> CommandWord {
    peripheral(word, about, isUndoable: false) { _ in
      command
    } take: { other, _ in
      other == command
    }
  }

  private static let orderServices = peripheral(
    "order-services", "In which order the daemon tells of the services and that they are resolved.",
    [
      .required(
        "order", \.order, Form.words(ServiceOrderWord.allCases.map { ($0.rawValue, $0) }),
        "The order; objects_first is the usual one."),
      Key("by", \.delay, Form.duration, "How late the objects come, in the order objects_late."),
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
