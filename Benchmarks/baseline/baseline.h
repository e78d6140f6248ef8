// SPDX-License-Identifier: MIT
/// What the baseline programs share: the least a C program on libdbus-1 has to do to talk to BlueZ.
///
/// Any failure ends the program with a message: there is nothing to clean up that the bus does not.
#ifndef BASELINE_H
#define BASELINE_H

#include <dbus/dbus.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BLUEZ "org.bluez"
#define BLUEZ_ADAPTER "org.bluez.Adapter1"
#define BLUEZ_DEVICE "org.bluez.Device1"
#define BLUEZ_CHARACTERISTIC "org.bluez.GattCharacteristic1"

/// Says why on stderr, as printf does, and exits with status 1.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Connects to the system bus, says Hello and asks for the signals of BlueZ.
DBusConnection *bus_open(void);

/// A call to BlueZ without arguments yet.
DBusMessage *bluez_call(const char *path, const char *interface, const char *member);

/// Sends a call, waits for its reply and gives `call` back. An error reply is a failure.
DBusMessage *bus_await(DBusConnection *bus, DBusMessage *call);

/// Calls AcquireNotify or AcquireWrite of a characteristic, and returns the socket, which blocks.
int bluez_acquire(DBusConnection *bus, const char *path, const char *member);

/// Waits until the other end has read all packets of a socket, and closes it: what it has not read would be lost.
void close_drained(int socket);

/// Appends an empty `a{sv}`.
void append_no_options(DBusMessage *message);

/// Appends `key: variant(value)` to an open `a{sv}`; `type` is one letter, `value` what append_basic takes.
void append_option(DBusMessageIter *options, const char *key, int type, const void *value);

/// Steps into the next entry of a dictionary with string keys; NULL at its end.
/// `entries` then stands behind the entry, `value` at its value.
const char *next_entry(DBusMessageIter *entries, DBusMessageIter *value);

/// The string, object path, int16 … in a variant.
void get_variant(DBusMessageIter *variant, void *value);

/// The object path of the one characteristic with a UUID (128-bit text, lower case) of the device with an address:
/// GetManagedObjects, walked once to its end, since another match would be an error. Free it with free().
char *find_characteristic(DBusConnection *bus, const char *address, const char *uuid);

/// Writes two lower-case digits a byte to `text`, which must have room; returns the end.
char *put_hex(char *text, const uint8_t *bytes, size_t count);

/// Writes "TIME<tab>HEX\n" to stdout, buffered; the time is now, in UTC, with microseconds.
void print_value(const uint8_t *bytes, size_t count);

/// Writes the value as a record of JSON, as `blectl subscribe --json` does, buffered. `source` is the part between the
/// time and the value, which stays the same; see make_source().
void print_record(FILE *file, const char *source, const uint8_t *bytes, size_t count);

/// The fields of a record that tell where its values come from. Free it with free().
char *make_source(DBusConnection *bus, const char *address, const char *path, const char *uuid);

/// What the counting programs print of the values that came.
struct tally {
  long values;
  long bytes;
  unsigned long sum;
};

void tally_value(struct tally *tally, const uint8_t *bytes, size_t count);

/// Writes "VALUES BYTES SUM\n" to stdout.
void tally_print(const struct tally *tally);

/// Takes the first eight bytes of a value for the time of CLOCK_MONOTONIC when it was sent, in nanoseconds.
void latency_add(const uint8_t *bytes, size_t count);

/// Writes the median and the 99th percentile to stdout, in microseconds: "P50 P99\n".
void latency_print(void);

/// The arguments of the notification programs: ADDRESS UUID COUNT [--print|--json|--log FILE] [--latency]. A log holds
/// what --json prints; --print is then understood.
struct notify_arguments {
  const char *address;
  const char *uuid;
  long count;
  int print;
  int json;
  const char *log;
  int latency;
};

struct notify_arguments notify_parse(int argc, char **argv);

#endif
