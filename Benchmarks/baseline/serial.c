// SPDX-License-Identifier: MIT
/// The baseline of `blectl serial ADDRESS --rx RX --tx TX`: subscribes to TX, passes standard input to RX in packets of 244
/// bytes through AcquireWrite's socket, and reads LEVEL, whose answer shows that they have arrived. What is received is not
/// looked at.
#include "baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PACKET = 244 };

static DBusMessage *call(DBusConnection *bus, const char *path, const char *member, int has_options) {
  DBusMessage *message = bluez_call(path, BLUEZ_CHARACTERISTIC, member);
  if (has_options) append_no_options(message);
  return bus_await(bus, message);
}

/// Fills a packet from standard input; returns how many bytes it has, 0 at the end.
static size_t fill(uint8_t *packet) {
  size_t count = 0;
  while (count < PACKET) {
    ssize_t some = read(STDIN_FILENO, packet + count, PACKET - count);
    if (some < 0) fail("cannot read: %s", strerror(errno));
    if (some == 0) break;
    count += (size_t)some;
  }
  return count;
}

int main(int argc, char **argv) {
  if (argc != 5) fail("usage: %s ADDRESS RX TX LEVEL", argv[0]);
  DBusConnection *bus = bus_open();
  char *rx = find_characteristic(bus, argv[1], argv[2]);
  char *tx = find_characteristic(bus, argv[1], argv[3]);
  char *level = find_characteristic(bus, argv[1], argv[4]);
  dbus_message_unref(call(bus, tx, "StartNotify", 0));
  int fd = bluez_acquire(bus, rx, "AcquireWrite");
  uint8_t packet[PACKET];
  size_t count;
  while ((count = fill(packet)) > 0)
    if (send(fd, packet, count, MSG_NOSIGNAL) != (ssize_t)count) fail("the socket ended: %s", strerror(errno));
  close_drained(fd);
  dbus_message_unref(call(bus, level, "ReadValue", 1));
  dbus_message_unref(call(bus, tx, "StopNotify", 0));
  free(rx);
  free(tx);
  free(level);
  dbus_connection_close(bus);
  return 0;
}
