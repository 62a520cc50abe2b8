/* MD5 (RFC 1321) and HMAC-MD5 (RFC 2104), fast for packets of some hundred bytes. Little-endian machines only. */
#ifndef RADIUS_LOAD_MD5_H
#define RADIUS_LOAD_MD5_H

#include <stddef.h>
#include <stdint.h>

#define MD5_BYTES 16

struct md5 {
  uint32_t state[4];
  size_t length;
  uint8_t block[64];
};

void md5_begin(struct md5 *md5);
void md5_add(struct md5 *md5, const void *bytes, size_t length);
void md5_end(struct md5 *md5, uint8_t digest[MD5_BYTES]);

/* A key whose two pads are hashed already. */
struct hmac_key {
  struct md5 inner;
  struct md5 outer;
};

void hmac_key_set(struct hmac_key *key, const void *secret, size_t length);
void hmac_md5(const struct hmac_key *key, const void *bytes, size_t length, uint8_t digest[MD5_BYTES]);

#endif
