// SPDX-License-Identifier: MIT
import DBus
import Testing

@testable import BLECentral

@Suite("DiscoveryFilter")
struct DiscoveryFilterTests {
  @Test("Without scans there is no filter")
  func none() { #expect(DiscoveryFilter([]) == nil) }

  @Test(
    "BlueZ is asked for what the most generous scan wants",
    arguments: [
      ([ScanFilter(minimumRSSI: -60), ScanFilter(minimumRSSI: -80)], -80),
      ([ScanFilter(minimumRSSI: -60), ScanFilter()], -127), ([ScanFilter(minimumRSSI: -500)], -127),
      ([ScanFilter(minimumRSSI: 500)], 20),
    ])
  func merging(filters: [ScanFilter], rssi: Int) throws {
    let merged = try #require(DiscoveryFilter(filters.map { ($0, false) }))
    #expect(merged.minimumRSSI == rssi)
    #expect(!merged.reportsDuplicates)
  }

  @Test("One scan that wants duplicates is enough")
  func duplicates() {
    #expect(DiscoveryFilter([(ScanFilter(), false), (ScanFilter(), true)])?.reportsDuplicates == true)
  }

  @Test("The arguments always name the transport, and never the services, of which bluetoothd 5.87 dies")
  func arguments() throws {
    let wide = try #require(DiscoveryFilter([(ScanFilter(), true)]))
    #expect(
      DBusValue.properties(wide.arguments(withPattern: true))
        == .properties([
          ("Transport", .string("le")), ("RSSI", .int16(-127)), ("DuplicateData", .boolean(true)),
          ("Pattern", .string("")),
        ]))
    let narrow = try #require(
      DiscoveryFilter([(ScanFilter(services: [.heartRate, .batteryService], minimumRSSI: -70), false)]))
    #expect(
      DBusValue.properties(narrow.arguments(withPattern: false))
        == .properties([
          ("Transport", .string("le")), ("RSSI", .int16(-70)), ("DuplicateData", .boolean(false)),
        ]))
  }
}

@Suite("DiscoverySession")
struct DiscoverySessionTests {
  private func filter(minimumRSSI: Int? = nil) throws -> DiscoveryFilter {
    try #require(DiscoveryFilter([(ScanFilter(minimumRSSI: minimumRSSI), false)]))
  }

  /// A session that runs with a filter, whose adapter says so or not.
  private func running(_ filter: DiscoveryFilter, isDiscovering: Bool = true) -> DiscoverySession {
    var session = DiscoverySession()
    session.wanted = filter
    session.filterSet(filter)
    session.started(isDiscovering: isDiscovering)
    return session
  }

  @Test("A scan sets its filter, then starts; without scans nothing happens, or the session stops")
  func life() throws {
    var session = DiscoverySession()
    #expect(session.nextStep() == .nothing)
    let filter = try filter()
    session.wanted = filter
    #expect(session.nextStep() == .setFilter(filter))
    session.filterSet(filter)
    #expect(session.nextStep() == .start)
    session.started(isDiscovering: false)
    #expect(session.isRunning)
    #expect(session.nextStep() == .nothing)
    session.wanted = nil
    #expect(session.nextStep() == .stop)
    session.stopped()
    #expect(session.nextStep() == .nothing)
  }

  @Test("The filter survives a stop, and is set again only when another is wanted")
  func filterChange() throws {
    let (all, near) = try (filter(), filter(minimumRSSI: -60))
    var session = running(all)
    session.wanted = near
    #expect(session.nextStep() == .setFilter(near))
    session.filterSet(near)
    #expect(session.nextStep() == .nothing)
    session.wanted = nil
    session.stopped()
    session.wanted = near
    #expect(session.nextStep() == .start)
  }

  @Test("A pause stops the session, its end starts it again; pauses add up")
  func pauses() throws {
    var session = running(try filter())
    session.pauses += 1
    session.pauses += 1
    #expect(session.nextStep() == .stop)
    session.stopped()
    #expect(session.nextStep() == .nothing)
    session.pauses -= 1
    #expect(session.nextStep() == .nothing)
    session.pauses -= 1
    #expect(session.nextStep() == .start)
  }

  @Test("A session whose adapter ends discovering by itself is lost: filter and start are due again")
  func loss() throws {
    let filter = try filter()
    var session = running(filter)
    let isLost = session.observed(isDiscovering: false, isPowered: true)
    #expect(isLost)
    #expect(!session.isRunning)
    #expect(session.nextStep() == .setFilter(filter))
    let isLostAgain = session.observed(isDiscovering: false, isPowered: true)
    #expect(!isLostAgain)
  }

  @Test("An adapter that was not discovering when the session started has to begin before it can end")
  func lateBeginning() throws {
    var session = running(try filter(), isDiscovering: false)
    let beforeBeginning = session.observed(isDiscovering: false, isPowered: true)
    #expect(!beforeBeginning)
    let atBeginning = session.observed(isDiscovering: true, isPowered: true)
    #expect(!atBeginning)
    let atEnd = session.observed(isDiscovering: false, isPowered: true)
    #expect(atEnd)
  }

  @Test("A change of the adapter while no session of ours runs is not a loss")
  func foreignDiscovery() throws {
    var session = DiscoverySession()
    session.wanted = try filter()
    for isDiscovering in [true, false, true, false] {
      let isLost = session.observed(isDiscovering: isDiscovering, isPowered: true)
      #expect(!isLost)
    }
    session = running(try filter())
    session.stopped()
    let isLost = session.observed(isDiscovering: false, isPowered: true)
    #expect(!isLost)
  }

  @Test("An adapter that goes off forgets the filter, whether or not a session runs, and the session with it")
  func powerLoss() throws {
    let filter = try filter()
    var stopped = running(filter)
    stopped.stopped()
    let isStoppedOneLost = stopped.observed(isDiscovering: false, isPowered: false)
    #expect(!isStoppedOneLost)
    #expect(stopped.nextStep() == .setFilter(filter))
    // It was switched off before it began to discover.
    var starting = running(filter, isDiscovering: false)
    let isStartingOneLost = starting.observed(isDiscovering: false, isPowered: false)
    #expect(isStartingOneLost)
    #expect(starting.nextStep() == .setFilter(filter))
  }
}
