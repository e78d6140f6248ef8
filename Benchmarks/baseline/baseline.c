// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "baseline.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

// MARK: Calls

DBusConnection *bus_open(void) {
  DBusError error = DBUS_ERROR_INIT;
  DBusConnection *bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, &error);
  if (bus == NULL) fail("cannot reach the bus: %s", error.message);
  // No reply is awaited: messages keep their order.
  dbus_bus_add_match(bus, "type='signal',sender='" BLUEZ "'", NULL);
  return bus;
}

DBusMessage *bluez_call(const char *path, const char *interface, const char *member) {
  DBusMessage *call = dbus_message_new_method_call(BLUEZ, path, interface, member);
  if (call == NULL) fail("no memory");
  return call;
}

DBusMessage *bus_await(DBusConnection *bus, DBusMessage *call) {
  DBusError error = DBUS_ERROR_INIT;
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 20000, &error);
  if (reply == NULL) fail("%s: %s: %s", dbus_message_get_member(call), error.name, error.message);
  dbus_message_unref(call);
  return reply;
}

int bluez_acquire(DBusConnection *bus, const char *path, const char *member) {
  DBusMessage *call = bluez_call(path, BLUEZ_CHARACTERISTIC, member);
  append_no_options(call);
  DBusMessage *reply = bus_await(bus, call);
  DBusMessageIter body;
  int fd;
  dbus_message_iter_init(reply, &body);
  dbus_message_iter_get_basic(&body, &fd);  // a duplicate of our own
  dbus_message_unref(reply);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

void close_drained(int socket) {
  int unread = 1;
  while (ioctl(socket, SIOCOUTQ, &unread) == 0 && unread > 0) poll(NULL, 0, 1);
  close(socket);
}

void append_no_options(DBusMessage *message) {
  DBusMessageIter arguments, options;
  dbus_message_iter_init_append(message, &arguments);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_close_container(&arguments, &options);
}

void append_option(DBusMessageIter *options, const char *key, int type, const void *value) {
  DBusMessageIter entry, variant;
  const char signature[2] = {(char)type, 0};
  dbus_message_iter_open_container(options, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant);
  dbus_message_iter_append_basic(&variant, type, value);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(options, &entry);
}

// MARK: Objects

const char *next_entry(DBusMessageIter *entries, DBusMessageIter *value) {
  if (dbus_message_iter_get_arg_type(entries) != DBUS_TYPE_DICT_ENTRY) return NULL;
  const char *key;
  dbus_message_iter_recurse(entries, value);
  dbus_message_iter_get_basic(value, &key);
  dbus_message_iter_next(value);
  dbus_message_iter_next(entries);
  return key;
}

void get_variant(DBusMessageIter *variant, void *value) {
  DBusMessageIter content;
  dbus_message_iter_recurse(variant, &content);
  dbus_message_iter_get_basic(&content, value);
}

/// The string of a property of an interface's `a{sv}`; NULL where there is none.
static const char *string_property(DBusMessageIter *interface, const char *wanted) {
  DBusMessageIter properties, value;
  const char *key, *text;
  dbus_message_iter_recurse(interface, &properties);
  while ((key = next_entry(&properties, &value)) != NULL) {
    if (strcmp(key, wanted) != 0) continue;
    get_variant(&value, &text);
    return text;
  }
  return NULL;
}

static int is_below(const char *path, const char *parent) {
  size_t length = strlen(parent);
  return strncmp(path, parent, length) == 0 && path[length] == '/';
}

char *find_characteristic(DBusConnection *bus, const char *address, const char *uuid) {
  enum { MAX_MATCHES = 256 };
  const char *device = NULL, *matches[MAX_MATCHES];
  int count = 0;
  DBusMessage *reply =
      bus_await(bus, bluez_call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"));
  DBusMessageIter body, objects, object, interfaces, interface;
  dbus_message_iter_init(reply, &body);
  dbus_message_iter_recurse(&body, &objects);
  const char *path, *name, *text;
  while ((path = next_entry(&objects, &object)) != NULL) {
    dbus_message_iter_recurse(&object, &interfaces);
    while ((name = next_entry(&interfaces, &interface)) != NULL) {
      if (strcmp(name, BLUEZ_DEVICE) == 0) {
        text = string_property(&interface, "Address");
        if (text != NULL && strcmp(text, address) == 0) device = path;
      } else if (strcmp(name, BLUEZ_CHARACTERISTIC) == 0) {
        text = string_property(&interface, "UUID");
        if (text != NULL && strcmp(text, uuid) == 0 && count < MAX_MATCHES) matches[count++] = path;
      }
    }
  }
  if (device == NULL) fail("no device %s", address);
  const char *found = NULL;
  for (int i = 0; i < count; i++) {
    if (!is_below(matches[i], device)) continue;
    if (found != NULL) fail("several characteristics %s", uuid);
    found = matches[i];
  }
  if (found == NULL) fail("no characteristic %s", uuid);
  char *copy = strdup(found);
  dbus_message_unref(reply);
  return copy;
}

// MARK: Output

char *put_hex(char *text, const uint8_t *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    *text++ = digits[bytes[i] >> 4];
    *text++ = digits[bytes[i] & 15];
  }
  return text;
}

/// Writes "2017-04-25T04:34:41.876974Z"; the part up to the second is made once a second. Returns the end.
static char *put_time(char *text) {
  static time_t second = -1;
  static char prefix[32];
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec != second) {
    struct tm fields;
    second = now.tv_sec;
    strftime(prefix, sizeof prefix, "%Y-%m-%dT%H:%M:%S.", gmtime_r(&second, &fields));
  }
  text = stpcpy(text, prefix);
  long microseconds = now.tv_nsec / 1000;
  for (int position = 5; position >= 0; position--, microseconds /= 10)
    text[position] = (char)('0' + microseconds % 10);
  text[6] = 'Z';
  return text + 7;
}

void print_value(const uint8_t *bytes, size_t count) {
  char line[40 + 2 * 1024];
  if (count > 1024) fail("a value of %zu bytes", count);
  char *end = put_time(line);
  *end++ = '\t';
  end = put_hex(end, bytes, count);
  *end++ = '\n';
  fwrite_unlocked(line, 1, (size_t)(end - line), stdout);
}

void print_record(FILE *file, const char *source, const uint8_t *bytes, size_t count) {
  char line[512 + 2 * 1024];
  if (count > 1024 || strlen(source) > 400) fail("a value of %zu bytes", count);
  char *end = put_time(stpcpy(line, "{\"event\":\"value\",\"time\":\""));
  end = put_hex(stpcpy(end, source), bytes, count);
  end = stpcpy(end, "\",\"via\":\"socket\"}\n");
  fwrite_unlocked(line, 1, (size_t)(end - line), file);
}

/// A property of an object that is a string. Free it with free().
static char *get_string(DBusConnection *bus, const char *path, const char *interface, const char *property) {
  DBusMessage *call = bluez_call(path, DBUS_INTERFACE_PROPERTIES, "Get");
  dbus_message_append_args(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &property, DBUS_TYPE_INVALID);
  DBusMessage *reply = bus_await(bus, call);
  DBusMessageIter body;
  const char *text;
  dbus_message_iter_init(reply, &body);
  get_variant(&body, &text);
  char *copy = strdup(text);
  dbus_message_unref(reply);
  return copy;
}

char *make_source(DBusConnection *bus, const char *address, const char *path, const char *uuid) {
  const char *last = strrchr(path, '/');
  char *source, *service = strndup(path, (size_t)(last - path));
  char *service_uuid = get_string(bus, service, "org.bluez.GattService1", "UUID");
  char *device = strndup(path, (size_t)(strstr(path, "/service") - path));
  char *name = get_string(bus, device, BLUEZ_DEVICE, "Name");
  long handle = strtol(last + strlen("/char"), NULL, 16);
  if (asprintf(&source,
               "\",\"address\":\"%s\",\"name\":\"%s\",\"service\":\"%s\",\"characteristic\":\"%s\",\"handle\":%ld,"
               "\"value\":\"",
               address, name, service_uuid, uuid, handle) < 0)
    fail("no memory");
  free(name);
  free(device);
  free(service_uuid);
  free(service);
  return source;
}

void tally_value(struct tally *tally, const uint8_t *bytes, size_t count) {
  tally->values += 1;
  tally->bytes += (long)count;
  for (size_t i = 0; i < count; i++) tally->sum += bytes[i];
}

void tally_print(const struct tally *tally) {
  printf("%ld %ld %lu\n", tally->values, tally->bytes, tally->sum);
}

// MARK: Latency

static uint64_t *latencies;
static size_t latency_count, latency_room;

void latency_add(const uint8_t *bytes, size_t count) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (count < 8) fail("a value of %zu bytes holds no time", count);
  if (latency_count == latency_room) {
    latency_room = latency_room * 2 + 1024;
    latencies = realloc(latencies, latency_room * sizeof *latencies);
    if (latencies == NULL) fail("no memory");
  }
  uint64_t sent = 0;
  for (int i = 7; i >= 0; i--) sent = sent << 8 | bytes[i];
  latencies[latency_count++] = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - sent) / 1000;
}

static int by_size(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

void latency_print(void) {
  if (latency_count == 0) fail("no value");
  qsort(latencies, latency_count, sizeof *latencies, by_size);
  size_t last = latency_count - 1;
  printf("%lu %lu\n", latencies[last / 2], latencies[last * 99 / 100]);
}

// MARK: Arguments

struct notify_arguments notify_parse(int argc, char **argv) {
  if (argc < 4) fail("usage: %s ADDRESS UUID COUNT [--print|--json|--log FILE] [--latency]", argv[0]);
  struct notify_arguments arguments = {.address = argv[1], .uuid = argv[2], .count = atol(argv[3])};
  for (int i = 4; i < argc; i++) {
    arguments.print |= strcmp(argv[i], "--print") == 0;
    arguments.json |= strcmp(argv[i], "--json") == 0;
    arguments.latency |= strcmp(argv[i], "--latency") == 0;
    if (strcmp(argv[i], "--log") == 0 && i + 1 < argc) {
      arguments.log = argv[++i];
      arguments.print = 1;
    }
  }
  return arguments;
}
