// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// One update of one device.
actor UpdateEngine: LoopActor {
  private let firmware: Firmware
  private let options: FirmwareUpdate.Options
  private let device: UpdateDevice
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  init(
    _ update: FirmwareUpdate, _ peripheral: Peripheral,
    _ progress: @escaping @Sendable (UpdateProgress) -> Void
  ) {
    (firmware, options) = (update.firmware, update.options)
    device = UpdateDevice(peripheral, update.options, progress)
    loop = peripheral.central.loop
  }

  func plan() async throws(UpdateError) -> UpdatePlan {
    do throws(UpdateError) {
      return try await converting {
        try checkFile()
        return try await begin().plan()
      }
    } catch {
      await device.release()
      throw error
    }
  }

  func run() async throws(UpdateError) -> UpdateResult {
    let start = LoopClock.now
    do throws(UpdateError) {
      let outcome = try await converting {
        try checkFile()
        return try await begin().run()
      }
      await device.release()
      return UpdateResult(
        address: device.address, method: outcome.method, from: outcome.from, to: outcome.to,
        bytes: device.received, duration: LoopClock.now - start, proof: outcome.proof,
        isConfirmed: outcome.isConfirmed, unkept: outcome.unkept)
    } catch {
      await device.release()
      throw error
    }
  }

  private func converting<Result>(
    _ body: () async throws -> Result
  ) async throws(UpdateError) -> Result {
    do { return try await body() } catch { throw UpdateError(any: error, "take the firmware") }
  }

  private func checkFile() throws(UpdateError) {
    if firmware.methods.isEmpty || firmware.problems.isEmpty || options.isForced {
      if firmware.methods.isEmpty { throw unknownFile }
      return
    }
    throw UpdateError(.unfit, "\(firmware.name): \(firmware.problems.joined(separator: "; "))")
  }

  private var unknownFile: UpdateError {
    UpdateError(
      .unfit,
      firmware.problems.first.map { "\(firmware.name): \($0)" }
        ?? "\(firmware.name) is no firmware that can be sent",
      hint: "take a signed image of MCUboot (.bin, .hex), or the .zip that the maker's tool has packed")
  }

  /// Connects, and chooses the method.
  private func begin() async throws -> any UpdateFlow {
    // Before a link is opened for nothing.
    if let wanted = options.method {
      _ = try MethodChoice.choose(of: firmware.methods, offered: UpdateMethod.allCases, wanted: wanted)
    }
    if let application = options.application {
      device.whereabouts = .interrupted(
        application: application, bootloader: options.bootloader)
    }
    try await device.connect()
    let offer = try await device.persist(.reading) { try await DeviceOffer(of: device.peripheral) }
    let method = try MethodChoice.choose(
      of: firmware.methods, offered: offer.methods, wanted: options.method)
    device.methods = [method]
    return method == .smp
      ? try SMPFlow(device, firmware, offer) : try NordicFlow(device, firmware, method, offer)
  }
}

/// The steps of an update by one protocol.
protocol UpdateFlow {
  /// Finds out what there is to do; changes nothing.
  func plan() async throws -> UpdatePlan
  /// Does it.
  func run() async throws -> FlowOutcome
}

/// The outcome of an update.
struct FlowOutcome: Equatable {
  var method: UpdateMethod
  var from: String?
  var to: String?
  var proof: UpdateProof
  var isConfirmed: Bool
  var unkept: [UpdateResult.UnkeptImage] = []
}
