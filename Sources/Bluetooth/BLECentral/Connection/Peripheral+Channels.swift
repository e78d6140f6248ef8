// SPDX-License-Identifier: MIT
internal import AsyncIO
public import BlueZClient
internal import DBus

extension Peripheral {
  /// Opens an L2CAP channel of the device, over its link.
  ///
  /// Several channels can be open beside each other, and beside notifications. They end with the link.
  ///
  /// BlueZ: none of its calls. The channel is a socket of the kernel (`AF_BLUETOOTH`), which needs no rights; a
  /// simulated bluetoothd passes one that imitates it.
  ///
  /// ```swift
  /// let channel = try await peripheral.openChannel(psm: 0x80)
  /// try await channel.send(Array("hello".utf8))
  /// let answer = try await channel.receive()
  /// ```
  ///
  /// - Parameters:
  ///   - psm: the number of the channel, 1 to 255; devices that choose it themselves begin at 128.
  ///   - security: how secure the link must be; the kernel pairs if necessary.
  ///   - timeout: how long the device may take; nil sets no limit.
  /// - Returns: the channel.
  /// - Throws: ``BLEError``: `disconnected` without a link; `notSupported` if the device refuses, if the kernel has no
  ///   Bluetooth sockets, or if the bus is that of another host; `accessDenied`, `timedOut`, `cancelled` …
  public func openChannel(
    psm: UInt16, security: L2CAPSecurity = .none, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) -> L2CAPChannel {
    let operation = Operation(.openChannel(psm: psm, of: address), timeout: timeout)
    return try await central.perform { (core) throws(BLEError) in
      try await ChannelOpener(
        device: core.sessions.device(path), psm: psm, security: security, operation: operation
      ).open()
    }
  }

  /// Waits until the device has received what has left this machine over its channels; see
  /// ``L2CAPChannel/waitUntilSent(timeout:)``.
  ///
  /// BlueZ: ReadValue of a harmless attribute. Packets of a link arrive in order: the answer comes after them.
  ///
  /// - Throws: ``BLEError``: `notSupported` if the device has no attribute that can be read; `disconnected`, `timedOut` …
  package func confirmChannels(timeout: Duration?) async throws(BLEError) {
    let operation = Operation(.confirmWrites(address), timeout: timeout)
    try await central.perform { (core) throws(BLEError) in
      let device = core.sessions.device(path)
      guard !HarmlessReads(device: device).attributes().isEmpty else {
        throw operation.error(.notSupported, "the device has no attribute that can be read")
      }
      try await device.requireLink(operation)
      // For what an answer proves, the bytes are a write without response.
      device.commands.add(1)
      try await WriteConfirmation(device: device).confirm(operation)
    }
  }
}

/// Opens one channel of a device.
private struct ChannelOpener {
  let device: DeviceSession
  let psm: UInt16
  let security: L2CAPSecurity
  let operation: Operation

  private var core: CentralCore { device.core }
  private var path: String { device.path }

  func open() async throws(BLEError) -> L2CAPChannel {
    guard (1...255).contains(psm) else {
      throw operation.error(.invalidDefinition, "a PSM is 1 to 255")
    }
    guard core.connection.isDirect else {
      throw operation.error(.notSupported, "channels cannot cross the program that leads to the bus")
    }
    try await core.requireLink(of: device, operation)
    if core.client.bus.mayBeSimulated, let channel = try await openSimulated() {
      return channel
    }
    // The link may have ended meanwhile: the kernel would then open one of its own.
    try await device.requireLink(operation)
    guard let shown = core.client.model.devices[path], let address = shown.address,
      let adapter = core.client.model.adapters[shown.adapterPath].flatMap({ BluetoothAddress($0.address) })
    else {
      throw operation.error(.notFound, "BlueZ has forgotten the device")
    }
    return try await L2CAPSocket.connect(
      from: L2CAPSocket.Address(adapter, isRandom: false),
      to: L2CAPSocket.Address(address, isRandom: shown.addressType == .random), psm: psm, security,
      until: operation.deadline.instant, during: operation.action, on: core.loop)
  }

  /// Opens the channel of a simulated device; returns nil if bluetoothd is a real one.
  private func openSimulated() async throws(BLEError) -> L2CAPChannel? {
    do {
      let answer = try await core.client.call(
        L2CAPSocket.openCall(of: path, psm: psm, security), for: operation)
      let (descriptor, length) = try L2CAPSocket.socket(in: answer, during: operation.action)
      let socket = ChannelSocket(
        adopting: OwnedDescriptor(adopting: descriptor), maximum: L2CAPChannel.usualLength, on: core.loop)
      return L2CAPChannel(
        socket, psm: psm, peer: core.client.model.devices[path]?.address, maximumSendLength: Int(length),
        maximumReceiveLength: L2CAPChannel.usualLength, on: core.loop)
    } catch {
      guard L2CAPSocket.isOfRealDaemon(error) else { throw error }
      return nil
    }
  }
}
