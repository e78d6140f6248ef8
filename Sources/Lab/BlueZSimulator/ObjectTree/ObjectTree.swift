// SPDX-License-Identifier: MIT
internal import DBus
internal import PeripheralEmulator

/// The objects on the bus, and the order of their signals, on which clients depend.
///
/// As in bluetoothd, changes are collected for each object and signalled when the daemon is idle, repeated
/// ones once. A reply follows all pending signals. When idle, objects are signalled in order of their latest
/// change; before a reply, in order of their earliest. So ServicesResolved can precede the services.
final class ObjectTree {
  private let timers: TimerQueue
  private let outlet: (Message) -> Void
  private var objects: [String: ExportedObject] = [:]
  private var pending: [ExportedObject] = []
  private var changeCount = 0
  private var isFlushScheduled = false
  let root = ExportedObject(path: "/")
  /// An interface that a real daemon does not have, and that no list shows.
  var extra: (any ExportedInterface)?

  init(timers: TimerQueue, outlet: @escaping (Message) -> Void) {
    self.timers = timers
    self.outlet = outlet
    objects["/"] = root
  }

  func object(at path: String) -> ExportedObject? { objects[path] }

  /// Returns the next path elements below a path.
  func children(of path: String) -> [String] {
    let prefix = path == "/" ? "/" : path + "/"
    var names: Set<Substring> = []
    for other in objects.keys where other.count > prefix.count && other.hasPrefix(prefix) {
      names.insert(other.dropFirst(prefix.count).prefix { $0 != "/" })
    }
    return names.sorted().map(String.init)
  }

  // MARK: Registering

  /// Adds an interface to an object, and creates the object for its first one.
  func register(_ interface: any ExportedInterface, at path: String) {
    let object = objects[path] ?? makeObject(at: path)
    let slot = ExportedObject.Slot(interface)
    object.slots.append(slot)
    object.added.append(slot)
    note(object)
  }

  private func makeObject(at path: String) -> ExportedObject {
    let object = ExportedObject(path: path)
    let parent = nearestObject(above: path)
    object.parent = parent
    parent.children.append(object)
    objects[path] = object
    return object
  }

  private func nearestObject(above path: String) -> ExportedObject {
    var path = path[...]
    while let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      path = path[..<slash]
      if let object = objects[String(path)] { return object }
    }
    return root
  }

  /// Removes an interface from an object; removing the last one removes the object and is signalled at once.
  func unregister(_ name: String, at path: String) {
    guard let object = objects[path], let slot = object.slot(name) else { return }
    emitChanges(of: slot, at: path)
    object.slots.removeAll { $0 === slot }
    if object.isAdded(slot) {
      object.added.removeAll { $0 === slot }
      if object.slots.isEmpty { object.added = [] }
    } else {
      object.removed.insert(name, at: 0)
      note(object)
    }
    guard object.slots.isEmpty else { return }
    if !object.removed.isEmpty {
      object.removed =
        [StandardInterface.properties, StandardInterface.introspectable].filter {
          !object.removed.contains($0)
        }
        + object.removed
    }
    objects[path] = nil
    if let index = object.parent?.children.firstIndex(where: { $0 === object }) {
      object.parent?.children.remove(at: index)
    }
    object.isRegistered = false
    emit(object)
  }

  // MARK: Changes

  /// Records that a property may have changed, unless the daemon's release does not have it.
  ///
  /// Urgent changes are signalled at once, so that no value is skipped.
  func changed(_ property: String, of name: String, at path: String, isUrgent: Bool = false) {
    guard let object = objects[path], let slot = object.slot(name), !object.isAdded(slot),
      slot.interface.description.property(property) != nil
    else { return }
    if !slot.changed.contains(property) { slot.changed.insert(property, at: 0) }
    if isUrgent {
      for slot in object.slots { emitChanges(of: slot, at: path) }
    } else {
      note(object)
    }
  }

  /// Replaces the value of a property; nil restores it.
  func override(_ property: String, of name: String, at path: String, with value: DBusValue?) {
    objects[path]?.slot(name)?.overrides[property] = value
    changed(property, of: name, at: path)
  }

  /// Signals all properties of an interface, even unchanged ones.
  func repeatProperties(of name: String, at path: String) {
    guard let slot = objects[path]?.slot(name) else { return }
    for property in slot.properties.reversed() { changed(property.0, of: name, at: path) }
  }

  /// Signals new bytes like an urgent ``changed(_:of:at:isUrgent:)``, without lookups or a rebuilt signal.
  func changed(_ stream: ValueStream, to bytes: [UInt8]) {
    guard let object = stream.object ?? objects[stream.path],
      let slot = stream.slot ?? object.slot(stream.interface)
    else { return }
    stream.object = object
    stream.slot = slot
    guard object.isRegistered, object.added.isEmpty, slot.overrides.isEmpty,
      object.slots.allSatisfy({ $0.changed.isEmpty }), let signal = stream.signal(with: bytes)
    else { return changed(stream.property, of: stream.interface, at: stream.path, isUrgent: true) }
    outlet(signal)
  }

  private func note(_ object: ExportedObject) {
    changeCount += 1
    object.lastChange = changeCount
    guard !object.isPending else { return }
    object.isPending = true
    pending.append(object)
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    timers.schedule(after: .zero) { [weak self] in self?.flushWhenIdle() }
  }

  private func flushWhenIdle() {
    isFlushScheduled = false
    let waiting = pending.sorted { $0.lastChange < $1.lastChange }
    pending = []
    for object in waiting where object.isPending { emit(object) }
  }

  func flush() {
    guard !pending.isEmpty else { return }
    let waiting = pending
    pending = []
    for object in waiting where object.isPending { emit(object) }
  }

  func send(_ message: Message) {
    flush()
    outlet(message)
  }

  // MARK: Signals

  private func emit(_ object: ExportedObject) {
    object.isPending = false
    if !object.added.isEmpty { emitAdded(object) }
    for slot in object.slots { emitChanges(of: slot, at: object.path) }
    if !object.removed.isEmpty { emitRemoved(object) }
  }

  private func emitAdded(_ object: ExportedObject) {
    let added = object.added
    let isNew = added.count == object.slots.count
    object.added = []
    outlet(
      Message(signal: "InterfacesAdded", of: StandardInterface.objectManager, at: "/") { writer in
        writer.objectPath(object.path)
        writer.array(of: "{sa{sv}}") { $0.interfaces(added, of: object, withStandardOnes: isNew) }
      })
  }

  private func emitRemoved(_ object: ExportedObject) {
    let removed = object.removed
    object.removed = []
    outlet(
      Message(signal: "InterfacesRemoved", of: StandardInterface.objectManager, at: "/") { writer in
        writer.objectPath(object.path)
        writer.value(.strings(removed))
      })
  }

  private func emitChanges(of slot: ExportedObject.Slot, at path: String) {
    guard !slot.changed.isEmpty else { return }
    let names = slot.changed
    slot.changed = []
    let values = names.map { ($0, slot.value(of: $0)) }
    outlet(
      Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
        writer.string(slot.name)
        writer.properties(values.compactMap { name, value in value.map { (name, $0) } })
        writer.value(.strings(values.filter { $0.1 == nil }.map(\.0)))
      })
  }
}

extension MessageWriter {
  mutating func interfaces(_ slots: [ExportedObject.Slot], of object: ExportedObject, withStandardOnes: Bool)
  {
    if withStandardOnes { interface(StandardInterface.introspectable, []) }
    let first = object.slots.first { !$0.interface.description.properties.isEmpty }
    for slot in slots {
      interface(slot.name, slot.properties)
      if withStandardOnes, slot === first { interface(StandardInterface.properties, []) }
    }
  }

  private mutating func interface(_ name: String, _ properties: [(String, DBusValue)]) {
    entry { writer in
      writer.string(name)
      writer.properties(properties)
    }
  }
}
