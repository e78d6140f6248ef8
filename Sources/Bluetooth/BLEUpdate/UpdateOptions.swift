// SPDX-License-Identifier: MIT

extension FirmwareUpdate {
  /// The choices of an update; all have defaults that suit most devices.
  public struct Options: Sendable {
    /// The method, if a device and a file leave a choice; nil takes the only one.
    public var method: UpdateMethod?
    /// The moment at which the device is told to keep the new firmware, for SMP.
    public var confirmation: Confirmation = .after
    /// True to send firmware that has problems, or that the device says it will refuse.
    public var isForced = false
    /// The number of the image on a device with several, for a file with one, for SMP.
    public var image = 0
    /// The most packets that may wait for the device's answer; nil decides by what the device says.
    public var window: Int?
    /// The largest packet of SMP, in bytes; nil decides by what the device says.
    public var packetSize: Int?
    /// The time limit of an answer that needs no erased flash.
    public var answerTime = Duration.seconds(10)
    /// The time limit of an answer before which the device may erase its flash, or check the whole firmware.
    public var eraseTime = Duration.seconds(75)
    /// The time limit for a device to come back, after a lost link, a jump or a reset; nil waits for ever.
    public var returnTime: Duration? = .seconds(180)
    /// The number of links in succession over which nothing is achieved, after which the update fails.
    public var attempts = 8
    /// Pairs with devices that require it; nil makes that an error.
    public var pairing: UpdatePairing?
    /// The address of the application, if the device may be in its bootloader, since an earlier run has started that.
    package var application: BluetoothAddress?
    /// The address at which that run has found the bootloader; nil if it has not.
    package var bootloader: BluetoothAddress?
    /// The address of an application that an earlier run has left in a bootloader where the device is: perhaps its own.
    package var formerApplication: BluetoothAddress?
    /// Returns the addresses of other devices, which are never taken for this one.
    package var others: @Sendable () -> Set<BluetoothAddress> = { [] }

    /// Makes the default choices.
    public init() {}

    /// The time limit of a subscription, before which a person may have to answer a pairing.
    var openingTime: Duration { answerTime + (pairing?.answerTime ?? .zero) }
  }

  /// The moment at which a device is told to keep new firmware, which it otherwise replaces by the former one at its next
  /// reset.
  public enum Confirmation: String, Sendable, Hashable, CaseIterable {
    /// Before the first start: firmware that does not start leaves the device useless.
    case now
    /// After the new firmware has answered.
    case after
    /// Never: the device returns to the former firmware at its next reset, unless something else confirms.
    case never
  }
}

/// Pairs with devices that require it, during an update.
public struct UpdatePairing: Sendable {
  /// Called before each link is opened, such as to register an agent.
  public var prepare: @Sendable (PeripheralInfo) async throws -> Void
  /// Called when the device of a link has refused a request because it is not paired; pairs with it.
  public var pair: @Sendable (Peripheral) async throws -> Void
  /// The time that a person may take to answer a question of a pairing; zero if nobody is asked.
  public var answerTime: Duration

  /// Makes a way to pair.
  ///
  /// - Parameters:
  ///   - prepare: called before each link is opened.
  ///   - answerTime: the time that a person may take to answer a question; zero if nobody is asked.
  ///   - pair: pairs with the device of a link.
  public init(
    prepare: @escaping @Sendable (PeripheralInfo) async throws -> Void = { _ in },
    answerTime: Duration = .seconds(25), pair: @escaping @Sendable (Peripheral) async throws -> Void
  ) {
    (self.prepare, self.pair, self.answerTime) = (prepare, pair, answerTime)
  }
}
