// SPDX-License-Identifier: MIT
internal import DBus

/// The object that BlueZ calls for each advertisement that matches a passive scan.
enum AdvertisementMonitor {
  /// A call of BlueZ.
  enum Event: Equatable {
    case activated
    case released
    case found(String)
    case lost(String)
  }

  /// The AD flags to match: generally, limited or not discoverable; LE only, or with BR/EDR as well.
  ///
  /// BlueZ has no pattern that matches every advertisement, but nearly all have flags. Seven is the maximum:
  /// an eighth pattern overflows a buffer of bluetoothd (seen with 5.66). There are no patterns for
  /// manufacturer data, because long advertisements then crash 5.72 to 5.82, and none for service data,
  /// because they do not match since 5.72.
  static let flags: [UInt8] = [0x06, 0x1a, 0x04, 0x05, 0x02, 0x00, 0x18]

  static func root(ofAdapter path: String) -> String { "/blectl/\(BlueZ.adapterName(ofPath: path))" }

  /// Makes the monitor of an adapter and the object manager that lists it, for BlueZ (`owner`) alone.
  static func objects(
    forAdapter path: String, owner: String, handler: @escaping @Sendable (Event) -> Void
  ) -> LocalObjects {
    let root = root(ofAdapter: path)
    let patterns = flags.map { DBusValue.structure([.byte(0), .byte(0x01), .bytes([$0])]) }
    let monitor = LocalObject(
      path: root + "/monitor", interface: BlueZ.advertisementMonitor,
      properties: [("Type", .string("or_patterns")), ("Patterns", .array(of: "(yyay)", patterns))]
    ) { method, call in
      guard let event = Event(method, call) else { return nil }
      handler(event)
      return .now(Message(replyTo: call))
    }
    return LocalObjects(root: root, for: owner, [monitor])
  }
}

extension AdvertisementMonitor.Event {
  fileprivate init?(_ method: String, _ call: Message) {
    switch method {
    case "Activate": self = .activated
    case "Release": self = .released
    case "DeviceFound" where call.hasSignature("o"):
      self = .found(call.withBody { $0.text().string })
    case "DeviceLost" where call.hasSignature("o"):
      self = .lost(call.withBody { $0.text().string })
    default: return nil
    }
  }
}
