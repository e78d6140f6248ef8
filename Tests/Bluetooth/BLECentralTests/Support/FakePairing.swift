// SPDX-License-Identifier: MIT
import AsyncIO
import DBus
import TestSupport

@testable import BLECentral

/// A BlueZ with one connected device, which asks a question when it must pair, and notes the messages it gets.
final class FakePairing: Sendable {
  /// Its action when Pair is called.
  enum Question: Sendable {
    case none
    case passkey
    /// Asks once more when it is refused, as for the battery level, which BlueZ reads itself.
    case passkeyTwice
    case confirm(UInt32)
    case authorize
    case display(UInt32)
    /// Does not answer Pair before CancelPairing.
    case silence
  }

  static let device = FakeBlueZ.devicePath(1)

  /// The messages that it received, in order: methods, answers, and at last `left`.
  private let heard = Lock<[String]>([])
  /// Fulfilled when the client has left.
  private let left = Promise<Bool>()
  private let pairIsCalled = Promise<Bool>()
  private let bus: Lock<ScriptedBus?> = Lock(nil)
  let address: String

  var log: [String] { heard.withLock { $0 } }

  /// - Parameters:
  ///   - question: what is asked.
  ///   - isPaired: whether the device is paired already.
  ///   - isPairable: what the adapter shows of that, whatever agent is there; nil shows nothing.
  /// - Throws: when there is no socket.
  init(_ question: Question, isPaired: Bool = false, isPairable: Bool? = nil) throws {
    let (heard, left, pairIsCalled) = (heard, left, pairIsCalled)
    let scripted = try ScriptedBus.start { bus in
      guard bus.welcome() else { return }
      var script = Script(bus: bus, question: question, isPaired: isPaired, isPairable: isPairable)
      while let message = bus.next() {
        if let line = script.handle(message) { heard.withLock { $0.append(line) } }
        if message.member == "Pair" { pairIsCalled.fulfil(true) }
      }
      heard.withLock { $0.append("left") }
      left.fulfil(true)
    }
    address = scripted.address
    bus.withLock { $0 = scripted }
  }

  deinit { bus.withLock { $0?.stop() } }

  /// Waits until Pair was called.
  func waitForPair() async { _ = await pairIsCalled.value }

  /// Waits until the client has left, and returns all that was heard.
  func wholeLog() async -> [String] {
    _ = await left.value
    return log
  }

  /// The messages to note: calls of the pairing, and the answers of the agent.
  private struct Script {
    let bus: ScriptedBus
    let question: Question
    let isPaired: Bool
    let isPairable: Bool?
    var pair: Message?
    var refusals = 0

    mutating func handle(_ message: Message) -> String? {
      switch message.kind {
      case .methodReturn:
        let values = message.values.map { "\($0)" }.joined(separator: " ")
        finishPair(isSuccess: true)
        return "answer \(values)"
      case .error:
        refusals += 1
        if case .passkeyTwice = question, refusals == 1 { ask() } else { finishPair(isSuccess: false) }
        return "refusal \(message.errorName ?? "")"
      case .methodCall: return call(message)
      default: return nil
      }
    }

    private mutating func call(_ call: Message) -> String? {
      switch call.member {
      case "GetManagedObjects":
        bus.send(Message(replyTo: call) { write(&$0) }, from: FakeBlueZ.name)
        return nil
      case "StartNotify":
        bus.send(
          Message(errorTo: call, name: "org.bluez.Error.NotSupported", text: "Operation is not supported"),
          from: FakeBlueZ.name)
        return nil
      case "RegisterAgent":
        reply(call)
        return "RegisterAgent \(call.values.last?.text ?? "")"
      case "Pair":
        pair = call
        ask()
        return "Pair"
      case "CancelPairing":
        finishPair(isSuccess: false)
        return "CancelPairing"
      case "UnregisterAgent", "RequestDefaultAgent", "RemoveDevice", "Disconnect":
        reply(call)
        return call.member
      default:
        reply(call)
        return nil
      }
    }

    private func reply(_ call: Message) {
      if call.wantsReply { bus.send(Message(replyTo: call), from: FakeBlueZ.name) }
    }

    private mutating func ask() {
      func put(_ method: String, _ body: (inout MessageWriter) -> Void = { _ in }) {
        let call = Message(
          call: method, of: "org.bluez.Agent1", at: AgentSession.path, to: ScriptedBus.clientName
        ) {
          $0.objectPath(FakePairing.device)
          body(&$0)
        }
        bus.send(call, from: FakeBlueZ.name)
      }
      switch question {
      case .none: finishPair(isSuccess: true)
      case .passkey, .passkeyTwice: put("RequestPasskey")
      case .confirm(let number): put("RequestConfirmation") { $0.uint32(number) }
      case .authorize: put("RequestAuthorization")
      case .display(let number):
        put("DisplayPasskey") {
          $0.uint32(number)
          $0.value(.uint16(0))
        }
      case .silence: break
      }
    }

    private mutating func finishPair(isSuccess: Bool) {
      guard let call = pair else { return }
      pair = nil
      if isSuccess {
        let properties = [("Bonded", DBusValue.boolean(true)), ("Paired", .boolean(true))]
        bus.send(FakeBlueZ.changed(FakePairing.device, properties), from: FakeBlueZ.name)
        reply(call)
      } else {
        bus.send(
          Message(
            errorTo: call, name: "org.bluez.Error.AuthenticationFailed", text: "Authentication Failed"),
          from: FakeBlueZ.name)
      }
    }

    private var adapter: (String, FakeBlueZ.Interfaces) {
      let (path, interfaces) = FakeBlueZ.adapter
      let pairable = isPairable.map { [("Pairable", DBusValue.boolean($0))] } ?? []
      return (path, interfaces.map { ($0, $1 + pairable) })
    }

    private func write(_ writer: inout MessageWriter) {
      let service = FakePairing.device + "/service0001"
      let objects: [(String, FakeBlueZ.Interfaces)] = [
        adapter,
        (
          FakePairing.device,
          [
            (
              "org.bluez.Device1",
              FakeBlueZ.device(1, name: "Lamp") + [
                ("Connected", .boolean(true)), ("ServicesResolved", .boolean(true)),
                ("Paired", .boolean(isPaired)), ("Bonded", .boolean(isPaired)),
              ]
            )
          ]
        ),
        (
          service,
          [
            (
              "org.bluez.GattService1",
              [
                ("UUID", .string("0000180f-0000-1000-8000-00805f9b34fb")),
                ("Device", .objectPath(FakePairing.device)),
                ("Primary", .boolean(true)),
              ]
            )
          ]
        ),
        (
          service + "/char0002",
          [
            (
              "org.bluez.GattCharacteristic1",
              [
                ("UUID", .string("00002a19-0000-1000-8000-00805f9b34fb")), ("Service", .objectPath(service)),
                ("Flags", .strings(["read"])),
              ]
            )
          ]
        ),
      ]
      writer.array(of: "{oa{sa{sv}}}") { writer in
        for (path, interfaces) in objects {
          writer.entry { writer in
            writer.objectPath(path)
            writer.array(of: "{sa{sv}}") { writer in
              for (interface, properties) in interfaces {
                writer.entry { writer in
                  writer.string(interface)
                  writer.properties(properties)
                }
              }
            }
          }
        }
      }
    }
  }
}

/// An agent that answers at once, or waits until its question is void.
final class TestAgent: PairingAgent {
  let abilities: PairingAbilities
  private let number: Passkey?
  private let isPatient: Bool
  private let seen = Lock<[String]>([])
  /// Fulfilled by the first question.
  let isAsked = Promise<Bool>()
  /// Fulfilled when a question became void.
  let isCancelled = Promise<Bool>()

  /// - Parameters:
  ///   - abilities: what it can do.
  ///   - number: the passkey that it types; nil refuses, and says no.
  ///   - isPatient: whether it never answers.
  init(_ abilities: PairingAbilities = [.types], number: Passkey? = nil, isPatient: Bool = false) {
    self.abilities = abilities
    self.number = number
    self.isPatient = isPatient
  }

  /// The questions that it was asked, and the numbers that it was shown.
  var log: [String] { seen.withLock { $0 } }

  private func note(_ text: String) async {
    seen.withLock { $0.append(text) }
    isAsked.fulfil(true)
    guard isPatient else { return }
    let forever = Promise<Void>()
    await withTaskCancellationHandler {
      await forever.value
    } onCancel: {
      forever.fulfil(())
    }
  }

  func passkey(for device: PeripheralInfo) async -> Passkey? {
    await note("passkey")
    return number
  }

  func display(passkey: Passkey, entered: Int, for device: PeripheralInfo) async {
    await note("display \(passkey)")
  }

  func confirm(passkey: Passkey, for device: PeripheralInfo) async -> Bool {
    await note("confirm \(passkey)")
    return number == passkey
  }

  func authorize(_ device: PeripheralInfo) async -> Bool {
    await note("authorize")
    return number != nil
  }

  func cancelled() async { isCancelled.fulfil(true) }
}
