/*
 * The digests of RADIUS for a batch of packets (RFC 2865, 2866, 3579), many at a time. Keys are prepared by the caller: the two
 * states of HMAC-MD5 after its padded key, then length and bytes of the shared secret. Nothing here allocates memory or keeps state.
 */
#ifndef RADIUS_DIGESTS_H
#define RADIUS_DIGESTS_H

#include <stdbool.h>

#include "md5-lanes.h"

#define KEY_BYTES 192
#define KEY_SECRET 36
#define SECRET_MAX (KEY_BYTES - KEY_SECRET)
#define HEADER_BYTES 20
#define PACKET_MAX 4096
/* A packet, the secret after it, and the padding of MD5. */
#define MESSAGE_MAX (PACKET_MAX + SECRET_MAX + 2 * MD5_BLOCK)

typedef struct {
  Md5Lanes lanes;
  uint8_t messages[MD5_LANES_MAX][MESSAGE_MAX];
} Digester;

static const uint32_t md5_beginning[4] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};

static void begin_lane(Digester *digester, int lane, const uint8_t *state) {
  for (int word = 0; word < 4; word++) memcpy(&digester->lanes.state[word][lane], state + word * 4, 4);
  digester->lanes.message[lane] = digester->messages[lane];
}

/* Pads the message of `length` bytes; `before` bytes were digested into its first state. */
static void pad_lane(Digester *digester, int lane, size_t length, size_t before) {
  uint8_t *message = digester->messages[lane];
  size_t blocks = (length + 8) / MD5_BLOCK + 1;
  uint64_t bits = (uint64_t)(length + before) * 8;
  memset(message + length, 0, blocks * MD5_BLOCK - length);
  message[length] = 0x80;
  memcpy(message + blocks * MD5_BLOCK - 8, &bits, 8);
  digester->lanes.blocks[lane] = (uint32_t)blocks;
}

static void read_lane(const Digester *digester, int lane, uint8_t *digest) {
  for (int word = 0; word < 4; word++) memcpy(digest + word * 4, &digester->lanes.state[word][lane], 4);
}

/* Computes the outer digests of HMAC (RFC 2104) from the inner ones. */
static void finish_hmac(Digester *digester, int count, const uint8_t *const *keys) {
  for (int lane = 0; lane < count; lane++) {
    read_lane(digester, lane, digester->messages[lane]);
    begin_lane(digester, lane, keys[lane] + MD5_BYTES);
    pad_lane(digester, lane, MD5_BYTES, MD5_BLOCK);
  }
  md5_side_by_side(&digester->lanes, count);
}

/* A packet whose digests are to be computed. The caller's numbers were checked when it was made, and are not read again. */
typedef struct {
  uint8_t *packet;
  size_t length;
  /* Offset of the sixteen bytes of the Message-Authenticator; 0: it has none. */
  size_t signature;
  const uint8_t *key;
  size_t secret;
  int32_t wanted;
} Task;

/* What is wanted besides the signature: MD5(secret, authenticator), which hides a password's first block, or the Request Authenticator. */
enum { WANT_MASK = 1, WANT_AUTHENTICATOR = 2 };
/* For each request: the expected Message-Authenticator, then what else was wanted. */
#define RESULT_BYTES (2 * MD5_BYTES)

static bool make_task(Task *task, uint8_t *memory, size_t memory_bytes, int32_t place, int32_t length, const uint8_t *keys,
                      size_t keys_bytes, int32_t key, int32_t signature, int32_t wanted) {
  uint32_t secret;
  if (place < 0 || length < HEADER_BYTES || length > PACKET_MAX || (size_t)place + (size_t)length > memory_bytes) return false;
  if (key < 0 || ((size_t)key + 1) * KEY_BYTES > keys_bytes) return false;
  if (signature != 0 && (signature < HEADER_BYTES || signature > length - MD5_BYTES)) return false;
  task->key = keys + (size_t)key * KEY_BYTES;
  memcpy(&secret, task->key + 2 * MD5_BYTES, 4);
  if (secret > SECRET_MAX) return false;
  task->packet = memory + place;
  task->length = (size_t)length;
  task->signature = (size_t)signature;
  task->secret = secret;
  task->wanted = wanted;
  return true;
}

typedef struct {
  Digester *digester;
  int count;
  const uint8_t *keys[MD5_LANES_MAX];
  uint8_t *results[MD5_LANES_MAX];
} Lanes;

static void run_md5(Lanes *lanes) {
  md5_side_by_side(&lanes->digester->lanes, lanes->count);
  for (int lane = 0; lane < lanes->count; lane++) read_lane(lanes->digester, lane, lanes->results[lane]);
  lanes->count = 0;
}

static void run_hmac(Lanes *lanes) {
  md5_side_by_side(&lanes->digester->lanes, lanes->count);
  finish_hmac(lanes->digester, lanes->count, lanes->keys);
  for (int lane = 0; lane < lanes->count; lane++) read_lane(lanes->digester, lane, lanes->results[lane]);
  lanes->count = 0;
}

/* Adds the signature of a packet: over zeros in its own place, and over zeros for the authenticator where accounting wants that. */
static void add_hmac(Lanes *lanes, const Task *task, uint8_t *result) {
  int lane = lanes->count++;
  uint8_t *message = lanes->digester->messages[lane];
  memcpy(message, task->packet, task->length);
  memset(message + task->signature, 0, MD5_BYTES);
  if (task->wanted & WANT_AUTHENTICATOR) memset(message + 4, 0, MD5_BYTES);
  begin_lane(lanes->digester, lane, task->key);
  pad_lane(lanes->digester, lane, task->length, MD5_BLOCK);
  lanes->keys[lane] = task->key;
  lanes->results[lane] = result;
  if (lanes->count == MD5_LANES_MAX) run_hmac(lanes);
}

/* Adds the digest of a packet and the secret after it. */
static void add_signed(Lanes *lanes, const Task *task, uint8_t *result) {
  int lane = lanes->count++;
  uint8_t *message = lanes->digester->messages[lane];
  memcpy(message, task->packet, task->length);
  if (task->wanted & WANT_AUTHENTICATOR) memset(message + 4, 0, MD5_BYTES);
  memcpy(message + task->length, task->key + KEY_SECRET, task->secret);
  begin_lane(lanes->digester, lane, (const uint8_t *)md5_beginning);
  pad_lane(lanes->digester, lane, task->length + task->secret, 0);
  lanes->results[lane] = result;
  if (lanes->count == MD5_LANES_MAX) run_md5(lanes);
}

/* Adds the digest of the secret and the authenticator after it. */
static void add_mask(Lanes *lanes, const Task *task, uint8_t *result) {
  int lane = lanes->count++;
  uint8_t *message = lanes->digester->messages[lane];
  memcpy(message, task->key + KEY_SECRET, task->secret);
  memcpy(message + task->secret, task->packet + 4, MD5_BYTES);
  begin_lane(lanes->digester, lane, (const uint8_t *)md5_beginning);
  pad_lane(lanes->digester, lane, task->secret + MD5_BYTES, 0);
  lanes->results[lane] = result;
  if (lanes->count == MD5_LANES_MAX) run_md5(lanes);
}

static void digest_requests(Digester *digester, const Task *tasks, int count, uint8_t *results) {
  Lanes lanes = {.digester = digester, .count = 0};
  for (int at = 0; at < count; at++)
    if (tasks[at].signature != 0) add_hmac(&lanes, &tasks[at], results + at * RESULT_BYTES);
  if (lanes.count > 0) run_hmac(&lanes);
  for (int at = 0; at < count; at++) {
    uint8_t *result = results + at * RESULT_BYTES + MD5_BYTES;
    if (tasks[at].wanted & WANT_AUTHENTICATOR) add_signed(&lanes, &tasks[at], result);
    else if (tasks[at].wanted & WANT_MASK) add_mask(&lanes, &tasks[at], result);
  }
  if (lanes.count > 0) run_md5(&lanes);
}

/* Signs answers in place. Each holds the Request Authenticator where its own will be, and zeros for its signature. */
static void seal_answers(Digester *digester, const Task *tasks, int count) {
  Lanes lanes = {.digester = digester, .count = 0};
  for (int at = 0; at < count; at++)
    if (tasks[at].signature != 0) add_hmac(&lanes, &tasks[at], tasks[at].packet + tasks[at].signature);
  if (lanes.count > 0) run_hmac(&lanes);
  for (int at = 0; at < count; at++) add_signed(&lanes, &tasks[at], tasks[at].packet + 4);
  if (lanes.count > 0) run_md5(&lanes);
}

#endif
