// SPDX-License-Identifier: MIT
internal import BLEUpdate
internal import BLEWorld
internal import TestSupport
internal import Testing

/// Updates by SMP of devices that run images which they do not keep yet.
@Suite("Updates of images on trial", .enabled(if: !Stages.isReal), .serialized, .timeLimit(.minutes(5)))
struct UpdateTrialTests {
  /// A package of an image for the application, and one for another processor, with their versions.
  private func package(_ application: String, _ other: String) throws -> Firmware {
    let (first, second) = (try UpdateStage.image(application).1, try UpdateStage.image(other).1)
    let manifest = #"{"files": [{"file": "a.bin", "image_index": 0}, {"file": "n.bin", "image_index": 1}]}"#
    let zip = StoredZip.bytes([
      ("manifest.json", Array(manifest.utf8)), ("a.bin", first), ("n.bin", second),
    ])
    return try Firmware(zip, named: "two.zip")
  }

  @Test(
    "The plan for an image that runs unkept has the former version, and the step that keeps it",
    arguments: [FirmwareUpdate.Confirmation.now, .after])
  func goesOn(confirmation: FirmwareUpdate.Confirmation) async throws {
    let (firmware, _) = try UpdateStage.image()
    try await UpdateStage.with(smp: SMPSpec()) { stage in
      _ = try await stage.update(firmware) { $0.confirmation = .never }
      var options = FirmwareUpdate.Options()
      options.confirmation = confirmation
      let plan = try await FirmwareUpdate(firmware, options: options).plan(for: stage.peripheral)
      #expect(plan.from == "1.0.0" && plan.to == "2.0.0" && plan.bytes == 0)
      #expect(plan.isRunning && !plan.isAlreadyThere && plan.steps == [.confirming])
      let result = try await stage.update(firmware) { $0.confirmation = confirmation }
      #expect(result.from == "1.0.0" && result.to == "2.0.0" && result.isConfirmed)
    }
  }

  @Test(
    "Where the device runs and keeps the application of a package, the versions are those of the other image")
  func otherImage() async throws {
    let (application, _) = try UpdateStage.image("2.0.0")
    let (other, _) = try UpdateStage.image("1.5.0")
    let both = try package("2.0.0", "1.9.0")
    try await UpdateStage.with(smp: SMPSpec { $0.images = 2 }) { stage in
      _ = try await stage.update(application)
      _ = try await stage.update(other) { $0.image = 1 }
      let plan = try await FirmwareUpdate(both).plan(for: stage.peripheral)
      #expect(plan.from == "1.5.0" && plan.to == "1.9.0" && !plan.isRunning)
      let tried = try await stage.update(both) { $0.confirmation = .never }
      #expect(tried.from == "1.5.0" && tried.to == "1.9.0")
      #expect(tried.unkept.map(\.image) == [1] && tried.unkept.map(\.former) == ["1.5.0"])
      let kept = try await stage.update(both)
      #expect(kept.from == "1.5.0" && kept.to == "1.9.0" && kept.bytes == 0 && kept.isConfirmed)
    }
  }

  @Test(
    "An application on trial is tested again together with the other image of a package, as the plan says",
    arguments: FirmwareUpdate.Confirmation.allCases)
  func both(confirmation: FirmwareUpdate.Confirmation) async throws {
    let (application, _) = try UpdateStage.image("2.0.0")
    let both = try package("2.0.0", "1.9.0")
    try await UpdateStage.with(smp: SMPSpec { $0.images = 2 }) { stage in
      _ = try await stage.update(application) { $0.confirmation = .never }
      var options = FirmwareUpdate.Options()
      options.confirmation = confirmation
      let plan = try await FirmwareUpdate(both, options: options).plan(for: stage.peripheral)
      #expect(plan.steps.starts(with: [.resetting, .waiting, .reading, .transferring]), "\(plan.steps)")
      #expect(plan.steps.last == (confirmation == .after ? .confirming : .proving))
      #expect(plan.warnings.contains { $0.contains("it first returns to version 1.0.0") }, "\(plan.warnings)")
      let result = try await stage.update(both) { $0.confirmation = confirmation }
      #expect(result.from == "1.0.0" && result.isConfirmed == (confirmation != .never))
    }
  }

  @Test("Of two images that are not kept, the application is named last, also by a second run")
  func order() async throws {
    let both = try package("2.0.0", "1.9.0")
    try await UpdateStage.with(smp: SMPSpec { $0.images = 2 }) { stage in
      let first = try await stage.update(both) { $0.confirmation = .never }
      let again = try await stage.update(both) { $0.confirmation = .never }
      #expect(again.proof == .already)
      for result in [first, again] {
        #expect(result.unkept.map(\.image) == [1, 0] && result.unkept.map(\.former) == ["1.0.0", "1.0.0"])
      }
    }
  }
}
