// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import Testing

@testable internal import BLEUpdate
@testable internal import BlectlCommands

@Suite("The sentences of an update")
struct UpdateSentencesTests {
  private func address() throws -> BluetoothAddress { try #require(BluetoothAddress("C0:00:00:00:00:01")) }

  private func firmware() throws -> Firmware { try Firmware([1, 2, 3], named: "app.bin") }

  private func result(
    _ proof: UpdateProof = .version, to version: String? = "2.0.0",
    unkept: [UpdateResult.UnkeptImage] = []
  ) throws -> UpdateResult {
    UpdateResult(
      address: try address(), method: .smp, from: "1.2.3", to: version, bytes: 12_552, duration: .seconds(3),
      proof: proof, isConfirmed: unkept.isEmpty, unkept: unkept)
  }

  private func plan(from version: String?, isRunning: Bool, isAlreadyThere: Bool = false) throws -> UpdatePlan
  {
    UpdatePlan(
      address: try address(), method: .smp, from: version, to: "2.0.0", steps: [.confirming], bytes: 0,
      isAlreadyThere: isAlreadyThere, isRunning: isRunning, warnings: [])
  }

  @Test("A package without a version is called by its file, without the folder")
  func folder() throws {
    var plan = try plan(from: "1.2.3", isRunning: false)
    plan.to = nil
    let firmware = try Firmware([1, 2, 3], named: "/tmp/a b/app.zip")
    #expect(plan.announcement(of: firmware) == "runs 1.2.3, will run app.zip")
  }

  @Test("An update that only goes on is announced with the former version, the one that runs, and what comes")
  func plans() throws {
    let firmware = try firmware()
    let new = try plan(from: "1.2.3", isRunning: false)
    #expect(new.announcement(of: firmware) == "runs 1.2.3, will run 2.0.0" && new.running == "1.2.3")
    let begun = try plan(from: "1.2.3", isRunning: true)
    #expect(begun.announcement(of: firmware) == "ran 1.2.3, runs 2.0.0, will keep it")
    #expect(begun.running == "2.0.0, not kept yet; 1.2.3 before")
    let overwritten = try plan(from: nil, isRunning: true)
    #expect(overwritten.announcement(of: firmware) == "runs 2.0.0, will keep it")
    #expect(overwritten.running == "2.0.0, not kept yet")
    #expect(try plan(from: "2.0.0", isRunning: true, isAlreadyThere: true).running == "2.0.0")
    let unknown = try plan(from: nil, isRunning: false)
    #expect(unknown.announcement(of: firmware) == "does not say what it runs, will run 2.0.0")
  }

  @Test("Each proof has its own words")
  func proofs() throws {
    func sentence(_ proof: UpdateProof, to version: String? = "2.0.0") throws -> String {
      try result(proof, to: version).sentence(about: "Sensor", firmware())
    }
    #expect(try sentence(.version) == "updated Sensor: 1.2.3 → 2.0.0; 12552 bytes in 3.0 s")
    #expect(
      try sentence(.taken, to: nil)
        == "updated Sensor; 12552 bytes in 3.0 s; its bootloader has taken the image, which the device does not list"
    )
    #expect(try sentence(.already) == "Sensor already runs 2.0.0")
  }

  @Test(
    "Images that are not kept are named with the versions that come back, and with the commands that keep them"
  )
  func unkept() throws {
    let application = UpdateResult.UnkeptImage(image: 0, hash: [1, 2], former: "1.2.3")
    let second = UpdateResult.UnkeptImage(
      image: 1, hash: [0xab, 1, 2, 3, 4, 5, 6, 7, 8], former: "0.9.0")
    func warning(_ images: [UpdateResult.UnkeptImage]) throws -> String {
      try result(unkept: images).warning(about: "Sensor")
    }
    #expect(
      try warning([application])
        == "Sensor is not told to keep the new firmware: at its next reset, it returns to 1.2.3")
    #expect(
      try warning([second]) == "Sensor is not told to keep image 1: at its next reset, it returns to 0.9.0")
    #expect(
      try warning([second, application]).hasSuffix("it returns to 0.9.0 (image 1) and 1.2.3 (image 0)"))
    var silent = second
    silent.former = nil
    #expect(try warning([silent, application]).hasSuffix("it returns to its former firmware"))
    let hint = try result(unkept: [second, application]).hint(for: address())
    #expect(
      hint
        == "blectl smp C0:00:00:00:00:01 images confirm ab01020304050607, then blectl smp C0:00:00:00:00:01 images confirm"
    )
  }

  @Test("An image that the device keeps only before its first start has another hint")
  func notKeepable() throws {
    var image = UpdateResult.UnkeptImage(image: 1, hash: [1, 2], former: "1.2.3")
    image.isKeepable = false
    let hint = try result(unkept: [image]).hint(for: address())
    #expect(hint.hasPrefix("blectl smp C0:00:00:00:00:01 reset, and update again with --confirm now: "))
  }

  @Test("The name of a device in a hint is quoted", arguments: [UpdateError.Code.blocked, .needsPairing])
  func quoted(code: UpdateError.Code) throws {
    for (device, word) in [("My Sensor", "'My Sensor'"), ("*", "'*'"), ("Sensor", "Sensor")] {
      let error = CommandError(UpdateError(code, "no"), "update \(device)", device: device)
      let verb = code == .blocked ? "smp" : "pair"
      #expect(error.hint?.hasPrefix("blectl \(verb) \(word)") == true, "\(error.hint ?? "")")
    }
  }

  @Test("The hint of an unfinished transfer claims nothing that is not certain")
  func unfinished() throws {
    func hint(
      _ method: UpdateMethod, _ done: Int, part: Int = 1, isResumable: Bool = false
    ) throws -> String {
      let board = UpdateBoard()
      var plan = try plan(from: "1.2.3", isRunning: false)
      plan.method = method
      board.take(plan, startedFrom: nil)
      _ = board.take(
        UpdateProgress(
          stage: .transferring, done: done, total: 2000, part: part, parts: 2, address: try address(),
          isResumable: isResumable))
      let (rest, hint) = board.unfinished(try #require(board.certain))
      #expect(rest == "\(done) of 2000 bytes of part \(part) of 2 have certainly arrived")
      return hint
    }
    #expect(try hint(.smp, 500, isResumable: true) == "the same command goes on from there")
    // Neither what an earlier run has sent nor the part before is sent again.
    for part in 1...2 {
      #expect(try hint(.smp, 0, part: part) == "the same command sends what the device does not have")
    }
    #expect(try hint(.smp, 500) == "the same command sends the whole file again")
    #expect(try hint(.smp, 500, part: 2) == "the same command sends this part again")
    #expect(try hint(.secureDFU, 500, isResumable: true) == "the same command goes on from there")
    #expect(try hint(.legacyDFU, 500).hasPrefix("the same command sends the whole file again, for which"))
  }
}
