// SPDX-License-Identifier: MIT
internal import BLEWorld

/// The initial state of a simulation: a release of BlueZ, adapters and peripherals.
public struct SimulatedWorld: Sendable, Equatable {
  /// A release of BlueZ that the simulator imitates.
  public enum BlueZ: Sendable, Equatable, CaseIterable {
    /// The release in Debian 12.
    case v5_66
    /// The release in Debian 13.
    case v5_82
    /// A release of 2026.
    case v5_87
  }

  private var world: World
  private let isChecked: Bool

  /// A few devices, such as a heart rate strap and a beacon; the page `blectl-built-in-world(7)` describes them.
  public static let builtIn = SimulatedWorld(.builtIn)

  /// Creates a world that needs no check.
  private init(_ world: World) {
    self.world = world
    isChecked = true
  }

  /// Creates a world of peripherals.
  ///
  /// ``withSimulatedBlueZ(_:_:)`` checks it and reports its mistakes.
  ///
  /// - Parameters:
  ///   - peripherals: the peripherals; those without an address get `C0:FF:EE:00:00:01` and following.
  ///   - adapters: the number of adapters, at most 8, named `hci0` and following, which hear each other.
  ///   - bluez: the release of BlueZ.
  public init(peripherals: [SimulatedPeripheral], adapters: Int = 1, bluez: BlueZ = .v5_66) {
    let specs = peripherals.enumerated().map { index, peripheral in
      let number = Hex.string([UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index &+ 1)])
      return peripheral.spec(address: "C0:FF:EE:00:\(number.prefix(2)):\(number.suffix(2))".uppercased())
    }
    world = World(peripherals: specs)
    isChecked = false
    world.setAdapterCount(min(max(adapters, 0), 8))
    self.bluez = bluez
  }

  /// Reads a world file, as `blectl simulate` does; `blectl snapshot` writes one from a real device.
  ///
  /// - Parameter path: the file, to which the paths of logs are relative.
  /// - Throws: ``SimulationError`` with the line and the column of the mistake.
  public init(file path: String) throws(SimulationError) {
    do throws(WorldFileError) {
      self.init(try World(file: path))
    } catch {
      throw SimulationError(error)
    }
  }

  /// The release of BlueZ.
  public var bluez: BlueZ {
    get {
      switch world.bluez {
      case .v5_66: .v5_66
      case .v5_82: .v5_82
      case .v5_87: .v5_87
      }
    }
    set {
      world.bluez =
        switch newValue {
        case .v5_66: .v5_66
        case .v5_82: .v5_82
        case .v5_87: .v5_87
        }
    }
  }

  /// Returns the world, if a file could describe it.
  func checked() throws(SimulationError) -> World {
    if isChecked { return world }
    do throws(WorldFileError) {
      return try World(json: world.json, name: "the world") { _ throws(WorldFileError) in [] }
    } catch {
      throw SimulationError(error)
    }
  }
}

extension SimulationError {
  fileprivate init(_ error: WorldFileError) {
    self.init(([error.description] + error.mistakes).joined(separator: "\n"))
  }
}
