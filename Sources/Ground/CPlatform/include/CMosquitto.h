// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>

// The few functions of libmosquitto that a log needs, and the commands that a broker brings. The system's library is loaded
// at its first use.
// One thread at a time uses a client, which starts no thread: its user calls cmosquitto_loop.

typedef struct cmosquitto_client cmosquitto_client;

/// Loads the library once; returns NULL, or the reason why it cannot be loaded.
const char *cmosquitto_load(void);

// Result codes of libmosquitto.
enum {
  CMOSQUITTO_OK = 0,
  CMOSQUITTO_NO_CONNECTION = 4,
  CMOSQUITTO_REFUSED = 5,
  CMOSQUITTO_LOST = 7,
  CMOSQUITTO_TLS = 8,
  CMOSQUITTO_ERRNO = 14,
  CMOSQUITTO_UNKNOWN_HOST = 15,
  CMOSQUITTO_SILENT = 19,
};

/// The broker's answer to a connection.
enum {
  CMOSQUITTO_NO_ANSWER = -1,
  CMOSQUITTO_ACCEPTED = 0,
  CMOSQUITTO_BUSY = 3,
  CMOSQUITTO_BAD_PASSWORD = 4,
  CMOSQUITTO_NOT_AUTHORISED = 5,
};

/// The fault of the encryption, after CMOSQUITTO_TLS.
enum {
  /// Not the certificate: the connection ended, or the other end does not speak TLS.
  CMOSQUITTO_TLS_BROKEN,
  /// The certificate does not lead to a trusted authority, or is not valid now.
  CMOSQUITTO_TLS_UNTRUSTED,
  /// The certificate is trusted, but belongs to another host.
  CMOSQUITTO_TLS_MISNAMED,
};

/// The largest number of received messages that wait to be taken, and the longest payload that is kept.
enum { CMOSQUITTO_INBOX = 1024, CMOSQUITTO_LONGEST = 16384 };

/// A received message.
typedef struct {
  char *topic;
  /// At most CMOSQUITTO_LONGEST bytes.
  void *payload;
  size_t count;
  /// Whether the payload was longer, and is not kept.
  bool is_too_long;
  /// Whether the broker had kept it from before the subscription.
  bool is_retained;
} cmosquitto_message;

/// The largest number of published messages that the broker has not acknowledged.
enum { CMOSQUITTO_WINDOW = 100 };

/// Creates a client without a connection; returns NULL if there is no memory.
cmosquitto_client *cmosquitto_new(const char *identifier);
void cmosquitto_free(cmosquitto_client *client);

int cmosquitto_set_user(cmosquitto_client *client, const char *user, const char *password);
/// Sets the message that the broker publishes and retains if the connection ends without cmosquitto_disconnect.
int cmosquitto_set_will(cmosquitto_client *client, const char *topic, const void *payload, size_t count);
/// Encrypts, and trusts the authorities in a file; with NULL, those of the system.
int cmosquitto_use_tls(cmosquitto_client *client, const char *authorities);

/// Connects or reconnects; blocks while the name is resolved and while the host does not answer.
int cmosquitto_connect(cmosquitto_client *client, const char *host, int port, int keepalive);
/// Waits for the socket, then reads, writes and keeps the connection alive.
int cmosquitto_loop(cmosquitto_client *client, int milliseconds);
/// Publishes with QoS 1; unacknowledged messages are sent again over the next connection.
int cmosquitto_publish(cmosquitto_client *client, int *number, const char *topic, const void *payload, size_t count,
                       bool is_retained);
/// Subscribes with QoS 1.
int cmosquitto_subscribe(cmosquitto_client *client, const char *topic);
/// Returns whether the broker has refused a subscription of the last connection.
bool cmosquitto_is_subscription_refused(const cmosquitto_client *client);
/// Takes the oldest received message, which is then freed with cmosquitto_free_message; returns false if there is none.
bool cmosquitto_next_message(cmosquitto_client *client, cmosquitto_message *message);
void cmosquitto_free_message(cmosquitto_message *message);
/// Returns how many messages were received and not kept since the last call.
size_t cmosquitto_take_missed(cmosquitto_client *client);

/// Returns the socket of the connection, or -1.
int cmosquitto_socket(cmosquitto_client *client);
/// Returns whether something waits until the socket can be written.
bool cmosquitto_wants_write(cmosquitto_client *client);

/// Disconnects so that the broker does not publish the will.
int cmosquitto_disconnect(cmosquitto_client *client);

/// Returns the fault of the last connection's encryption.
int cmosquitto_tls_fault(const cmosquitto_client *client);
/// Returns the broker's answer to the last connection.
int cmosquitto_answer(const cmosquitto_client *client);
/// Takes the number of an acknowledged message; returns false if there is none.
bool cmosquitto_next_acknowledged(cmosquitto_client *client, int *number);
/// Returns the reason why a call failed, in words; valid until the next call.
const char *cmosquitto_reason(const cmosquitto_client *client, int status);
