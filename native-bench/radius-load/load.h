/* One run: sockets, the requests under way on each, and what came of them. */
#ifndef RADIUS_LOAD_LOAD_H
#define RADIUS_LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "histogram.h"
#include "options.h"
#include "packet.h"

enum { identifiers = 256, batch_max = 128, exchanges_count = 8192 };

/* A place for one request: an identifier of a socket. */
struct request {
  bool is_waiting;
  bool deserves_accept;
  uint8_t tries;
  uint32_t repeats_left;
  uint32_t user;
  enum accounting_status status;
  /* Accounting: of the socket's sessions, taken out while it waits. */
  struct session session;
  /* When it should have been sent, and when it was sent last. */
  uint64_t due;
  uint64_t sent;
  const struct ms_chap2 *exchange;
  /* Of the request that had this identifier before: a late answer is told from a forged one by it. */
  uint8_t prior_authenticator[16];
  /* Of the first answer, when the request is repeated. */
  uint8_t answer_authenticator[16];
  /* Neighbours in the order of sending. */
  struct request *earlier, *later;
  uint32_t source;
  uint32_t length;
  uint8_t bytes[request_bytes_max];
};

/* One socket of one NAS. */
struct source {
  int descriptor;
  uint32_t number;
  uint32_t nas;
  uint32_t waiting;
  /* In the order in which they became free: an identifier is used again as late as can be. */
  uint8_t free[identifiers];
  uint32_t free_from;
  uint32_t free_count;
  struct session *sessions;
  uint32_t sessions_count;
  uint64_t sessions_made;
  struct request *batch[batch_max];
  uint32_t batch_count;
  struct request requests[identifiers];
};

/* Prepared sign-ins by MS-CHAPv2, which would cost more than the rest. */
struct prepared {
  struct ms_chap2 exchange;
  uint32_t user;
  bool has_wrong_password;
};

struct counts {
  uint64_t sent, answered, accepted, rejected, retransmitted, lost, late;
  uint64_t answered_in_time;
  uint64_t undeserved_accepts, undeserved_rejects, forged, unsigned_answers, malformed, unequal_repeats;
  uint64_t starts, updates, stops;
};

struct run {
  struct options options;
  struct shared_secret secret;
  struct source *sources;
  struct prepared *prepared;
  struct request *earliest, *latest;
  uint64_t random;
  uint64_t made;
  uint64_t started;
  /* New requests are made until then. */
  uint64_t until;
  uint64_t waiting;
  uint64_t first_session;
  /* Accounting, at the end: sessions that are open are stopped, and no new ones begin. */
  bool is_closing;
  struct counts counts;
  struct histogram latency;
};

uint64_t clock_now(void);
uint64_t random_next(struct run *run);

/* requests.c: false where the source has no identifier or session to spare. */
void prepare_run(struct run *run);
void close_sessions(struct run *run);
bool make_request(struct run *run, struct source *source, uint64_t due);
void send_batch(struct run *run, struct source *source);
void resend_late(struct run *run, uint64_t now);
void release(struct run *run, struct source *source, struct request *request);
void wait_for_answer(struct run *run, struct request *request, uint64_t now);
void stop_waiting(struct run *run, struct request *request);

/* answers.c */
void take_answer(struct run *run, struct source *source, uint8_t *packet, size_t length, uint64_t now);

/* report.c: one line of JSON. */
void report(const struct run *run, uint64_t ended);

#endif
