// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

extension AdapterObject {
  /// The value of `PowerState`.
  var powerState: String {
    switch (isPowered, isBlocked, pendingPower != nil) {
    case (false, true, _): "off-blocked"
    case (false, _, true): "off-enabling"
    case (false, _, false): "off"
    case (true, _, true): "on-disabling"
    case (true, _, false): "on"
    }
  }

  func setPowered(_ isOn: Bool, answering call: MethodCall) {
    guard pendingPower == nil else { return call.fail(.named("org.bluez.Error.Busy", "")) }
    guard isOn != isPowered else { return call.reply() }
    if isOn, isBlocked { return call.fail(.blocked) }
    pendingPower = call
    changed("PowerState")
    daemon.timers.schedule(after: daemon.timing.power) { [weak self] in
      guard let self, pendingPower === call else { return }
      pendingPower = nil
      if isRemoved { return }
      if !isOn { endRadio() }
      call.reply()
      powerSwitched(isOn)
    }
  }

  /// Changes the power without a call, as rfkill or another program does.
  func switchPower(_ isOn: Bool) {
    guard isOn != isPowered, !isOn || !isBlocked else { return }
    if !isOn { endRadio() }
    powerSwitched(isOn)
  }

  /// Blocks or unblocks the radio as rfkill does.
  func setBlocked(_ blocked: Bool) {
    isBlocked = blocked
    if blocked { switchPower(false) }
    changed("PowerState")
  }

  private func powerSwitched(_ isOn: Bool) {
    if !isOn { discoveryEndedByPower() }
    if isOn {
      if silence != .reset { silence = nil }
      if ignoredConnects != .reset { ignoredConnects = nil }
    }
    powerChanged(to: isOn)
  }

  /// Removes temporary devices and closes links.
  private func endRadio() {
    for device in devices where device.isTemporary && !device.link.phase.isConnected { remove(device) }
    for device in devices {
      let wasTemporary = device.isTemporary  // before its link ends
      device.link.radioEnded()
      if wasTemporary { remove(device) }
    }
  }
}
