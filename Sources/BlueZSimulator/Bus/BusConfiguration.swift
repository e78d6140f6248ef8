// SPDX-License-Identifier: MIT

/// The configuration of the private bus: our user may do everything, the bus starts no services, and the limits are
/// beyond any benchmark.
///
/// The bus stops reading from a sender while `max_incoming_bytes` of its messages wait for slow receivers. A
/// receiver's queue may hold more than that, so the sender is slowed down and nothing is dropped.
enum BusConfiguration {
  static func text(socket: String, denying name: String?) -> String {
    let denial = name.map { "<deny send_destination=\"\($0)\"/>" } ?? ""
    return """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(socket)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow user="*"/>
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
          \(denial)
        </policy>
        <limit name="max_incoming_bytes">134217728</limit>
        <limit name="max_outgoing_bytes">1073741824</limit>
        <limit name="max_message_size">134217728</limit>
        <limit name="max_completed_connections">10000</limit>
        <limit name="max_incomplete_connections">1000</limit>
        <limit name="max_connections_per_user">10000</limit>
        <limit name="max_names_per_connection">1000</limit>
        <limit name="max_match_rules_per_connection">100000</limit>
        <limit name="max_replies_per_connection">100000</limit>
      </busconfig>
      """
  }
}
