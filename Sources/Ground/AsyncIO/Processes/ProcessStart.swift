// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc

/// The parameters for starting a child process.
package struct ProcessStart: Sendable {
  /// The source of the terminal signals that the child receives.
  package enum Group: Sendable {
    /// Ours.
    case shared
    /// Its own: signals to the child also reach its children, but it cannot read from the terminal.
    case own
    /// It leads a session on the terminal with this path, which becomes its standard streams.
    case session(terminal: String)
  }

  /// The program first; it is looked up in PATH if its name has no slash.
  package var arguments: [String]
  /// Variables that are added to ours, or replace them.
  package var environment: [String: String] = [:]
  /// Our descriptors by their numbers in the child, which inherits the standard streams otherwise.
  package var descriptors: [Int32: Int32] = [:]
  package var group = Group.shared
  /// The child dies with the thread that starts it, and inherits no other descriptor.
  package var isBound = false

  package init(_ arguments: [String]) { self.arguments = arguments }

  /// Starts the child, and returns once its program runs.
  package func start() throws(ErrorNumber) -> ChildProcess {
    let words = CStrings(arguments)
    let variables = CStrings(ProcessStart.variables(environment))
    var plan = cspawn_plan()
    plan.arguments = UnsafePointer(words.pointer)
    plan.environment = UnsafePointer(variables.pointer)
    plan.is_bound = isBound
    plan.descriptor_count = Int32(descriptors.count)
    withUnsafeMutableBytes(of: &plan.descriptors) { bytes in
      let entries = bytes.bindMemory(to: cspawn_descriptor.self)
      for (place, descriptor) in descriptors.enumerated() {
        entries[place] = cspawn_descriptor(source: descriptor.value, target: descriptor.key)
      }
    }
    var terminal = CStrings([])
    switch group {
    case .shared: plan.group = CSPAWN_SAME_GROUP
    case .own: plan.group = CSPAWN_OWN_GROUP
    case .session(let path):
      plan.group = CSPAWN_OWN_SESSION
      terminal = CStrings([path])
    }
    plan.terminal = UnsafePointer(terminal.pointer[0])
    let process = withExtendedLifetime((words, variables, terminal)) { cspawn_start(&plan) }
    guard process > 0 else { throw ErrorNumber(code: -process) }
    return ChildProcess(process, leadsGroup: plan.group != CSPAWN_SAME_GROUP)
  }

  private static func variables(_ changes: [String: String]) -> [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if changes[String(variable.prefix { $0 != "=" })] == nil { variables.append(variable) }
      entry += 1
    }
    return variables + changes.map { "\($0.key)=\($0.value)" }
  }
}

/// Copies of strings for C, ended by a null pointer.
private final class CStrings {
  let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    pointer = .allocate(capacity: count + 1)
    for (place, string) in strings.enumerated() { (pointer + place).initialize(to: strdup(string)) }
    (pointer + count).initialize(to: nil)
  }

  deinit {
    for place in 0..<count { free(pointer[place]) }
    pointer.deallocate()
  }
}
