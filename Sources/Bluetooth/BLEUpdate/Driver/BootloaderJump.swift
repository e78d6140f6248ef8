// SPDX-License-Identifier: MIT
internal import BLEFormats

/// Lets an application start its bootloader, and finds that again.
///
/// Runs on the thread of the manager's loop.
final class BootloaderJump {
  private let device: UpdateDevice
  private let method: UpdateMethod
  /// The name that the bootloader was told to have; nil if it has its own.
  private var name: String?
  /// The places at which the bootloader may be, besides that of the application.
  private var elsewhere: [Whereabouts.Place] = []

  private static let answerTime = Duration.seconds(5)
  private static let mostAttempts = 3
  private static let response: UInt8 = 0x20
  /// The results of the service of Secure DFU that mean more than a failure.
  private static let success: UInt8 = 1
  private static let busy: UInt8 = 6
  private static let notBonded: UInt8 = 7

  init(_ device: UpdateDevice, _ method: UpdateMethod) { (self.device, self.method) = (device, method) }

  /// Starts the bootloader, and returns what it offers.
  func run() async throws -> DeviceOffer {
    let application = device.address
    for _ in 0..<Self.mostAttempts {
      if let offer = try await device.persist(.jumping, { try await jump() }) { return offer }
      try await device.awaitEnd()
      device.whereabouts = Whereabouts(
        [Whereabouts.Place(address: application)] + elsewhere, names: name.map { [$0] } ?? [])
      try await device.awaitReturn()
      let offer = try await device.persist(.reading) { try await DeviceOffer(of: device.peripheral) }
      if offer.takes(method) {
        device.achieved()
        return offer
      }
    }
    throw UpdateError(
      .timedOut, "the application of the device does not start its bootloader for \(method.title)",
      hint: "start the bootloader by hand, such as with a button at power-on, and update again")
  }

  /// Lets the application jump; returns what the device offers if its bootloader runs already.
  private func jump() async throws -> DeviceOffer? {
    let offer = try await DeviceOffer(of: device.peripheral)
    guard let jump = offer.jump(for: method), let control = offer.jumps[jump] else {
      // It has started since, or the services are those of another firmware.
      if offer.takes(method) { return offer }
      throw Silence("the device does not offer \(method.title) any more")
    }
    elsewhere = Whereabouts.Place.bootloaders(of: device.address)
    try await device.listen(at: elsewhere)
    let link = try await DFULink.open(
      over: device.peripheral, control: control, within: device.options.openingTime)
    device.linkAnswers()
    if jump == .buttonless { try await setName(over: link) }
    device.startsBootloader(true)
    do {
      try await link.write(jump == .legacy ? [0x01, 0x04] : [0x01])
      if jump != .legacy { try await awaitAnswer(over: link) }
    } catch let error as BLEError where Remedy(for: error) == .reopen {
      // The link may end before the answer.
    } catch {
      if Self.isRefusal(error) { device.startsBootloader(false) }
      throw error
    }
    return nil
  }

  /// Returns whether the application has certainly not done what it was told.
  private static func isRefusal(_ error: any Error) -> Bool {
    if let error = error as? BLEError { return error.attError != nil || Remedy(for: error) == .pair }
    return error is UpdateError || error is any LackOfProgress
  }

  /// Gives the bootloader a name of its own, if the application can: many are called the same.
  private func setName(over link: DFULink) async throws {
    let name = name ?? "Dfu\(UInt32.random(in: 10000...99999))"
    let bytes = Array(name.utf8)
    try await link.write([0x02, UInt8(bytes.count)] + bytes)
    guard let answer = try await answer(to: 0x02, over: link) else { return }
    if answer == Self.notBonded { throw notBondedError }
    if answer == Self.success { self.name = name }
  }

  private func awaitAnswer(over link: DFULink) async throws {
    // Without an answer, the end of the link tells.
    guard let answer = try await answer(to: 0x01, over: link), answer != Self.success else { return }
    switch answer {
    case Self.busy: throw Silence("the application is busy, and does not start its bootloader")
    case Self.notBonded: throw notBondedError
    default:
      throw UpdateError(
        .deviceError, "the application refuses to start its bootloader: result \(answer)",
        deviceCode: Int(answer))
    }
  }

  private var notBondedError: UpdateError {
    UpdateError(
      .needsPairing, "the application starts its bootloader only for a bonded computer",
      hint: "pair with the device first", deviceCode: Int(Self.notBonded))
  }

  /// Returns the result of a request; nil if none comes in time.
  private func answer(to request: UInt8, over link: DFULink) async throws -> UInt8? {
    while let value = try await link.receive(within: Self.answerTime) {
      if value.count >= 3, value[0] == Self.response, value[1] == request { return value[2] }
    }
    return nil
  }
}
