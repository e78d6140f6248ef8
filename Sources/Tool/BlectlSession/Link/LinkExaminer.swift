// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BlectlArguments

/// Reads what a link is like, from BlueZ and from the controller under it; used only by tasks on the loop.
package final class LinkExaminer {
  private let link: DeviceConnection
  private let openedAt: Timestamp?
  private let radio: Result<LinkRadio, RadioFailure>

  /// Opens the link, or joins it; the controller is watched before, so that it shows the parameters of a new link.
  package init(_ choice: DeviceChoice, in context: CommandContext) async throws {
    let central = try await context.bus.central()
    let radio = LinkExaminer.radio(under: try await central.currentAdapter(), in: context)
    self.radio = radio
    do {
      link = try await DeviceConnection.open(choice, in: context)
    } catch {
      if case .success(let radio) = radio { radio.close() }
      throw error
    }
    openedAt = link.origin == .opened ? .now : nil
  }

  private static func radio(
    under adapter: Adapter, in context: CommandContext
  ) -> Result<LinkRadio, RadioFailure> {
    Result { () throws(RadioFailure) in try LinkRadio(under: adapter, in: context) }
  }

  package var peripheral: Peripheral { link.peripheral }

  package func close() { if case .success(let radio) = radio { radio.close() } }

  // MARK: Reading

  package func report() async throws -> LinkReport {
    let info = try await link.peripheral.info
    if !info.isConnected { try await link.peripheral.requireLink() }
    var report = LinkReport(info, link.origin)
    report.mtu = await link.peripheral.mtu
    report.since = openedAt
    do throws(RadioFailure) {
      let radio = try radio.get()
      let known = try radio.link(to: info.address)
      (report.isLE, report.isCentral, report.isEncrypted) = (known.isLE, known.isCentral, known.isEncrypted)
      report.parameters = radio.parameters(of: known)
      report.since = radio.time(of: known) ?? report.since
      await read(&report, known, radio)
    } catch {
      for part in LinkReport.Part.allCases where ![.mtu, .since].contains(part) {
        report.missing[part] = error
      }
    }
    if report.mtu == nil { report.missing[.mtu] = .system("BlueZ does not say") }
    if report.since == nil {
      report.missing[.since] = .system("before this command, by another program or the device")
    }
    return report
  }

  private func read(_ report: inout LinkReport, _ known: BluetoothSocket.Link, _ radio: LinkRadio) async {
    do throws(RadioFailure) {
      report.rssi = try await radio.rssi(of: known)
      if report.rssi == nil { report.missing[.rssi] = .system("the controller does not know it") }
    } catch { report.missing[.rssi] = error }
    do throws(RadioFailure) { report.txPower = try await radio.transmitPower(of: known) } catch {
      report.missing[.txPower] = error
    }
    var failure: RadioFailure?
    do throws(RadioFailure) {
      report.phys = try await radio.phys(of: known).map { LinkReport.Directions(tx: $0.tx, rx: $0.rx) }
    } catch { failure = error }
    if report.phys == nil { report.missing[.phy] = failure ?? .unsupported }
    guard report.parameters == nil else { return }
    let unseen =
      failure == .capability(.raw)
      ? RadioFailure.capability(.raw)
      : .system("the link opened before this command; the kernel tells it only then, and when it changes")
    for part in [LinkReport.Part.interval, .latency, .timeout] { report.missing[part] = unseen }
  }

  // MARK: Setting

  /// Asks for parameters and a PHY, and waits for what the device makes of it.
  package func set(_ wanted: WantedParameters, _ phy: LinkPHY?, timeout: Duration?) async throws {
    do throws(RadioFailure) {
      let radio = try radio.get()
      let known = try radio.link(to: try await currentAddress())
      if !wanted.isEmpty {
        guard let parameters = wanted.parameters(instead: radio.parameters(of: known)) else {
          throw .system("the interval is not known; give --interval too")
        }
        try await radio.set(parameters, of: known, timeout: timeout)
      }
      if let phy { try await radio.set(phy, of: known, timeout: timeout) }
    } catch {
      let what = wanted.isEmpty ? "the PHY" : "the parameters"
      throw CommandError(
        status: .failed, message: "cannot set \(what) of the link to \(link.title): \(error.reason)",
        hint: error.hint)
    }
  }

  private func currentAddress() async throws(RadioFailure) -> BluetoothAddress {
    do { return try await link.peripheral.info.address } catch { throw .system("\(error.message)") }
  }
}
