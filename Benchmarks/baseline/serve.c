// SPDX-License-Identifier: MIT
/// The baseline of a peripheral: `serve COUNT [--socket]` publishes the characteristic 2A37, advertises it, sends COUNT
/// values to the first central that subscribes, and ends when it has unsubscribed.
///
/// As signals, at most 32 values are on their way: after them, a round trip shows that bluetoothd has taken them. Over the
/// socket of AcquireNotify, its buffer is the limit.
#define _GNU_SOURCE
#include "baseline.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIZE = 20, WINDOW = 32 };

#define ROOT "/bench"
#define SERVICE ROOT "/service"
#define CHARACTERISTIC SERVICE "/char"
#define ADVERTISEMENT "/advert"
#define HEART_RATE "0000180d-0000-1000-8000-00805f9b34fb"
#define MEASUREMENT "00002a37-0000-1000-8000-00805f9b34fb"

static int uses_socket, is_subscribed, has_ended, fd = -1;

/// Appends `key: variant(as)` with one text.
static void append_list(DBusMessageIter *options, const char *key, const char *text) {
  DBusMessageIter entry, variant, list;
  dbus_message_iter_open_container(options, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "as", &variant);
  dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "s", &list);
  dbus_message_iter_append_basic(&list, DBUS_TYPE_STRING, &text);
  dbus_message_iter_close_container(&variant, &list);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(options, &entry);
}

/// Opens the entry of an object with one interface; `levels` are closed by close_object().
static void open_object(DBusMessageIter *objects, const char *path, const char *interface, DBusMessageIter levels[4]) {
  dbus_message_iter_open_container(objects, DBUS_TYPE_DICT_ENTRY, NULL, &levels[0]);
  dbus_message_iter_append_basic(&levels[0], DBUS_TYPE_OBJECT_PATH, &path);
  dbus_message_iter_open_container(&levels[0], DBUS_TYPE_ARRAY, "{sa{sv}}", &levels[1]);
  dbus_message_iter_open_container(&levels[1], DBUS_TYPE_DICT_ENTRY, NULL, &levels[2]);
  dbus_message_iter_append_basic(&levels[2], DBUS_TYPE_STRING, &interface);
  dbus_message_iter_open_container(&levels[2], DBUS_TYPE_ARRAY, "{sv}", &levels[3]);
}

static void close_object(DBusMessageIter *objects, DBusMessageIter levels[4]) {
  for (int level = 3; level > 0; level--) dbus_message_iter_close_container(&levels[level - 1], &levels[level]);
  dbus_message_iter_close_container(objects, &levels[0]);
}

static void append_objects(DBusMessage *reply) {
  DBusMessageIter body, objects, levels[4];
  dbus_bool_t yes = TRUE, no = FALSE;
  const char *service = SERVICE, *heart_rate = HEART_RATE, *measurement = MEASUREMENT;
  dbus_message_iter_init_append(reply, &body);
  dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{oa{sa{sv}}}", &objects);
  open_object(&objects, SERVICE, "org.bluez.GattService1", levels);
  append_option(&levels[3], "UUID", DBUS_TYPE_STRING, &heart_rate);
  append_option(&levels[3], "Primary", DBUS_TYPE_BOOLEAN, &yes);
  close_object(&objects, levels);
  open_object(&objects, CHARACTERISTIC, BLUEZ_CHARACTERISTIC, levels);
  append_option(&levels[3], "UUID", DBUS_TYPE_STRING, &measurement);
  append_option(&levels[3], "Service", DBUS_TYPE_OBJECT_PATH, &service);
  append_list(&levels[3], "Flags", "notify");
  if (uses_socket) append_option(&levels[3], "NotifyAcquired", DBUS_TYPE_BOOLEAN, &no);
  close_object(&objects, levels);
  dbus_message_iter_close_container(&body, &objects);
}

static void append_advertisement(DBusMessage *reply) {
  DBusMessageIter body, properties;
  dbus_bool_t yes = TRUE;
  const char *type = "peripheral";
  dbus_message_iter_init_append(reply, &body);
  dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &properties);
  append_option(&properties, "Type", DBUS_TYPE_STRING, &type);
  append_option(&properties, "Discoverable", DBUS_TYPE_BOOLEAN, &yes);
  append_list(&properties, "ServiceUUIDs", HEART_RATE);
  dbus_message_iter_close_container(&body, &properties);
}

/// Hands one end of a socket to bluetoothd.
static void append_socket(DBusMessage *reply) {
  int ends[2];
  dbus_uint16_t mtu = 517;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) fail("no socket");
  dbus_message_append_args(reply, DBUS_TYPE_UNIX_FD, &ends[1], DBUS_TYPE_UINT16, &mtu, DBUS_TYPE_INVALID);
  close(ends[1]);
  fd = ends[0];
}

static void answer(DBusConnection *bus, DBusMessage *call) {
  if (dbus_message_get_type(call) != DBUS_MESSAGE_TYPE_METHOD_CALL) return;
  const char *member = dbus_message_get_member(call);
  DBusMessage *reply;
  if (strcmp(member, "GetManagedObjects") == 0 && dbus_message_has_path(call, ROOT)) {
    append_objects(reply = dbus_message_new_method_return(call));
  } else if (strcmp(member, "GetAll") == 0) {
    append_advertisement(reply = dbus_message_new_method_return(call));
  } else if (strcmp(member, "AcquireNotify") == 0) {
    append_socket(reply = dbus_message_new_method_return(call));
    is_subscribed = 1;
  } else if (strcmp(member, "StartNotify") == 0 || strcmp(member, "StopNotify") == 0) {
    is_subscribed = member[2] == 'a';
    has_ended = !is_subscribed;
    reply = dbus_message_new_method_return(call);
  } else {
    reply = dbus_message_new_error(call, DBUS_ERROR_UNKNOWN_METHOD, "");
  }
  if (!dbus_message_get_no_reply(call)) dbus_connection_send(bus, reply, NULL);
  dbus_message_unref(reply);
}

/// Answers calls until `condition` is met.
static void serve_until(DBusConnection *bus, const int *condition) {
  while (!*condition) {
    DBusMessage *message;
    while ((message = dbus_connection_pop_message(bus)) != NULL) {
      answer(bus, message);
      dbus_message_unref(message);
    }
    if (!*condition && !dbus_connection_read_write(bus, -1)) fail("the bus has gone");
  }
}

/// Calls a manager of the adapter, and answers what it calls meanwhile.
static void register_object(DBusConnection *bus, const char *manager, const char *method, const char *path) {
  DBusMessage *call = bluez_call("/org/bluez/hci0", manager, method);
  dbus_message_append_args(call, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_INVALID);
  append_no_options(call);
  dbus_uint32_t serial;
  dbus_connection_send(bus, call, &serial);
  dbus_message_unref(call);
  for (int is_done = 0; !is_done;) {
    if (!dbus_connection_read_write(bus, -1)) fail("the bus has gone");
    DBusMessage *message;
    while ((message = dbus_connection_pop_message(bus)) != NULL) {
      if (dbus_message_get_reply_serial(message) == serial) {
        if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_ERROR) fail("%s failed", method);
        is_done = 1;
      }
      answer(bus, message);
      dbus_message_unref(message);
    }
  }
}

static void signal_value(DBusConnection *bus, const uint8_t *bytes) {
  DBusMessage *signal = dbus_message_new_signal(CHARACTERISTIC, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged");
  const char *interface = BLUEZ_CHARACTERISTIC, *key = "Value";
  DBusMessageIter body, properties, entry, variant, array;
  dbus_message_iter_init_append(signal, &body);
  dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &interface);
  dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &properties);
  dbus_message_iter_open_container(&properties, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "ay", &variant);
  dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, SIZE);
  dbus_message_iter_close_container(&variant, &array);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(&properties, &entry);
  dbus_message_iter_close_container(&body, &properties);
  dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "s", &array);
  dbus_message_iter_close_container(&body, &array);
  dbus_connection_send(bus, signal, NULL);
  dbus_message_unref(signal);
}

int main(int argc, char **argv) {
  if (argc < 2) fail("usage: %s COUNT [--socket]", argv[0]);
  long count = atol(argv[1]);
  uses_socket = argc > 2 && strcmp(argv[2], "--socket") == 0;
  DBusConnection *bus = bus_open();
  register_object(bus, "org.bluez.GattManager1", "RegisterApplication", ROOT);
  register_object(bus, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", ADVERTISEMENT);
  serve_until(bus, &is_subscribed);
  dbus_connection_flush(bus);
  for (long number = 0; number < count; number++) {
    uint8_t bytes[SIZE];
    memset(bytes, 0xa5, SIZE);
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(number >> 8 * i);
    if (uses_socket) {
      if (send(fd, bytes, SIZE, MSG_NOSIGNAL) != SIZE) fail("the socket ended");
      continue;
    }
    signal_value(bus, bytes);
    if (number % WINDOW == WINDOW - 1)
      dbus_message_unref(bus_await(bus, bluez_call("/", DBUS_INTERFACE_PEER, "Ping")));
  }
  if (uses_socket) {
    struct pollfd end = {.fd = fd, .events = POLLIN};
    poll(&end, 1, -1);
  } else {
    serve_until(bus, &has_ended);
  }
  dbus_connection_close(bus);
  return 0;
}
