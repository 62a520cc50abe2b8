#include "load.h"

#include <string.h>

static bool is_proof_right(const struct request *request, const struct answer *answer) {
  return answer->success_length == 43 && answer->success[0] == request->bytes[1] &&
         memcmp(answer->success + 1, request->exchange->success, 42) == 0;
}

/* Whether it is the answer that this request deserved; counts it. */
static void judge_access(struct run *run, const struct request *request, const struct answer *answer) {
  struct counts *counts = &run->counts;
  if (answer->code == code_access_accept) {
    counts->accepted++;
    if (!request->deserves_accept) counts->undeserved_accepts++;
    else if (!answer->has_address || answer->address != address_of(request->user)) counts->malformed++;
    else if (request->exchange && !is_proof_right(request, answer)) counts->malformed++;
  } else if (answer->code == code_access_reject) {
    counts->rejected++;
    if (request->deserves_accept) counts->undeserved_rejects++;
  } else {
    counts->malformed++;
  }
}

static void judge_accounting(struct run *run, const struct request *request, const struct answer *answer) {
  if (answer->code != code_accounting_response) run->counts.malformed++;
  else if (request->status == accounting_start) run->counts.starts++;
  else if (request->status == accounting_stop) run->counts.stops++;
  else run->counts.updates++;
}

/* An answer to the request that had the identifier before, or to one that is answered already. */
static bool is_late(struct run *run, const struct request *request, const uint8_t *packet, size_t length) {
  struct answer answer;
  uint8_t copy[packet_bytes_max];
  const uint8_t *authenticators[] = {request->prior_authenticator, request->bytes + 4};
  for (int i = 0; i < (request->is_waiting ? 1 : 2); i++) {
    memcpy(copy, packet, length);
    if (read_answer(copy, length, authenticators[i], &run->secret, &answer) != verdict_forged) return true;
  }
  return false;
}

/* Sent again after its answer: a server that knows it answers with the same bytes. */
static void repeat(struct run *run, struct source *source, struct request *request, uint64_t now) {
  request->repeats_left--;
  request->tries = 1;
  request->due = now;
  wait_for_answer(run, request, now);
  source->batch[source->batch_count++] = request;
  run->counts.sent++;
}

void take_answer(struct run *run, struct source *source, uint8_t *packet, size_t length, uint64_t now) {
  if (length < 20) {
    run->counts.malformed++;
    return;
  }
  struct request *request = &source->requests[packet[1]];
  struct answer answer;
  uint8_t copy[packet_bytes_max];
  memcpy(copy, packet, length);
  enum verdict verdict =
      request->is_waiting ? read_answer(copy, length, request->bytes + 4, &run->secret, &answer) : verdict_forged;
  if (verdict == verdict_forged) {
    if (is_late(run, request, packet, length)) run->counts.late++;
    else run->counts.forged++;
    return;
  }
  stop_waiting(run, request);
  run->counts.answered++;
  if (now <= run->until) run->counts.answered_in_time++;
  histogram_add(&run->latency, now > request->due ? now - request->due : 0);
  if (verdict == verdict_malformed) run->counts.malformed++;
  else if (verdict == verdict_unsigned) run->counts.unsigned_answers++;
  else if (run->options.method == method_accounting) judge_accounting(run, request, &answer);
  else judge_access(run, request, &answer);
  bool is_first = request->repeats_left == run->options.repeats;
  if (is_first) memcpy(request->answer_authenticator, packet + 4, 16);
  else if (memcmp(request->answer_authenticator, packet + 4, 16) != 0) run->counts.unequal_repeats++;
  if (request->repeats_left > 0 && now < run->until) {
    if (source->batch_count == batch_max) send_batch(run, source);
    repeat(run, source, request, now);
  } else {
    release(run, source, request);
  }
}
