// SPDX-License-Identifier: MIT
/// The baseline of `blectl subscribe ADDRESS UUID --count N --via socket`: AcquireNotify, then N packets, counted or
/// printed. One read a packet: recvmmsg gains nothing on a local socket.
#include "baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// The next packet. When none waits, what was printed is shown first.
static size_t next_packet(int fd, uint8_t *bytes, size_t room, int print, FILE *log) {
  ssize_t count = -1;
  if (print) {
    count = recv(fd, bytes, room, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) {
      fflush(stdout);
      if (log != NULL) fflush(log);
    }
  }
  if (count < 0) count = read(fd, bytes, room);
  if (count <= 0) fail("the socket ended: %s", count < 0 ? strerror(errno) : "closed");
  return (size_t)count;
}

int main(int argc, char **argv) {
  struct notify_arguments arguments = notify_parse(argc, argv);
  DBusConnection *bus = bus_open();
  char *path = find_characteristic(bus, arguments.address, arguments.uuid);
  char *source = arguments.json || arguments.log ? make_source(bus, arguments.address, path, arguments.uuid) : NULL;
  int is_shown = arguments.print || arguments.json, fd = bluez_acquire(bus, path, "AcquireNotify");

  static char buffer[1 << 16];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  FILE *log = arguments.log ? fopen(arguments.log, "a") : NULL;
  if (arguments.log && log == NULL) fail("%s: %s", arguments.log, strerror(errno));
  struct tally tally = {0};
  while (tally.values < arguments.count) {
    uint8_t bytes[512];
    size_t count = next_packet(fd, bytes, sizeof bytes, is_shown, log);
    tally_value(&tally, bytes, count);
    if (arguments.print) print_value(bytes, count);
    if (arguments.json) print_record(stdout, source, bytes, count);
    if (log != NULL) print_record(log, source, bytes, count);
    if (arguments.latency) latency_add(bytes, count);
  }
  if (!is_shown) tally_print(&tally);
  if (arguments.latency) latency_print();

  if (log != NULL) fclose(log);
  close(fd);
  free(source);
  free(path);
  dbus_connection_close(bus);
  return 0;
}
