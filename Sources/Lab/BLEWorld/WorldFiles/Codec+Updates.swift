// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension Codec<SMPSpec?> {
  private static let expectedServer = "true, false or an object"

  /// A server with every default is `true`; none is `false`.
  static let smpServer: Codec<SMPSpec?> = Codec(
    expectedServer, .any([.flag, ObjectCodec<SMPSpec>.smp.codec.schema])
  ) { node throws(JSONError) in
    if case .bool(let isThere) = node.content { return isThere ? SMPSpec() : nil }
    guard node.members != nil else { throw node.mismatch(expectedServer) }
    return try ObjectCodec<SMPSpec>.smp.read(node)
  } write: { server, json in
    if let server, server != SMPSpec() {
      ObjectCodec<SMPSpec>.smp.codec.write(server, &json)
    } else {
      json.value(server != nil)
    }
  }
}

extension ObjectCodec<SMPSpec> {
  static let smp = ObjectCodec(
    "smp", "an SMP server", defaults: SMPSpec(),
    [
      Field(
        "version", \.version, .imageVersion,
        "The version of the firmware that runs at first. Default: \"1.0.0\"."),
      Field("images", \.images, .integer(1...4), "The number of images, each with two slots. Default: 1."),
      Field(
        "active_images", \.activeImages, .words(SMPSpec.ActiveImages.allCases.map { ($0.rawValue, $0) }),
        "The images that it marks as running: each, or that of the application alone, as Zephyr up to 3.4 does. Default: \"each\"."
      ),
      Field(
        "slot_size", \.slotSize, .integer(4096...(16 << 20)), "The size of a slot in bytes. Default: 491520."),
      Field(
        "mode", \.mode, .words(SMPSpec.Mode.allCases.map { ($0.rawValue, $0) }),
        "The way in which the boot loader takes new firmware. Default: \"swap-move\"."),
      Field(
        "security", \.security, .security, "The security that the link must have. Default: \"none\"."),
      Field(
        "params", \.parameters, .words(SMPSpec.Parameters.allCases.map { ($0.rawValue, $0) }),
        "The answer to the question for its buffers. Default: \"answered\"."),
      Field(
        "buf_size", \.bufferSize, .integer(64...0xFFFF),
        "The size of a buffer, which holds a packet with its header. Default: 2475."),
      Field("buf_count", \.bufferCount, .integer(1...64), "The number of buffers. Default: 4."),
      Field(
        "reassembles", \.reassembles, .flag,
        "Whether a packet may have several writes; otherwise each write is a packet. Default: true."),
      Field(
        "protocol", \.protocolVersion, .integer(1...2),
        "The version of the protocol that it speaks. Default: 2."),
      Field(
        "indefinite_maps", \.hasIndefiniteMaps, .flag,
        "Whether the maps in its answers do not tell their sizes. Default: false."),
      Field(
        "tells_bootloader", \.tellsBootloader, .flag,
        "Whether it answers questions about its boot loader. Default: true."),
      Field("restart_time", \.restartTime, .duration, "The time that a restart takes. Default: \"500ms\"."),
      Field(
        "swap_time", \.swapTime, .duration,
        "The time that a restart takes longer if the boot loader copies firmware. Default: \"1s\"."),
      Field("erase_time", \.eraseTime, .duration, "The time that erasing a slot takes. Default: \"0s\"."),
      Field("write_time", \.writeTime, .duration, "The time that storing a packet takes. Default: \"0s\"."),
      Field(
        "new_firmware", \.newFirmware, .words(SMPSpec.NewFirmware.allCases.map { ($0.rawValue, $0) }),
        "What new firmware does: it waits to be confirmed, confirms itself, hangs, or is rejected by the boot loader. Default: \"waits\"."
      ),
      Field(
        "moves_by", \.movesBy, .integer(0...1000),
        "The number of handles by which the services of new firmware move. Default: 0."),
      .reportsChangeAfter(\.reportsChangeAfter),
      Field(
        "shell", \.shell, Codec<[NamedText]>.textsByName("an object of answers by their commands").optional,
        "The answers to shell commands. Default: no shell."),
      Field(
        "files", \.files, Codec<[NamedBytes]>.bytesByName("an object of contents by their paths").optional,
        "The contents of its files. Default: no file system."),
      Field(
        "settings", \.settings,
        Codec<[NamedBytes]>.bytesByName("an object of values by their names").optional,
        "Its settings. Default: none, and no such commands."),
      Field(
        "stats", \.statistics, Codec<[NamedCounters]>.statistics.optional,
        "Its groups of counters. Default: none, and no such commands."),
      Field(
        "faults", \.faults, ObjectCodec<SMPSpec.Faults>.smpFaults.codec, "What goes wrong. Default: nothing."),
    ])
}

extension ObjectCodec<SMPSpec.Faults> {
  fileprivate static let smpFaults = ObjectCodec(
    "smp_faults", "what goes wrong with an SMP server", defaults: SMPSpec.Faults(), transfer + own)

  private static let transfer: [Field<SMPSpec.Faults>] = Field<TransferFaults>.all.map {
    $0.lifted(\.transfer)
  }

  private static let own: [Field<SMPSpec.Faults>] = [
    Field(
      "busy_every", \.busyEvery, Codec<Int>.integer(2...1_000_000),
      "Each so many packets of an upload are refused as busy. Default: none."),
    Field(
      "forgets_upload", \.forgetsUpload, .flag,
      "Whether an upload begins again after a lost link. Default: false."),
    Field(
      "refuse_upload", \.refusesUpload, .imageError,
      "The code of group 1 with which each upload is refused. Default: none."),
    Field(
      "refuse_test", \.refusesTest, .imageError,
      "The code of group 1 with which a test is refused. Default: none."),
    Field(
      "refuse_confirm", \.refusesConfirm, .imageError,
      "The code of group 1 with which a confirmation is refused. Default: none."),
    Field(
      "refuse_reset", \.refusesReset, .flag,
      "Whether a reset without force is refused as busy. Default: false."),
  ]
}

extension Codec<Int> {
  fileprivate static let imageError = integer(1...255)
}

extension ObjectCodec<DFUSpec> {
  static let dfu = ObjectCodec(
    "dfu", "an update by a boot loader of Nordic's", defaults: DFUSpec(.secure),
    [
      .required(
        "kind", \.kind, .words(DFUSpec.Kind.allCases.map { ($0.rawValue, $0) }),
        "The protocol: Secure DFU or Legacy DFU."),
      Field(
        "version", \.version, .text("a version", atMost: 64),
        "The version of the firmware that runs at first. Default: \"1.0.0\"."),
      Field(
        "new_version", \.newVersion, Codec<String>.text("a version", atMost: 64),
        "The version after an update. Default: that of the init packet, where 10203 is 1.2.3."),
      Field(
        "jump", \.jumps, .flag,
        "Whether a boot loader takes the firmware, or the running firmware itself. Default: true."),
      Field(
        "buttonless", \.buttonless, .words(DFUSpec.Buttonless.allCases.map { ($0.rawValue, $0) }),
        "The characteristic with which Secure DFU jumps: without bonds, with bonds, or that of SDK 12. Default: \"plain\"."
      ),
      Field(
        "address", \.hasNextAddress, Codec<Bool>.words([("same", false), ("next", true)]),
        "The address of the boot loader: that of the application, or the one after it. Default: \"next\", or \"same\" with bonds."
      ),
      Field(
        "starts_in_bootloader", \.startsInBootloader, .flag,
        "Whether the boot loader runs at the start, as after an update that failed. Default: false."),
      Field(
        "bootloader_name", \.bootloaderName, .text("a name", atMost: 29),
        "The name that the boot loader advertises. Default: \"DfuTarg\"."),
      Field(
        "mtu", \.mtu, Codec<UInt16>.integer(23...517),
        "The largest ATT MTU that the boot loader accepts. Default: that of the peripheral."),
      Field(
        "object_size", \.objectSize, .integer(256...65536),
        "The largest size of an object of firmware in bytes. Default: 4096."),
      Field(
        "checks_init", \.checksInit, .flag,
        "Whether the init packet has to be right for the firmware. Default: true."),
      Field("restart_time", \.restartTime, .duration, "The time that a restart takes. Default: \"500ms\"."),
      Field(
        "idle_time", \.idleTime, .duration,
        "The time after which a boot loader that nothing arrives at starts the application, if it has kept that. Default: \"2m\"."
      ),
      Field(
        "flash_time", \.flashTime, .duration,
        "The time that erasing the flash takes: packets that come within it are lost, or the sizes are answered after it. Default: \"0s\"."
      ),
      .reportsChangeAfter(\.reportsChangeAfter),
      Field(
        "faults", \.faults, ObjectCodec<DFUSpec.Faults>.dfuFaults.codec, "What goes wrong. Default: nothing."),
    ]
  ) { spec, node throws(JSONError) in
    guard spec.jumps || !spec.startsInBootloader else {
      throw JSONError(node.at("starts_in_bootloader"), "expected \"jump\" with it, found false")
    }
  }
}

extension ObjectCodec<DFUSpec.Faults> {
  fileprivate static let dfuFaults = ObjectCodec(
    "dfu_faults", "what goes wrong with a boot loader", defaults: DFUSpec.Faults(), transfer + own)

  private static let transfer: [Field<DFUSpec.Faults>] = Field<TransferFaults>.all.map {
    $0.lifted(\.transfer)
  }

  private static let own: [Field<DFUSpec.Faults>] = [
    Field(
      "wrong_crc", \.wrongChecksums, .integer(0...1_000_000),
      "The number of wrong checksums of firmware that Secure DFU answers. Default: 0."),
    Field(
      "invalid_state", \.invalidStates, .integer(0...1_000_000),
      "The number of transfers that are refused at their start, because it is in a wrong state. Default: 0."
    ),
    Field(
      "refuse_init", \.refusesInit, Codec<Int>.integer(1...255),
      "The code with which the init packet is refused: an extended error of Secure DFU, a status of Legacy DFU. Default: none."
    ),
    Field(
      "refuse_kinds", \.refusesKinds, .flag,
      "Whether Legacy DFU does not know the kinds of firmware. Default: false."),
    Field(
      "unanswered_jump", \.leavesJumpUnanswered, .flag,
      "Whether the link ends before the write that makes it jump is answered. Default: false."),
  ]
}

extension Field<TransferFaults> {
  fileprivate static let all: [Field] = [
    Field(
      "hang_up_at", \.hangsUpAt, .firmwareBytes,
      "The bytes of the firmware at whose arrival the link is closed, each once. Default: none."),
    Field(
      "lose_at", \.losesAt, .firmwareBytes,
      "The bytes of the firmware whose packet is lost, each once. Default: none."),
    Field(
      "corrupt_at", \.corruptsAt, Codec<Int>.firmwareByte,
      "The byte of the firmware that the flash stores wrongly. Default: none."),
    Field(
      "silent_at", \.silentAt, Codec<Int>.firmwareByte,
      "The byte of the firmware at whose arrival it falls silent, once. Default: none."),
    Field("silent_for", \.silence, .duration, "The time for which it then answers nothing. Default: \"5s\"."),
  ]
}

extension Field {
  fileprivate static func reportsChangeAfter(
    _ property: any (WritableKeyPath<Owner, Duration?> & Sendable)
  ) -> Field {
    Field(
      "reports_change_after", property, Codec<Duration>.duration.nullable,
      "The time on a link after which it reports that its services have changed since an earlier link; null for never. Default: \"0s\"."
    )
  }
}

extension Codec<Int> {
  fileprivate static let firmwareByte = integer(0...(64 << 20))
}

extension Codec<[Int]> {
  fileprivate static let firmwareBytes = Codec<Int>.firmwareByte.list("an array of bytes of the firmware")
}

extension Codec<String> {
  /// A version of MCUboot.
  fileprivate static let imageVersion = word(
    "a version such as \"1.2.3\" or \"1.2.3+4\"", pattern: "^[0-9]+\\.[0-9]+\\.[0-9]+([+.][0-9]+)?$"
  ) { text in
    // The revision, which is optional elsewhere, is part of the pattern.
    text.split(separator: ".").count < 3 ? nil : MCUbootImage.Version(parsing: text)?.description
  } text: {
    $0
  }
}

extension Codec<[NamedText]> {
  fileprivate static func textsByName(_ expected: String) -> Codec {
    byName(expected, Codec<String>.text("a text", atMost: 4096), NamedText.init, \.name, \.text)
  }
}

extension Codec<[NamedBytes]> {
  fileprivate static func bytesByName(_ expected: String) -> Codec {
    byName(expected, Codec<[UInt8]>.value, NamedBytes.init, \.name, \.bytes)
  }
}

extension Codec<[NamedCounters]> {
  fileprivate static let statistics = byName(
    "an object of groups by their names",
    Codec<[NamedCounters.Counter]>.byName(
      "an object of counters by their names", .integer(0...0xFFFF_FFFF), NamedCounters.Counter.init, \.name,
      \.value), NamedCounters.init, \.name, \.counters)
}

extension Codec {
  /// An object of values by their names.
  fileprivate static func byName<Element: Sendable, Content: Sendable>(
    _ expected: String, _ content: Codec<Content>,
    _ make: @escaping @Sendable (String, Content) -> Element,
    _ name: any (KeyPath<Element, String> & Sendable), _ value: any (KeyPath<Element, Content> & Sendable)
  ) -> Codec where Value == [Element] {
    Codec(expected, .dictionary(keys: "^[^\\u0000-\\u001f]+$", of: content.schema)) {
      node throws(JSONError) in
      guard let members = node.members else { throw node.mismatch(expected) }
      var mistakes = JSONMistakes()
      let elements = members.compactMap { member in
        mistakes.collect { () throws(JSONError) in
          guard !member.key.isEmpty, member.key.utf8.allSatisfy({ $0 >= 0x20 }) else {
            throw JSONError(
              member.place, member.value.pointer, "expected a name without control characters")
          }
          return make(member.key, try content.read(member.value))
        }
      }
      try mistakes.rethrow()
      return elements
    } write: { elements, json in
      json.object { json in
        for element in elements {
          json.key(element[keyPath: name])
          content.write(element[keyPath: value], &json)
        }
      }
    }
  }
}
