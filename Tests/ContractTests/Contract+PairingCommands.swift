// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Pairing by commands")
  struct PairingCommands {
    private static let encrypted = BuiltIn.bench(0x0302)
    private static let authenticated = BuiltIn.bench(0x0303)

    @Test("'agent' reports and trusts a device that another program pairs with")
    func byAnotherProgram() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        let agent = try Blectl(bus: stage.address).start(
          ["agent", "--trust", "--count", "1", "--json"], input: nil, limit: .seconds(60))
        #expect(await agent.waitForErrors { $0.contains("answering") })
        try await peripheral.pair()
        let result = await agent.result()
        #expect(result.status == 0, "\(result.errorText)")
        let records = try result.records
        #expect(records.map { $0["event"]?.text } == ["paired"])
        // Its questions, if any, were those of the other program.
        #expect(records.first?["method"] == nil)
        #expect(try await peripheral.info.isTrusted)
      }
    }

    /// A line that answers a question with yes.
    private static func yes(to question: Int, about peripheral: Peripheral) -> [UInt8] {
      Array(#"{"question": \#(question), "address": "\#(peripheral.address)", "answer": "yes"}"#.utf8) + [
        0x0A
      ]
    }

    @Test("A late answer to a question about one device does not let another one pair")
    func lateAnswer() async throws {
      try await PairingStage.with(BuiltIn.comparison) { stage, first in
        try await PairingStage.with(BuiltIn.justWorks, on: first.central) { _, second in
          let agent = try Blectl(bus: stage.address).start(
            ["agent", "--json"], input: nil, limit: .seconds(200))
          #expect(await agent.waitForErrors { $0.contains("answering") })
          try await Contract.connect(first)
          try await stage.askForSecurity("\(first.address)")
          #expect(await agent.waitForOutput { $0.contains(#""question":1,"#) })
          try await stage.drop("\(first.address)")
          #expect(await agent.waitForOutput { $0.contains(#""event":"cancelled""#) })
          try await Contract.connect(second)
          try await stage.askForSecurity("\(second.address)")
          #expect(await agent.waitForOutput { $0.contains(#""question":2,"#) })
          // Meant for the first device.
          agent.add(input: Array("yes\n".utf8))
          #expect(await agent.waitForErrors { $0.contains("question that was withdrawn") })
          agent.add(input: Self.yes(to: 1, about: first))
          #expect(await agent.waitForErrors { $0.contains("it answers question 1") })
          #expect(try await !second.isBonded)
          agent.send(input: Self.yes(to: 2, about: second))
          #expect(await agent.waitForOutput { $0.contains(#""event":"paired""#) })
          agent.send(signal: SIGINT)
          let records = try await agent.result().records
          #expect(records.last?["address"]?.text == "\(second.address)")
          #expect(records.filter { $0["event"]?.text == "paired" }.count == 1)
        }
      }
    }

    @Test("--pair reports how a device has paired that had a private address until then")
    func onDemand() async throws {
      try await PairingStage.withHidden { stage, _ in
        // BlueZ may answer the first read before it reports the bond, whose keys follow over the encrypted link.
        let result = try await Blectl(bus: stage.address).run(
          "read", "\(BuiltIn.addressOfHidden)", "\(Self.encrypted)", "--as", "utf8", "--pair", "--timeout",
          "60s", "--every", "1s", "--count", "5")
        #expect(
          result.lines.map { $0.split(separator: "\t").last } == Array(repeating: "encrypted", count: 5))
        #expect(result.errorText.contains("Just Works: links are encrypted, but"), "\(result.errorText)")
      }
    }

    @Test(
      "--pair says that nobody could be asked for the passkey that a value needs",
      arguments: [BuiltIn.passkeyShown, BuiltIn.demandsMITM])
    func nobodyToAsk(_ address: BluetoothAddress) async throws {
      try await PairingStage.with(address) { stage, _ in
        let result = try await Blectl(bus: stage.address).run(
          "read", "\(address)", "\(Self.authenticated)", "--pair", "--timeout", "20s")
        #expect(result.status == 1 || result.status == 5)
        #expect(result.errorText.contains("there is no way to ask a person for it\n"), "\(result.errorText)")
        #expect(result.errorText.contains("--passkey N"), "\(result.errorText)")
      }
    }
  }
}

extension Contract.ServingPairing {
  @Test("'agent' reports, trusts and counts a central with a private address", arguments: [false, true])
  func agentCommand(_ isHidden: Bool) async throws {
    try await withBond { machine in
      try await ServingStage.serveToOther(encrypted, isHidden: isHidden) { stage, _, _ in
        let agent = try Blectl(bus: stage.address).start(
          ["agent", "-i", "hci0", "--yes", "--trust", "--count", "1", "--json"], input: nil,
          limit: .seconds(60))
        #expect(await agent.waitForErrors { $0.contains("answering") })
        try await stage.expect(.pair)
        let result = await agent.result()
        #expect(result.status == 0, "\(result.errorText)")
        let records = try result.records
        #expect(records.map { $0["event"]?.text } == ["paired"])
        #expect(records.first?["method"]?.text == "just-works")
        #expect(records.first?["address"]?.text == "\(BuiltIn.central)")
        let device = try #require(try await machine.knownPeripheral(withAddress: BuiltIn.central))
        #expect(device.isTrusted)
      }
    }
  }
}
