// SPDX-License-Identifier: MIT

/// A command as an object of JSON has it: everything that one of them can say.
struct CommandFields: Sendable, Hashable {
  /// What is done: the key `do`.
  var word: String
  var device: String?
  var service: AttributeUUID?
  var characteristic: AttributeUUID?
  var adapter = "hci0"
  /// How often; nil is always.
  var times: Int?
  /// After how long it is undone: the key `for`.
  var duration: Duration?
  /// How much later.
  var delay = Duration.zero
  var time = Duration.zero
  var packetTime: Duration?
  /// At which read or write on a link; 0 is at none.
  var operations = 0
  var order = ServiceOrderWord.objectsFirst
  var rssi: Int16?
  var value: [UInt8] = []
  var code: UInt8 = 0
  var operation: AnswerFault.Operation?
  /// The name of an error; what has no dot belongs to `org.bluez.Error`.
  var error: String?
  var text: String?
  var method = ""
  var services: [AttributeUUID] = []
  var pattern: String?
  var duplicates = false

  // MARK: Of events

  /// When, counted from the start.
  var at: Duration?
  var every: Duration?
  var condition: EventCondition?

  init(_ word: String) { self.word = word }

  /// The characteristic that is named, for commands that must name one.
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

  /// The error that is given; nil where neither name nor text is.
  var bluezError: BlueZError? {
    get {
      if error == nil, text == nil { return nil }
      let name = error ?? "Failed"
      return BlueZError(name.contains(".") ? name : CommandFields.errors + name, text ?? "")
    }
    set {
      let isShort = newValue.map { $0.name.hasPrefix(CommandFields.errors) } ?? false
      error = newValue.map { isShort ? String($0.name.dropFirst(CommandFields.errors.count)) : $0.name }
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

/// What an event waits for: the key `when`.
enum EventCondition: Sendable, Hashable {
  /// A link that comes up.
  struct Connected: Sendable, Hashable {
    var device = ""
    var after = Duration.zero
    var repeats = false
  }

  /// So many reads and writes on a link.
  struct Operations: Sendable, Hashable {
    var count = 1
    var device = ""
    var repeats = false
  }

  case connected(Connected)
  case operations(Operations)
}
