// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BLEUpdate
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// A report about the update of a device, as JSON.
struct UpdateRecord: Record {
  enum Event {
    /// The plan, before it is carried out, or instead.
    case planned(UpdatePlan)
    case stage(UpdateProgress)
    case updated(UpdateResult)
    /// The command ended before the update: `isWhole` if the device has all of the firmware.
    case interrupted(UpdateStage?, certain: (bytes: Int, of: Int)?, isWhole: Bool)
    /// `code` is that of the library of updates; other errors have none of their own.
    case failed(
      String, code: UpdateError.Code, deviceCode: Int?, UpdateStage?, certain: (bytes: Int, of: Int)?)
  }

  let event: Event
  /// The address of the device when it was found.
  let address: BluetoothAddress
  let name: String?
  let time = Timestamp.now

  private var word: String {
    switch event {
    case .planned: "planned"
    case .stage: "stage"
    case .updated: "updated"
    case .interrupted: "interrupted"
    case .failed: "failed"
    }
  }

  func write(to json: inout JSONWriter) {
    json.event(word, at: time)
    json.field("address", address)
    json.field("name", name)
    switch event {
    case .planned(let plan):
      json.field("protocol", plan.method.rawValue)
      json.field("from", plan.from)
      json.field("to", plan.to)
      json.field("bytes", plan.bytes)
      json.field("steps", plan.steps.map(\.rawValue))
      json.field("already", plan.isAlreadyThere)
      if !plan.warnings.isEmpty { json.field("warnings", plan.warnings) }
    case .stage(let progress):
      json.field("stage", progress.stage.rawValue)
      if progress.address != address { json.field("current_address", progress.address) }
      if progress.parts > 1, progress.stage == .transferring {
        json.field("part", progress.part)
        json.field("parts", progress.parts)
      }
      if progress.stage == .transferring {
        json.field("bytes", progress.done)
        json.field("total", progress.total)
      }
      json.field("interruption", progress.interruption)
    case .updated(let result):
      json.field("protocol", result.method.rawValue)
      json.field("from", result.from)
      json.field("to", result.to)
      json.field("bytes", result.bytes)
      json.field("seconds", (result.duration / .milliseconds(1)).rounded() / 1000)
      json.field("proof", result.proof.rawValue)
      json.field("confirmed", result.isConfirmed)
      if result.address != address { json.field("current_address", result.address) }
    case .interrupted(let stage, let certain, let isWhole):
      json.field("stage", stage?.rawValue)
      json.field("bytes", certain?.bytes)
      json.field("total", certain?.of)
      json.field("sent", isWhole)
    case .failed(let message, let code, let deviceCode, let stage, let certain):
      json.field("stage", stage?.rawValue)
      json.field("bytes", certain?.bytes)
      json.field("total", certain?.of)
      json.field("code", code.snakeCase)
      json.field("error", message)
      json.field("device_code", deviceCode)
    }
  }
}

extension UpdateError.Code {
  /// The name of the code as keys are spelled: `timed_out`.
  fileprivate var snakeCase: String {
    description.reduce(into: "") { word, letter in
      if letter.isUppercase { word += "_" }
      word += letter.lowercased()
    }
  }
}
