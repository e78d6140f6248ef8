// SPDX-License-Identifier: MIT
#include "CCrypto.h"

#include "CDynamicLibrary.h"

#include <limits.h>
#include <stdbool.h>

// Constants of <openssl/evp.h>, whose numbers are part of its stable interface.
enum { CTRL_SET_NONCE_LENGTH = 0x09, CTRL_GET_TAG = 0x10, CTRL_SET_TAG = 0x11 };
enum { KEY_X25519 = 1034 };

typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_md_st EVP_MD;
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_pkey_ctx_st EVP_PKEY_CTX;

static struct {
  EVP_CIPHER *(*fetch)(void *, const char *, const char *);
  EVP_CIPHER_CTX *(*context_new)(void);
  void (*context_free)(EVP_CIPHER_CTX *);
  int (*context_ctrl)(EVP_CIPHER_CTX *, int, int, void *);
  int (*set_padding)(EVP_CIPHER_CTX *, int);
  int (*init)(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const uint8_t *, const uint8_t *, int);
  int (*update)(EVP_CIPHER_CTX *, uint8_t *, int *, const uint8_t *, int);
  int (*final)(EVP_CIPHER_CTX *, uint8_t *, int *);
  EVP_MD *(*digest_fetch)(void *, const char *, const char *);
  int (*digest)(const void *, size_t, uint8_t *, unsigned *, const EVP_MD *, void *);
  uint8_t *(*mac)(void *, const char *, const char *, const char *, const void *, const void *, size_t, const uint8_t *,
                  size_t, uint8_t *, size_t, size_t *);
  EVP_PKEY *(*private_key)(int, void *, const uint8_t *, size_t);
  EVP_PKEY *(*public_key)(int, void *, const uint8_t *, size_t);
  int (*get_public_key)(const EVP_PKEY *, uint8_t *, size_t *);
  void (*key_free)(EVP_PKEY *);
  EVP_PKEY_CTX *(*exchange_new)(EVP_PKEY *, void *);
  int (*exchange_init)(EVP_PKEY_CTX *);
  int (*exchange_set_peer)(EVP_PKEY_CTX *, EVP_PKEY *);
  int (*exchange)(EVP_PKEY_CTX *, uint8_t *, size_t *);
  void (*exchange_free)(EVP_PKEY_CTX *);
} crypto;

static EVP_CIPHER *ecb, *ctr, *ccm, *chacha;
static EVP_MD *sha256, *sha384, *sha512;

const char *ccrypto_load(void) {
  const struct cdynamic_symbol symbols[] = {
      {"EVP_CIPHER_fetch", &crypto.fetch},
      {"EVP_CIPHER_CTX_new", &crypto.context_new},
      {"EVP_CIPHER_CTX_free", &crypto.context_free},
      {"EVP_CIPHER_CTX_ctrl", &crypto.context_ctrl},
      {"EVP_CIPHER_CTX_set_padding", &crypto.set_padding},
      {"EVP_CipherInit_ex", &crypto.init},
      {"EVP_CipherUpdate", &crypto.update},
      {"EVP_CipherFinal_ex", &crypto.final},
      {"EVP_MD_fetch", &crypto.digest_fetch},
      {"EVP_Digest", &crypto.digest},
      {"EVP_Q_mac", &crypto.mac},
      {"EVP_PKEY_new_raw_private_key", &crypto.private_key},
      {"EVP_PKEY_new_raw_public_key", &crypto.public_key},
      {"EVP_PKEY_get_raw_public_key", &crypto.get_public_key},
      {"EVP_PKEY_free", &crypto.key_free},
      {"EVP_PKEY_CTX_new", &crypto.exchange_new},
      {"EVP_PKEY_derive_init", &crypto.exchange_init},
      {"EVP_PKEY_derive_set_peer", &crypto.exchange_set_peer},
      {"EVP_PKEY_derive", &crypto.exchange},
      {"EVP_PKEY_CTX_free", &crypto.exchange_free},
  };
  const char *reason = cdynamic_load("libcrypto.so.3", symbols, sizeof symbols / sizeof *symbols);
  if (reason) return reason;
  ecb = crypto.fetch(NULL, "AES-128-ECB", NULL);
  ctr = crypto.fetch(NULL, "AES-128-CTR", NULL);
  ccm = crypto.fetch(NULL, "AES-128-CCM", NULL);
  chacha = crypto.fetch(NULL, "ChaCha20-Poly1305", NULL);
  sha256 = crypto.digest_fetch(NULL, "SHA2-256", NULL);
  sha384 = crypto.digest_fetch(NULL, "SHA2-384", NULL);
  sha512 = crypto.digest_fetch(NULL, "SHA2-512", NULL);
  return ecb && ctr && ccm && sha256 && sha384 && sha512 ? NULL : "libcrypto does not provide AES and SHA-2";
}

// EVP takes a null pointer for another request than no bytes.
static const uint8_t *start(struct ccrypto_bytes bytes) { return bytes.start ? bytes.start : (const uint8_t *)""; }

static bool fits(struct ccrypto_bytes bytes) { return bytes.count <= INT_MAX; }

static int encrypt(const EVP_CIPHER *mode, const uint8_t *key, const uint8_t *counter, struct ccrypto_bytes bytes,
                   uint8_t *result) {
  EVP_CIPHER_CTX *context = crypto.context_new();
  int written, rest;
  bool is_done = context && fits(bytes) && crypto.init(context, mode, NULL, key, counter, 1) == 1 &&
                 crypto.set_padding(context, 0) == 1 &&
                 crypto.update(context, result, &written, start(bytes), (int)bytes.count) == 1 &&
                 crypto.final(context, result + written, &rest) == 1;
  crypto.context_free(context);
  return is_done ? CCRYPTO_OK : CCRYPTO_FAILED;
}

int ccrypto_encrypt_block(const uint8_t *key, const uint8_t *block, uint8_t *result) {
  return encrypt(ecb, key, NULL, (struct ccrypto_bytes){block, CCRYPTO_BLOCK}, result);
}

int ccrypto_count(const uint8_t *key, const uint8_t *counter, struct ccrypto_bytes bytes, uint8_t *result) {
  return encrypt(ctr, key, counter, bytes, result);
}

/// Prepares CCM, up to the bytes; with a tag to check, for decryption.
static bool prepare(EVP_CIPHER_CTX *context, const uint8_t *key, struct ccrypto_bytes nonce,
                    struct ccrypto_bytes associated, size_t count, const uint8_t *tag, size_t tag_count) {
  int written, is_sealing = tag == NULL;
  return context && fits(nonce) && fits(associated) && count <= INT_MAX && tag_count <= CCRYPTO_BLOCK &&
         crypto.init(context, ccm, NULL, NULL, NULL, is_sealing) == 1 &&
         crypto.context_ctrl(context, CTRL_SET_NONCE_LENGTH, (int)nonce.count, NULL) == 1 &&
         crypto.context_ctrl(context, CTRL_SET_TAG, (int)tag_count, (void *)tag) == 1 &&
         crypto.init(context, NULL, NULL, key, start(nonce), is_sealing) == 1 &&
         crypto.update(context, NULL, &written, NULL, (int)count) == 1 &&
         (!associated.count ||
          crypto.update(context, NULL, &written, associated.start, (int)associated.count) == 1);
}

int ccrypto_seal(const uint8_t *key, struct ccrypto_bytes nonce, struct ccrypto_bytes associated,
                 struct ccrypto_bytes bytes, uint8_t *result, uint8_t *tag, size_t tag_count) {
  EVP_CIPHER_CTX *context = crypto.context_new();
  int written, rest;
  bool is_done = prepare(context, key, nonce, associated, bytes.count, NULL, tag_count) &&
                 crypto.update(context, result, &written, start(bytes), (int)bytes.count) == 1 &&
                 crypto.final(context, result + written, &rest) == 1 &&
                 crypto.context_ctrl(context, CTRL_GET_TAG, (int)tag_count, tag) == 1;
  crypto.context_free(context);
  return is_done ? CCRYPTO_OK : CCRYPTO_FAILED;
}

int ccrypto_open(const uint8_t *key, struct ccrypto_bytes nonce, struct ccrypto_bytes associated,
                 struct ccrypto_bytes bytes, struct ccrypto_bytes tag, uint8_t *result) {
  EVP_CIPHER_CTX *context = crypto.context_new();
  int written, status = CCRYPTO_FAILED;
  if (prepare(context, key, nonce, associated, bytes.count, start(tag), tag.count)) {
    bool is_authentic = crypto.update(context, result, &written, start(bytes), (int)bytes.count) == 1;
    status = is_authentic ? CCRYPTO_OK : CCRYPTO_NOT_AUTHENTIC;
  }
  crypto.context_free(context);
  return status;
}

static int digest(const EVP_MD *kind, struct ccrypto_bytes bytes, uint8_t *result) {
  unsigned count;
  return crypto.digest(start(bytes), bytes.count, result, &count, kind, NULL) == 1 ? CCRYPTO_OK : CCRYPTO_FAILED;
}

int ccrypto_sha256(struct ccrypto_bytes bytes, uint8_t *result) { return digest(sha256, bytes, result); }

int ccrypto_sha384(struct ccrypto_bytes bytes, uint8_t *result) { return digest(sha384, bytes, result); }

int ccrypto_sha512(struct ccrypto_bytes bytes, uint8_t *result) { return digest(sha512, bytes, result); }

int ccrypto_hmac_sha256(struct ccrypto_bytes key, struct ccrypto_bytes bytes, uint8_t *result) {
  size_t count = 0;
  bool is_done = crypto.mac(NULL, "HMAC", NULL, "SHA2-256", NULL, start(key), key.count, start(bytes), bytes.count, result,
                            CCRYPTO_DIGEST, &count) != NULL;
  return is_done && count == CCRYPTO_DIGEST ? CCRYPTO_OK : CCRYPTO_FAILED;
}

/// Prepares ChaCha20-Poly1305, up to the bytes. FIPS modes lack the cipher.
static bool prepare_chacha(EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *nonce,
                           struct ccrypto_bytes associated, int is_sealing) {
  int written;
  return context && chacha && fits(associated) && crypto.init(context, chacha, NULL, key, nonce, is_sealing) == 1 &&
         (!associated.count ||
          crypto.update(context, NULL, &written, associated.start, (int)associated.count) == 1);
}

int ccrypto_chacha_seal(const uint8_t *key, const uint8_t *nonce, struct ccrypto_bytes associated,
                        struct ccrypto_bytes bytes, uint8_t *result) {
  EVP_CIPHER_CTX *context = crypto.context_new();
  int written, rest;
  bool is_done = fits(bytes) && prepare_chacha(context, key, nonce, associated, 1) &&
                 crypto.update(context, result, &written, start(bytes), (int)bytes.count) == 1 &&
                 crypto.final(context, result + written, &rest) == 1 &&
                 crypto.context_ctrl(context, CTRL_GET_TAG, CCRYPTO_TAG, result + bytes.count) == 1;
  crypto.context_free(context);
  return is_done ? CCRYPTO_OK : CCRYPTO_FAILED;
}

int ccrypto_chacha_open(const uint8_t *key, const uint8_t *nonce, struct ccrypto_bytes associated,
                        struct ccrypto_bytes bytes, const uint8_t *tag, uint8_t *result) {
  EVP_CIPHER_CTX *context = crypto.context_new();
  int written, rest, status = CCRYPTO_FAILED;
  if (fits(bytes) && prepare_chacha(context, key, nonce, associated, 0) &&
      crypto.context_ctrl(context, CTRL_SET_TAG, CCRYPTO_TAG, (void *)tag) == 1 &&
      crypto.update(context, result, &written, start(bytes), (int)bytes.count) == 1)
    status = crypto.final(context, result + written, &rest) == 1 ? CCRYPTO_OK : CCRYPTO_NOT_AUTHENTIC;
  crypto.context_free(context);
  return status;
}

int ccrypto_x25519_public(const uint8_t *private_key, uint8_t *result) {
  EVP_PKEY *own = crypto.private_key(KEY_X25519, NULL, private_key, CCRYPTO_X25519);
  size_t count = CCRYPTO_X25519;
  bool is_done = own && crypto.get_public_key(own, result, &count) == 1 && count == CCRYPTO_X25519;
  crypto.key_free(own);
  return is_done ? CCRYPTO_OK : CCRYPTO_FAILED;
}

int ccrypto_x25519(const uint8_t *private_key, const uint8_t *public_key, uint8_t *result) {
  EVP_PKEY *own = crypto.private_key(KEY_X25519, NULL, private_key, CCRYPTO_X25519);
  EVP_PKEY *peer = crypto.public_key(KEY_X25519, NULL, public_key, CCRYPTO_X25519);
  EVP_PKEY_CTX *context = own && peer ? crypto.exchange_new(own, NULL) : NULL;
  size_t count = CCRYPTO_X25519;
  int status = CCRYPTO_FAILED;
  if (context && crypto.exchange_init(context) == 1 && crypto.exchange_set_peer(context, peer) == 1) {
    uint8_t bits = 0;
    // libcrypto refuses a point of low order itself; so that nothing depends on it, zeros are looked for here, too.
    bool is_done = crypto.exchange(context, result, &count) == 1 && count == CCRYPTO_X25519;
    for (size_t index = 0; is_done && index < count; index++) bits |= result[index];
    status = bits ? CCRYPTO_OK : CCRYPTO_NOT_AUTHENTIC;
  }
  crypto.exchange_free(context);
  crypto.key_free(peer);
  crypto.key_free(own);
  return status;
}
