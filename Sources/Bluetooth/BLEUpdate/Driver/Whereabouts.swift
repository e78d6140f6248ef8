// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The places at which a device may be found again.
struct Whereabouts: Equatable {
  /// An address at which the device may be.
  struct Place: Equatable {
    /// The firmware of the device that has the address.
    enum Resident: Equatable {
      case any
      /// Only a bootloader: an application with this address is another device.
      case bootloader
      /// Only an application that can start a bootloader.
      case application
    }

    let address: BluetoothAddress
    var resident = Resident.any
    /// True for an address next to that of the device, which another device may have.
    var isGuess = false
    /// True for the address of a device that was found by its name.
    var isNamed = false
  }

  /// The places, the likeliest first.
  var places: [Place]
  /// The names that the device was told to have, which no other device has.
  var names: [String] = []

  init(_ places: [Place], names: [String] = []) {
    self.names = names
    // What is known first counts.
    self.places = places.reduce(into: []) { all, next in
      if !all.contains(where: { $0.address == next.address }) { all.append(next) }
    }
  }

  /// Returns the places of a device that an earlier run has told to start its bootloader, which was perhaps found.
  static func interrupted(application: BluetoothAddress, bootloader: BluetoothAddress?) -> Whereabouts {
    let home = Place(address: application)
    guard let bootloader else { return Whereabouts([home] + Place.bootloaders(of: application)) }
    return bootloader == application
      ? Whereabouts([home])
      // Another device may have the address by now.
      : Whereabouts([Place(address: bootloader, resident: .bootloader, isGuess: true), home])
  }

  /// True if an address alone does not lead to the device.
  var isSearch: Bool { places.count > 1 || places.contains { $0.resident != .any } || !names.isEmpty }

  /// Returns the place of a device that was heard; nil if it is not the one.
  func place(of info: PeripheralInfo) -> Place? {
    if let place = places.first(where: { info.has($0.address) }), !place.isGuess || !isNamed(info) {
      return place
    }
    return isNamed(info) ? Place(address: info.address, resident: .bootloader, isNamed: true) : nil
  }

  private func isNamed(_ info: PeripheralInfo) -> Bool { info.names.contains { names.contains($0) } }
}

extension Whereabouts.Place {
  /// Returns whether the device that was found there is the one.
  func admits(_ found: DeviceOffer.Kind) -> Bool {
    switch resident {
    case .any: true
    case .bootloader: found == .bootloader
    case .application: found == .application
    }
  }

  /// The places at which a bootloader of Nordic may be, besides that of its application.
  static func bootloaders(of application: BluetoothAddress) -> [Self] {
    application.bootloaderAddresses.map { Self(address: $0, resident: .bootloader, isGuess: true) }
  }

  /// The places at which an application may be, besides that of its bootloader.
  static func applications(of bootloader: BluetoothAddress) -> [Self] {
    bootloader.neighbours(-1).map { Self(address: $0, resident: .application, isGuess: true) }
  }
}

extension BluetoothAddress {
  /// The addresses of which a bootloader of Nordic takes one, so that no cached services of the application are used.
  package var bootloaderAddresses: [BluetoothAddress] { neighbours(1) }

  /// The next or the last address: usually only the last byte counts on, some firmware counts all.
  fileprivate func neighbours(_ step: Int64) -> [BluetoothAddress] {
    var bytes = bytes
    bytes[5] = UInt8(truncatingIfNeeded: Int64(bytes[5]) + step)
    let counted = UInt64(bitPattern: Int64(bitPattern: number) &+ step) & 0xffff_ffff_ffff
    let found = [BluetoothAddress(bytes: bytes), BluetoothAddress(number: counted)].compactMap(\.self)
    return found.count == 2 && found[0] == found[1] ? [found[0]] : found
  }
}
