// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The transfer of images.
extension SMPFlow {
  /// The number of times that an image is sent whose hash is then another one.
  private static let mostUploads = 2
  /// The most packets and bytes under way, whatever a device says.
  private static let mostPackets = 16
  private static let mostBytes = 16384

  /// Sends an image.
  func upload(_ target: SMPTarget, _ plan: SMPPlan, _ number: Int, of count: Int) async throws {
    for attempt in 1...Self.mostUploads {
      device.beginPart(number, of: count, size: target.bytes.count)
      do {
        return try await device.persist(.transferring) { try await uploadOverLink(target, plan) }
      } catch SMPUpload.Failure.mismatch {
        // What was sent before a resume may have been damaged; the device begins anew.
        guard attempt == Self.mostUploads else { continue }
        throw UpdateError(
          .deviceError,
          "the device has received all of \(target.name), but it has another hash than what was sent",
          hint: "its flash may be damaged")
      }
    }
  }

  private func uploadOverLink(_ target: SMPTarget, _ plan: SMPPlan) async throws {
    let session = try await session()
    let rules = try await rules(session, target, plan)
    let sha = try? SHA256.digest(of: target.bytes)
    var upload = SMPUpload(target.bytes, sha: sha, rules, firstSequence: session.nextSequence)
    defer { if upload.isWithoutReassembly { isWithoutReassembly = true } }
    do {
      try await session.upload(&upload) { done, start, isResumable in
        device.transferred(done, from: start, isResumable: isResumable)
      }
    } catch let failure as SMPUpload.Failure {
      throw error(of: failure, target)
    }
  }

  private func rules(
    _ session: SMPSession, _ target: SMPTarget, _ plan: SMPPlan
  ) async throws -> SMPUpload.Rules {
    let parameters = try await session.parameters()
    let fragment = session.link.fragmentSize
    var rules = SMPUpload.Rules(packetSize: fragment, fragmentSize: fragment)
    if let parameters, !isWithoutReassembly {
      rules.packetSize = min(parameters.bufferSize, SMPMessage.headerSize + SMPMessage.largestPayload)
    }
    if let size = options.packetSize { rules.packetSize = min(size, rules.packetSize) }
    let room = max(1, Self.mostBytes / max(1, rules.packetSize))
    // One of the buffers is for the answer.
    let buffers = parameters.map { max(1, $0.bufferCount - 1) } ?? 1
    rules.window = options.window ?? min(buffers, room, Self.mostPackets)
    rules.image = plan.slot(for: target)?.uploadImage ?? target.image
    (rules.answerTime, rules.eraseTime) = (options.answerTime, options.eraseTime)
    rules.version = session.version
    return rules
  }

  private func error(of failure: SMPUpload.Failure, _ target: SMPTarget) -> any Error {
    switch failure {
    case .refused(let failure): refusal(failure, target)
    case .mismatch: failure
    case .silence: Silence("the device does not answer to parts of \(target.name) any more")
    case .silenceFromStart:
      Silence("the device does not answer the first part of \(target.name)", mostLinks: 2)
    case .noProgress: Standstill("the device wants the same part of \(target.name) again and again")
    case .busy: Standstill("the device is busy for too long")
    case .malformed(let words): UpdateError(.deviceError, words)
    case .packetsTooSmall(let size):
      UpdateError(
        .notSupported,
        "packets of \(size) bytes are too small, and the device does not put larger ones together",
        hint: "the MTU of the link decides; some devices negotiate a larger one on their next link")
    }
  }

  private func refusal(_ failure: SMPFailure, _ target: SMPTarget) -> UpdateError {
    var error = failure.error(of: "take \(target.name)")
    if failure.isObstacle { error.code = .blocked }
    // The first version of SMP has no number for a slot that is in use.
    guard failure.group == nil, failure.code == SMPFailure.noMemory else { return error }
    return error.hinting("another image may be in the way, in the second slot of the device")
  }
}
