// SPDX-License-Identifier: MIT
import AsyncIO
import DBus
import Logging
import TestSupport
import Testing

@testable import BLECentral

@Suite("Pairing", .timeLimit(.minutes(1)))
struct PairingTests {
  private func manager(
    _ fake: FakePairing, logger: Logger? = nil
  ) async throws -> (CentralManager, Peripheral) {
    let central =
      if let logger { try await CentralManager(bus: .address(fake.address), logger: logger) } else {
        try await CentralManager(bus: .address(fake.address))
      }
    let info = try #require(try await central.knownPeripherals().first)
    return (central, info.peripheral)
  }

  private static let number = Passkey(42017)

  @Test("A question goes to the agent, its answer to BlueZ, and the agent is registered only meanwhile")
  func passkey() async throws {
    let fake = try FakePairing(.passkey)
    let (central, peripheral) = try await manager(fake)
    let outcome = try await peripheral.pair(using: TestAgent(number: Self.number))
    #expect(outcome == PairingOutcome(method: .passkey, isBonded: true))
    #expect(try await peripheral.isBonded)
    await central.close()
    #expect(
      await fake.wholeLog() == [
        "RegisterAgent KeyboardOnly", "Pair", "answer uint32(42017)", "UnregisterAgent", "left",
      ])
  }

  @Test(
    "Each question is put in its own words",
    arguments: [
      (FakePairing.Question.confirm(7), "confirm 000007", PairingMethod.numericComparison),
      (.authorize, "authorize", .justWorks),
    ])
  func questions(_ question: FakePairing.Question, _ text: String, _ method: PairingMethod) async throws {
    let fake = try FakePairing(question)
    let (central, peripheral) = try await manager(fake)
    let agent = TestAgent([.shows, .confirms], number: Passkey(7))
    let outcome = try await peripheral.pair(using: agent)
    #expect(agent.log == [text])
    #expect(outcome.method == method)
    await central.close()
    #expect(await fake.wholeLog().contains("RegisterAgent DisplayYesNo"))
  }

  @Test("A refusal of the agent is its own error, and closes no link that another program opened")
  func refused() async throws {
    let fake = try FakePairing(.passkey)
    let (central, peripheral) = try await manager(fake)
    let error = await #expect(throws: BLEError.self) { try await peripheral.pair(using: TestAgent()) }
    #expect(error?.code == .pairingRejected)
    #expect(error?.dbusName == "org.bluez.Error.AuthenticationFailed")
    await central.close()
    #expect(
      await fake.wholeLog() == [
        "RegisterAgent KeyboardOnly", "Pair", "refusal org.bluez.Error.Rejected", "UnregisterAgent", "left",
      ])
  }

  @Test("An agent that has refused a pairing is not asked again for the same one")
  func refusedOnce() async throws {
    let fake = try FakePairing(.passkeyTwice)
    let (central, peripheral) = try await manager(fake)
    let agent = TestAgent()
    let error = await #expect(throws: BLEError.self) { try await peripheral.pair(using: agent) }
    #expect(error?.code == .pairingRejected)
    #expect(agent.log == ["passkey"])
    await central.close()
    #expect(await fake.wholeLog().count { $0 == "refusal org.bluez.Error.Rejected" } == 2)
  }

  @Test("If two tasks pair with one device at the same time, the second reports that it is paired")
  func twice() async throws {
    let fake = try FakePairing(.passkey)
    let (central, peripheral) = try await manager(fake)
    let pairings = (0..<2).map { _ in
      Task { try await peripheral.pair(using: TestAgent(number: Self.number)) }
    }
    var codes: Set<BLEError.Code?> = []
    for pairing in pairings {
      do { codes.insert(try await pairing.value.isBonded ? nil : .failed) } catch {
        codes.insert((error as? BLEError)?.code)
      }
    }
    #expect(codes == [nil, .alreadyPaired])
    await central.close()
  }

  @Test(
    "An agent whose registration was cancelled after BlueZ's answer is registered again for the next request")
  func cancelledRegistration() async throws {
    // The kernel does not become pairable, which the manager waits for.
    let fake = try FakePairing(.none, isPairable: false)
    let (central, peripheral) = try await manager(fake)
    let level = try await peripheral.characteristic(BluetoothUUID(0x2a19))
    let reading = Task { try await peripheral.readValue(for: level) }
    while await central.perform({ $0.agent.registration == nil }) { await Task.yield() }
    reading.cancel()
    _ = await reading.result
    _ = try? await peripheral.readValue(for: level)
    await central.close()
    #expect(await fake.wholeLog().count { $0.hasPrefix("RegisterAgent KeyboardOnly") } == 2)
  }

  @Test("A question that is open when the manager is closed is answered with Canceled before the bus is left")
  func closed() async throws {
    let fake = try FakePairing(.passkey)
    let (central, peripheral) = try await manager(fake)
    let agent = TestAgent(isPatient: true)
    let pairing = Task { try await peripheral.pair(using: agent) }
    _ = await agent.isAsked.value
    await central.close()
    _ = await agent.isCancelled.value
    let log = await fake.wholeLog()
    #expect(log.dropFirst(2).first == "refusal org.bluez.Error.Canceled")
    #expect(log.last == "left")
    #expect(!log.contains("CancelPairing"))
    _ = await pairing.result
  }

  @Test("A process that ends at once releases what it was asked for")
  func abandoned() async throws {
    let fake = try FakePairing(.passkey)
    let (central, peripheral) = try await manager(fake)
    let agent = TestAgent(isPatient: true)
    let pairing = Task { try await peripheral.pair(using: agent) }
    _ = await agent.isAsked.value
    let loop = central.loop
    let isDone = Promise<Bool>()
    loop.submit {
      central.abandonPairing()
      isDone.fulfil(true)
    }
    _ = await isDone.value
    await central.close()
    let log = await fake.wholeLog()
    #expect(Array(log.dropFirst(2)) == ["refusal org.bluez.Error.Canceled", "UnregisterAgent", "left"])
    _ = await pairing.result
  }

  @Test("A task that is cancelled answers the open question, and does not call CancelPairing")
  func cancelledWithQuestion() async throws {
    let fake = try FakePairing(.passkey)
    let (central, peripheral) = try await manager(fake)
    let agent = TestAgent(isPatient: true)
    let pairing = Task { try await peripheral.pair(using: agent) }
    _ = await agent.isAsked.value
    pairing.cancel()
    let result = await pairing.result
    #expect((result.failure as? BLEError)?.code == .cancelled)
    await central.close()
    #expect(
      await fake.wholeLog() == [
        "RegisterAgent KeyboardOnly", "Pair", "refusal org.bluez.Error.Canceled", "UnregisterAgent", "left",
      ])
  }

  @Test("Without a question, CancelPairing is called once; then cancelPairing has nothing to cancel")
  func cancelledWithoutQuestion() async throws {
    let fake = try FakePairing(.silence)
    let (central, peripheral) = try await manager(fake)
    let pairing = Task { try await peripheral.pair(using: .justWorks) }
    await fake.waitForPair()
    try await peripheral.cancelPairing()
    let result = await pairing.result
    #expect((result.failure as? BLEError)?.code == .pairingCancelled)
    await #expect(throws: BLEError.self) { try await peripheral.cancelPairing() }
    await central.close()
    #expect(
      await fake.wholeLog() == [
        "RegisterAgent NoInputNoOutput", "Pair", "CancelPairing", "UnregisterAgent", "left",
      ])
  }

  @Test("A device that is paired is not paired again: BlueZ 5.66 would not answer")
  func alreadyPaired() async throws {
    let fake = try FakePairing(.none, isPaired: true)
    let (central, peripheral) = try await manager(fake)
    let code = await #expect(throws: BLEError.self) { try await peripheral.pair() }?.code
    #expect(code == .alreadyPaired)
    await central.close()
    #expect(await fake.wholeLog() == ["left"])
  }

  @Test("Passkeys stay out of the log")
  func secrets() async throws {
    for question in [FakePairing.Question.passkey, .confirm(42017), .display(42017)] {
      let fake = try FakePairing(question)
      let lines = Lock<[String]>([])
      var logger = Logger(label: "test") { _ in LineLog(lines: lines) }
      logger.logLevel = .trace
      let (central, peripheral) = try await manager(fake, logger: logger)
      try await peripheral.pair(using: TestAgent([.types, .shows, .confirms], number: Self.number))
      await central.close()
      let log = lines.withLock { $0 }
      #expect(log.contains { $0.contains("Agent1.") })
      let revealing = log.filter { $0.contains("42017") }
      #expect(revealing.isEmpty, "\(revealing)")
    }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

/// Keeps what is logged.
private struct LineLog: LogHandler {
  let lines: Lock<[String]>
  var logLevel = Logger.Level.trace
  var metadata = Logger.Metadata()

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.withLock { $0.append(event.message.description) } }
}

@Suite("Questions of BlueZ")
struct AgentQuestionTests {
  private func parse(_ method: String, _ values: DBusValue...) -> AgentQuestion.Kind? {
    let call = Message(call: method, of: "org.bluez.Agent1", at: "/agent", to: ":1.1") { writer in
      for value in values { writer.value(value) }
    }
    return AgentQuestion.Kind.parse(method, call)?.kind
  }

  private static let device = DBusValue.objectPath("/org/bluez/hci0/dev_1")

  @Test("Each method is a question")
  func methods() {
    #expect(parse("RequestPasskey", Self.device) == .passkey)
    #expect(parse("RequestPinCode", Self.device) == .pinCode)
    #expect(parse("RequestAuthorization", Self.device) == .authorize)
    #expect(parse("RequestConfirmation", Self.device, .uint32(5)) == Passkey("5").map { .confirm($0) })
    #expect(
      parse("DisplayPasskey", Self.device, .uint32(5), .uint16(2))
        == Passkey("5").map { .display($0, entered: 2) })
    #expect(parse("DisplayPinCode", Self.device, .string("0000")) == .displayPinCode("0000"))
    #expect(
      parse("AuthorizeService", Self.device, .string("0000180f-0000-1000-8000-00805f9b34fb"))
        == .authorizeService(.batteryService))
  }

  @Test("Wrong arguments, numbers of seven digits and other methods are not questions")
  func others() {
    #expect(parse("RequestPasskey") == nil)
    #expect(parse("RequestPasskey", .string("x")) == nil)
    #expect(parse("RequestConfirmation", Self.device, .uint32(1_000_000)) == nil)
    #expect(parse("RequestConfirmation", Self.device, .uint16(1)) == nil)
    #expect(parse("AuthorizeService", Self.device, .string("nonsense")) == nil)
    #expect(parse("Frobnicate", Self.device) == nil)
  }
}

@Suite("Passkeys and capabilities")
struct PairingValuesTests {
  @Test("A passkey is shown with six digits")
  func digits() {
    #expect(Passkey(42017)?.description == "042017")
    #expect(Passkey(0)?.description == "000000")
    #expect(Passkey(UInt32(1_000_000)) == nil)
  }

  @Test(
    "One to six digits are a passkey",
    arguments: [("42017", 42017), ("042017", 42017), ("0", 0), ("999999", 999_999)])
  func typed(_ text: String, _ value: UInt32) { #expect(Passkey(text)?.value == value) }

  @Test(
    "Other texts are not passkeys",
    arguments: ["", "1234567", "12 34", "-1", "+1", "0x10", "12345a", "１２", "٣"])
  func mistyped(_ text: String) { #expect(Passkey(text) == nil) }

  @Test("The capability follows from what an agent can do")
  func capability() {
    let table: [(PairingAbilities, PairingCapability)] = [
      ([], .noInputNoOutput), (.confirms, .noInputNoOutput), (.shows, .displayOnly),
      ([.shows, .confirms], .displayYesNo), (.types, .keyboardOnly), ([.shows, .types], .keyboardDisplay),
    ]
    for (abilities, capability) in table { #expect(PairingCapability(abilities) == capability) }
    #expect(Passkey("1").map { FixedPasskeyAgent($0).capability } == .keyboardOnly)
    #expect(JustWorksAgent().capability == .noInputNoOutput)
  }

  @Test("Only numbers protect against a device in between")
  func protection() {
    #expect(PairingMethod.allCases.filter(\.protectsAgainstInterception) == [.passkey, .numericComparison])
  }
}
