// SPDX-License-Identifier: MIT
#include "CMosquitto.h"

#include "CDynamicLibrary.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Constants of <mosquitto.h>, whose numbers are part of its stable interface.
enum { OPTION_SEND_MAXIMUM = 5, OPTION_TCP_NODELAY = 11, OPTION_TLS_USE_OS_CERTS = 13, LOG_ERROR = 0x08 };

struct mosquitto;

// As in <mosquitto.h>, part of its stable interface.
struct mosquitto_message {
  int mid;
  char *topic;
  void *payload;
  int payloadlen;
  int qos;
  bool retain;
};

static struct {
  int (*lib_init)(void);
  struct mosquitto *(*create)(const char *, bool, void *);
  void (*destroy)(struct mosquitto *);
  int (*username_pw_set)(struct mosquitto *, const char *, const char *);
  int (*will_set)(struct mosquitto *, const char *, int, const void *, int, bool);
  int (*tls_set)(struct mosquitto *, const char *, const char *, const char *, const char *,
                 int (*)(char *, int, int, void *));
  int (*int_option)(struct mosquitto *, int, int);
  int (*connect)(struct mosquitto *, const char *, int, int);
  int (*loop)(struct mosquitto *, int, int);
  int (*publish)(struct mosquitto *, int *, const char *, int, const void *, int, bool);
  int (*subscribe)(struct mosquitto *, int *, const char *, int);
  int (*socket)(struct mosquitto *);
  bool (*want_write)(struct mosquitto *);
  int (*disconnect)(struct mosquitto *);
  const char *(*strerror)(int);
  void (*connect_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, int));
  void (*publish_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, int));
  void (*message_callback_set)(struct mosquitto *,
                               void (*)(struct mosquitto *, void *, const struct mosquitto_message *));
  void (*subscribe_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, int, int, const int *));
  void (*log_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, int, const char *));
} mosquitto;

struct cmosquitto_client {
  struct mosquitto *handle;
  int answer;
  /// Of the last call that failed.
  int error_number;
  /// The library's text about the last error.
  char words[200];
  /// The first error of OpenSSL; 0 for none.
  unsigned long tls_error;
  /// Whether the library itself refused something before.
  bool is_refused_by_library;
  /// The numbers of acknowledged messages that are not yet taken.
  int acknowledged[CMOSQUITTO_WINDOW];
  size_t acknowledged_count;
  bool is_subscription_refused;
  /// The received messages that are not yet taken, a ring.
  cmosquitto_message inbox[CMOSQUITTO_INBOX];
  size_t first_message, message_count;
  /// How many were not kept.
  size_t missed;
};

const char *cmosquitto_load(void) {
  static int is_loaded;
  if (is_loaded) return NULL;
  const struct cdynamic_symbol symbols[] = {
      {"mosquitto_lib_init", &mosquitto.lib_init},
      {"mosquitto_new", &mosquitto.create},
      {"mosquitto_destroy", &mosquitto.destroy},
      {"mosquitto_username_pw_set", &mosquitto.username_pw_set},
      {"mosquitto_will_set", &mosquitto.will_set},
      {"mosquitto_tls_set", &mosquitto.tls_set},
      {"mosquitto_int_option", &mosquitto.int_option},
      {"mosquitto_connect", &mosquitto.connect},
      {"mosquitto_loop", &mosquitto.loop},
      {"mosquitto_publish", &mosquitto.publish},
      {"mosquitto_subscribe", &mosquitto.subscribe},
      {"mosquitto_socket", &mosquitto.socket},
      {"mosquitto_want_write", &mosquitto.want_write},
      {"mosquitto_disconnect", &mosquitto.disconnect},
      {"mosquitto_strerror", &mosquitto.strerror},
      {"mosquitto_connect_callback_set", &mosquitto.connect_callback_set},
      {"mosquitto_publish_callback_set", &mosquitto.publish_callback_set},
      {"mosquitto_message_callback_set", &mosquitto.message_callback_set},
      {"mosquitto_subscribe_callback_set", &mosquitto.subscribe_callback_set},
      {"mosquitto_log_callback_set", &mosquitto.log_callback_set},
  };
  const char *reason = cdynamic_load("libmosquitto.so.1", symbols, sizeof symbols / sizeof *symbols);
  if (reason) return reason;
  mosquitto.lib_init();
  is_loaded = 1;
  return NULL;
}

static void on_connect(struct mosquitto *handle, void *context, int answer) {
  (void)handle;
  ((cmosquitto_client *)context)->answer = answer;
}

static void on_publish(struct mosquitto *handle, void *context, int number) {
  (void)handle;
  cmosquitto_client *client = context;
  if (client->acknowledged_count < CMOSQUITTO_WINDOW) client->acknowledged[client->acknowledged_count++] = number;
}

static void on_message(struct mosquitto *handle, void *context, const struct mosquitto_message *received) {
  (void)handle;
  cmosquitto_client *client = context;
  size_t count = received->payloadlen > 0 ? (size_t)received->payloadlen : 0;
  cmosquitto_message message = {
      .is_too_long = count > CMOSQUITTO_LONGEST,
      .is_retained = received->retain,
  };
  if (!message.is_too_long) message.count = count;
  if (client->message_count < CMOSQUITTO_INBOX) {
    message.topic = strdup(received->topic);
    message.payload = malloc(message.count + 1);
  }
  if (!message.topic || !message.payload) {
    cmosquitto_free_message(&message);
    client->missed++;
    return;
  }
  if (message.count) memcpy(message.payload, received->payload, message.count);
  client->inbox[(client->first_message + client->message_count++) % CMOSQUITTO_INBOX] = message;
}

static void on_subscribe(struct mosquitto *handle, void *context, int number, int count, const int *granted) {
  (void)handle;
  (void)number;
  for (int i = 0; i < count; i++) ((cmosquitto_client *)context)->is_subscription_refused |= granted[i] > 2;
}

static void on_log(struct mosquitto *handle, void *context, int level, const char *words) {
  (void)handle;
  cmosquitto_client *client = context;
  if (level != LOG_ERROR) return;
  // The first one is the cause.
  if (!client->words[0]) snprintf(client->words, sizeof client->words, "%s", words);
  if (client->tls_error) return;
  // "OpenSSL Error[0]: error:0A000086:…"; without a number, the words are those of libmosquitto.
  const char *number = strstr(words, "error:");
  client->tls_error = number ? strtoul(number + strlen("error:"), NULL, 16) : 0;
  client->is_refused_by_library |= !client->tls_error;
}

cmosquitto_client *cmosquitto_new(const char *identifier) {
  cmosquitto_client *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  client->answer = CMOSQUITTO_NO_ANSWER;
  client->handle = mosquitto.create(identifier, true, client);
  if (!client->handle) {
    free(client);
    return NULL;
  }
  mosquitto.connect_callback_set(client->handle, on_connect);
  mosquitto.publish_callback_set(client->handle, on_publish);
  mosquitto.message_callback_set(client->handle, on_message);
  mosquitto.subscribe_callback_set(client->handle, on_subscribe);
  mosquitto.log_callback_set(client->handle, on_log);
  mosquitto.int_option(client->handle, OPTION_SEND_MAXIMUM, CMOSQUITTO_WINDOW);
  // The last message of a window must not wait for the acknowledgement of the one before it.
  mosquitto.int_option(client->handle, OPTION_TCP_NODELAY, 1);
  return client;
}

void cmosquitto_free(cmosquitto_client *client) {
  cmosquitto_message message;
  while (cmosquitto_next_message(client, &message)) cmosquitto_free_message(&message);
  mosquitto.destroy(client->handle);
  free(client);
}

static int noted(cmosquitto_client *client, int status) {
  if (status) client->error_number = errno;
  return status;
}

int cmosquitto_set_user(cmosquitto_client *client, const char *user, const char *password) {
  return noted(client, mosquitto.username_pw_set(client->handle, user, password));
}

int cmosquitto_set_will(cmosquitto_client *client, const char *topic, const void *payload, size_t count) {
  return noted(client, mosquitto.will_set(client->handle, topic, (int)count, payload, 1, true));
}

int cmosquitto_use_tls(cmosquitto_client *client, const char *authorities) {
  if (!authorities) return noted(client, mosquitto.int_option(client->handle, OPTION_TLS_USE_OS_CERTS, 1));
  return noted(client, mosquitto.tls_set(client->handle, authorities, NULL, NULL, NULL, NULL));
}

int cmosquitto_connect(cmosquitto_client *client, const char *host, int port, int keepalive) {
  client->answer = CMOSQUITTO_NO_ANSWER;
  client->words[0] = 0;
  client->tls_error = 0;
  client->is_refused_by_library = false;
  client->is_subscription_refused = false;
  return noted(client, mosquitto.connect(client->handle, host, port, keepalive));
}

int cmosquitto_loop(cmosquitto_client *client, int milliseconds) {
  return noted(client, mosquitto.loop(client->handle, milliseconds, 1));
}

int cmosquitto_publish(cmosquitto_client *client, int *number, const char *topic, const void *payload, size_t count,
                       bool is_retained) {
  return noted(client, mosquitto.publish(client->handle, number, topic, (int)count, payload, 1, is_retained));
}

int cmosquitto_subscribe(cmosquitto_client *client, const char *topic) {
  return noted(client, mosquitto.subscribe(client->handle, NULL, topic, 1));
}

bool cmosquitto_is_subscription_refused(const cmosquitto_client *client) { return client->is_subscription_refused; }

bool cmosquitto_next_message(cmosquitto_client *client, cmosquitto_message *message) {
  if (!client->message_count) return false;
  *message = client->inbox[client->first_message];
  client->first_message = (client->first_message + 1) % CMOSQUITTO_INBOX;
  client->message_count--;
  return true;
}

void cmosquitto_free_message(cmosquitto_message *message) {
  free(message->topic);
  free(message->payload);
}

size_t cmosquitto_take_missed(cmosquitto_client *client) {
  size_t missed = client->missed;
  client->missed = 0;
  return missed;
}

int cmosquitto_socket(cmosquitto_client *client) { return mosquitto.socket(client->handle); }

bool cmosquitto_wants_write(cmosquitto_client *client) { return mosquitto.want_write(client->handle); }

int cmosquitto_disconnect(cmosquitto_client *client) { return noted(client, mosquitto.disconnect(client->handle)); }

int cmosquitto_tls_fault(const cmosquitto_client *client) {
  // SSL_R_CERTIFICATE_VERIFY_FAILED; the lowest bits are the reason in OpenSSL 1.1 and 3.
  enum { REASON_BITS = 0xfff, VERIFY_FAILED = 134 };
  if ((client->tls_error & REASON_BITS) != VERIFY_FAILED) return CMOSQUITTO_TLS_BROKEN;
  // OpenSSL checks the authority, libmosquitto the name.
  return client->is_refused_by_library ? CMOSQUITTO_TLS_MISNAMED : CMOSQUITTO_TLS_UNTRUSTED;
}

int cmosquitto_answer(const cmosquitto_client *client) { return client->answer; }

bool cmosquitto_next_acknowledged(cmosquitto_client *client, int *number) {
  if (!client->acknowledged_count) return false;
  *number = client->acknowledged[--client->acknowledged_count];
  return true;
}

static const char CLOSED[] = "the broker closed the connection";

const char *cmosquitto_reason(const cmosquitto_client *client, int status) {
  switch (status) {
  // libmosquitto gives no number where it has read the end of the stream.
  case CMOSQUITTO_ERRNO: return client->error_number ? strerror(client->error_number) : CLOSED;
  case CMOSQUITTO_UNKNOWN_HOST:
    return client->error_number ? gai_strerror(client->error_number) : mosquitto.strerror(status);
  case CMOSQUITTO_TLS: return client->words[0] ? client->words : mosquitto.strerror(status);
  default: return mosquitto.strerror(status);
  }
}
