// SPDX-License-Identifier: MIT

/// Findings about the adapters.
extension Diagnosis {
  /// Findings about the adapter that a command would use, and whether there is one.
  var radio: [Finding] {
    guard let adapter = chosenAdapter else { return [noAdapter] }
    return [adapters(adapter)] + blocked(adapter) + [
      power(adapter), central(adapter), peripheral(adapter), passive(adapter),
    ] + pairing(adapter)
  }

  /// The adapter that a command would use: the requested one, else the first that is on, else the first.
  private var chosenAdapter: BusFacts.Adapter? {
    guard let wantedAdapter else { return bus.adapters.first { $0.isPowered } ?? bus.adapters.first }
    return bus.adapters.first { $0.name == wantedAdapter || $0.address == wantedAdapter.uppercased() }
  }

  private var noAdapter: Finding {
    if let wantedAdapter, !bus.adapters.isEmpty {
      return Finding(
        .fail, .adapter,
        "there is no adapter \(wantedAdapter), but \(bus.adapters.map(\.name).joined(separator: ", "))",
        fix: "blectl adapter list")
    }
    guard isLocal, !machine.controllers.isEmpty else {
      return Finding(
        .fail, .adapter, "BlueZ has no adapter, and the kernel knows none",
        fix: "plug one in, then: sudo dmesg | grep -i bluetooth")
    }
    return Finding(
      .fail, .adapter, "the kernel knows \(machine.controllers.joined(separator: ", ")), but BlueZ does not",
      fix: "sudo systemctl restart bluetooth")
  }

  private func adapters(_ chosen: BusFacts.Adapter) -> Finding {
    let others = bus.adapters.filter { $0.name != chosen.name }.map(\.name)
    let rest = others.isEmpty ? "" : "; others: \(others.joined(separator: ", "))"
    return Finding(.ok, .adapter, "\(chosen.name) (\(chosen.address)) is used\(rest)", adapter: chosen.name)
  }

  private func blocked(_ adapter: BusFacts.Adapter) -> [Finding] {
    let radio = isLocal ? machine.radios.first { $0.name == adapter.name } : nil
    if radio?.isHardBlocked ?? false {
      return [
        Finding(
          .fail, .rfkill, "a switch or a key of this machine blocks \(adapter.name)",
          fix: "the switch; 'rfkill list bluetooth' shows when it is off", adapter: adapter.name)
      ]
    }
    if adapter.isBlocked || radio?.isSoftBlocked ?? false {
      return [
        Finding(
          .fail, .rfkill, "rfkill blocks \(adapter.name)", fix: "sudo rfkill unblock bluetooth",
          adapter: adapter.name)
      ]
    }
    return radio == nil
      ? [] : [Finding(.ok, .rfkill, "\(adapter.name) is not blocked", adapter: adapter.name)]
  }

  private func power(_ adapter: BusFacts.Adapter) -> Finding {
    if adapter.isPowered { return Finding(.ok, .power, "\(adapter.name) is on", adapter: adapter.name) }
    let option = bus.adapters.count > 1 ? " -i \(adapter.name)" : ""
    return Finding(
      .fail, .power, "\(adapter.name) is off", fix: "blectl adapter on\(option)", adapter: adapter.name)
  }

  private func central(_ adapter: BusFacts.Adapter) -> Finding {
    guard let roles = adapter.roles else {
      return Finding(.ok, .central, "\(adapter.name) does not report its roles", adapter: adapter.name)
    }
    if roles.contains("central") {
      return Finding(
        .ok, .central, "\(adapter.name) can scan and connect (Low Energy)", adapter: adapter.name)
    }
    return Finding(
      .fail, .central, "\(adapter.name) has no Low Energy: it can neither scan nor connect",
      fix: "another adapter, with -i; or ControllerMode = dual in /etc/bluetooth/main.conf",
      adapter: adapter.name)
  }

  private func peripheral(_ adapter: BusFacts.Adapter) -> Finding {
    let can = adapter.hasAdvertising || adapter.roles?.contains("peripheral") ?? false
    return Finding(
      .ok, .peripheral, "\(adapter.name) \(can ? "can" : "cannot") be a peripheral", adapter: adapter.name)
  }

  private func passive(_ adapter: BusFacts.Adapter) -> Finding {
    if adapter.hasMonitors {
      return Finding(.ok, .passive, "passive scans are offered", adapter: adapter.name)
    }
    return Finding(
      .ok, .passive, "passive scans are not offered: bluetoothd runs without --experimental",
      adapter: adapter.name)
  }

  /// BlueZ does not reveal the default agent, only whether one exists.
  private func pairing(_ adapter: BusFacts.Adapter) -> [Finding] {
    guard let isPairable = adapter.isPairable else { return [] }
    let message =
      isPairable
      ? "\(adapter.name) is pairable: another program, such as the desktop, answers pairings that devices begin"
      : "\(adapter.name) is not pairable: no program answers pairings that devices begin, as 'blectl agent' does"
    return [Finding(.ok, .pairing, message, adapter: adapter.name)]
  }

  /// BlueZ's cached services of devices may be outdated.
  var cache: [Finding] {
    var findings = bus.emptyDevices.map { address in
      Finding(
        .warn, .cache,
        "\(address) is connected, but shows no services: what BlueZ remembers of it may be stale",
        fix: "blectl forget \(address)")
    }
    guard isLocal else { return findings }
    guard let count = machine.cachedDevices else {
      findings.append(Finding(.ok, .cache, "only root may see whose services BlueZ remembers"))
      return findings
    }
    if count > 0, findings.isEmpty {
      findings.append(
        Finding(
          .ok, .cache,
          "BlueZ remembers \(count) device\(count == 1 ? "" : "s"); one whose firmware was changed: blectl forget ADDRESS"
        ))
    }
    return findings
  }
}
