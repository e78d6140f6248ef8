// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEWorld
internal import DBus
internal import Glibc

/// AcquireNotify and AcquireWrite: a socket for one client instead of calls and signals.
extension RemoteCharacteristic {
  var isNotifyAcquired: Bool { subscription.isAcquired }

  func acquireNotify(_ call: MethodCall) {
    guard let link else { return call.fail(.failed("Not connected")) }
    guard !isNotifyAcquired else { return call.fail(.notPermitted("Notify acquired")) }
    guard subscription.sessions.isEmpty else { return call.fail(.inProgress) }
    guard
      device.daemon.behaviour.acquiresIndications ? properties.isSubscribable : properties.contains(.notify)
    else {
      return call.fail(.notSupported)
    }
    subscription.isAcquired = true
    configure { [weak self] failure in
      guard let self else { return }
      if let failure {
        guard device.daemon.behaviour.answersFailedAcquire else { return }
        subscription.isAcquired = false
        return call.fail(failure)
      }
      guard let pair = AcquiredSocket.pair(on: device.daemon.loop) else {
        subscription.isAcquired = false
        return call.fail(.failed("Failed to acquire notify"))
      }
      notifySocket = pair.ours
      pair.ours.watch { _ in
      } onClose: { [weak self] in
        self?.releaseNotify()
      }
      changed("NotifyAcquired")
      hand(pair.theirs, mtu: link.mtu, to: call)
    }
  }

  func acquireWrite(_ call: MethodCall) {
    guard let link else { return call.fail(.failed("Not connected")) }
    guard !service.isClaimed else { return call.fail(.notAuthorized) }
    guard writeSocket == nil else { return call.fail(.notPermitted("Write acquired")) }
    guard properties.contains(.writeWithoutResponse) else { return call.fail(.notSupported) }
    guard let pair = AcquiredSocket.pair(on: device.daemon.loop) else {
      return call.fail(.failed("Failed to acquire write"))
    }
    writeSocket = pair.ours
    pair.ours.watch { [weak self] packet in
      guard let self, packet.count <= Int(link.mtu) - 3 else { return }
      link.command(valueHandle, packet)
    } onClose: { [weak self] in
      self?.releaseWrite()
    }
    changed("WriteAcquired")
    hand(pair.theirs, mtu: link.mtu, to: call)
  }

  private func hand(_ descriptor: Int32, mtu: UInt16, to call: MethodCall) {
    call.reply { writer in
      writer.descriptor(adopting: OwnedDescriptor(adopting: descriptor))
      writer.uint16(mtu)
    }
  }

  // MARK: Releasing

  func releaseNotify() {
    guard let socket = notifySocket else { return }
    notifySocket = nil
    socket.close()
    subscription.isAcquired = false
    changed("NotifyAcquired")
    unconfigureIfUnused()
  }

  private func releaseWrite() {
    guard let socket = writeSocket else { return }
    writeSocket = nil
    socket.close()
    changed("WriteAcquired")
  }

  /// Closes the sockets of a characteristic that is gone: nothing is signalled or written any more.
  func abandonSockets() {
    notifySocket?.close()
    writeSocket?.close()
    (notifySocket, writeSocket) = (nil, nil)
  }

  /// Closes the sockets when the link ends; a socket that was never handed over stays acquired.
  func closeSockets() {
    releaseNotify()
    releaseWrite()
  }
}
