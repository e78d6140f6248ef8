// SPDX-License-Identifier: MIT
internal import CPlatform

package enum USBDevice {
  /// Resets a device, as if it had been unplugged, by its file in `/dev/bus/usb`; blocks for up to seconds.
  package static func reset(_ path: String) throws(ErrorNumber) {
    let status = casyncio_reset_usb(path)
    if status < 0 { throw ErrorNumber(code: -status) }
  }
}
