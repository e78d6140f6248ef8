// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// A call of BlueZ to our agent that a person must answer or see.
final class AgentQuestion {
  /// The kind of question that BlueZ asks.
  enum Kind: Sendable, Hashable {
    case passkey
    case pinCode
    case confirm(Passkey)
    case authorize
    case authorizeService(BluetoothUUID)
    case display(Passkey, entered: Int)
    case displayPinCode(String)
  }

  let number: Int
  let kind: Kind
  let devicePath: String
  let call: Message
  let answerer: AgentSession.Answerer
  var task: Task<Void, Never>?
  var timer: TimerID?
  private(set) var isOpen = true

  init(
    number: Int, _ kind: Kind, _ devicePath: String, _ call: Message, _ answerer: AgentSession.Answerer
  ) {
    self.number = number
    self.kind = kind
    self.devicePath = devicePath
    self.call = call
    self.answerer = answerer
  }

  func close() { isOpen = false }

  /// True if BlueZ only displays something, and waits for no answer.
  var isDisplay: Bool {
    switch kind {
    case .display, .displayPinCode: true
    default: false
    }
  }
}

extension AgentQuestion.Kind {
  /// Returns the question of a method call, and its device; nil for other methods or arguments.
  static func parse(_ method: String, _ call: Message) -> (kind: Self, devicePath: String)? {
    let arguments = call.values
    guard let path = arguments.first?.text else { return nil }
    switch (method, call.signature) {
    case ("RequestPasskey", "o"): return (.passkey, path)
    case ("RequestPinCode", "o"): return (.pinCode, path)
    case ("RequestAuthorization", "o"): return (.authorize, path)
    case ("RequestConfirmation", "ou"):
      return number(arguments[1]).map { (.confirm($0), path) }
    case ("DisplayPasskey", "ouq"):
      guard case .uint16(let entered) = arguments[2] else { return nil }
      return number(arguments[1]).map { (.display($0, entered: Int(entered)), path) }
    case ("DisplayPinCode", "os"): return arguments[1].text.map { (.displayPinCode($0), path) }
    case ("AuthorizeService", "os"):
      return arguments[1].text.flatMap { BluetoothUUID($0) }.map { (.authorizeService($0), path) }
    default: return nil
    }
  }

  private static func number(_ value: DBusValue) -> Passkey? {
    guard case .uint32(let number) = value else { return nil }
    return Passkey(number)
  }

  /// The pairing that the device requires, if the question is about pairing.
  var need: PairingNeed? {
    switch method {
    case .justWorks: .consent
    case .passkey, .numericComparison, .pin: .passkey
    case nil: nil
    }
  }

  /// The pairing method, if the question shows it.
  var method: PairingMethod? {
    switch self {
    case .passkey, .display: .passkey
    case .pinCode, .displayPinCode: .pin
    case .confirm: .numericComparison
    case .authorize: .justWorks
    case .authorizeService: nil
    }
  }
}

enum AgentAnswer: Sendable {
  case passkey(Passkey)
  case pinCode(String)
  case yes
  case rejected
  /// The question was withdrawn before it was answered.
  case cancelled

  func reply(to call: Message) -> Message {
    switch self {
    case .passkey(let passkey): Message(replyTo: call) { $0.uint32(passkey.value) }
    case .pinCode(let text): Message(replyTo: call) { $0.string(text) }
    case .yes: Message(replyTo: call)
    case .rejected:
      Message(errorTo: call, name: BlueZ.errorPrefix + "Rejected", text: "refused")
    case .cancelled:
      Message(errorTo: call, name: BlueZ.errorPrefix + "Canceled", text: "cancelled")
    }
  }
}

extension PairingAgent {
  func answer(_ kind: AgentQuestion.Kind, for device: PeripheralInfo) async -> AgentAnswer {
    switch kind {
    case .passkey: return await passkey(for: device).map { .passkey($0) } ?? .rejected
    case .pinCode:
      guard let text = await pinCode(for: device), (1...16).contains(text.utf8.count) else {
        return .rejected
      }
      return .pinCode(text)
    case .confirm(let passkey): return await confirm(passkey: passkey, for: device) ? .yes : .rejected
    case .authorize: return await authorize(device) ? .yes : .rejected
    case .authorizeService(let uuid):
      return await authorize(service: uuid, for: device) ? .yes : .rejected
    case .display(let passkey, let entered): await display(passkey: passkey, entered: entered, for: device)
    case .displayPinCode(let text): await display(pinCode: text, for: device)
    }
    return .yes
  }
}
