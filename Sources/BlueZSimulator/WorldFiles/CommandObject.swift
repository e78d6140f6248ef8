// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// A command as a JSON object: all keys that any command has.
struct CommandObject: Sendable, Hashable {
  /// The name of the command: the key `do`.
  var word: String
  var device: String?
  var service: BluetoothUUID?
  var characteristic: BluetoothUUID?
  var adapter = "hci0"
  /// How many times; nil is without limit.
  var times: Int?
  /// The time after which it is undone: the key `for`.
  var duration: Duration?
  /// The additional delay.
  var delay = Duration.zero
  var time = Duration.zero
  var packetTime: Duration?
  /// The number of a read or write on a link; 0 for none.
  var operations = 0
  var order = ServiceOrderWord.objectsFirst
  var rssi: Int16?
  var passkey: UInt32?
  var value: [UInt8] = []
  var code: UInt8 = 0
  var operation: AnswerFault.Operation?
  /// The name of an error; a name without a dot is one of `org.bluez.Error`.
  var error: String?
  var text: String?
  var method = ""
  var services: [BluetoothUUID] = []
  var pattern: String?
  var duplicates = false

  // MARK: Events

  /// The time, counted from the start.
  var at: Duration?
  var every: Duration?
  /// The trigger of an event without a time: the key `when`.
  var condition: WorldEvent.Trigger?

  init(_ word: String) { self.word = word }

  /// The characteristic that the command names.
  var reference: CharacteristicReference? {
    get {
      guard let device, let characteristic else { return nil }
      return CharacteristicReference(device: device, service: service, uuid: characteristic)
    }
    set {
      device = newValue?.device
      service = newValue?.service
      characteristic = newValue?.uuid
    }
  }

  /// The error; nil without name and text.
  var bluezError: BlueZError? {
    get {
      if error == nil, text == nil { return nil }
      let name = error ?? "Failed"
      return BlueZError(name.contains(".") ? name : CommandObject.errors + name, text ?? "")
    }
    set {
      let isShort = newValue.map { $0.name.hasPrefix(CommandObject.errors) } ?? false
      error = newValue.map { isShort ? String($0.name.dropFirst(CommandObject.errors.count)) : $0.name }
      text = newValue?.text
    }
  }

  private static let errors = "org.bluez.Error."
}

/// The order of the services without its delay.
enum ServiceOrderWord: String, CaseIterable {
  case objectsFirst = "objects_first"
  case resolvedFirst = "resolved_first"
  case objectsLate = "objects_late"
}
