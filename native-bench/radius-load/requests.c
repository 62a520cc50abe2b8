#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* splitmix64: fast, and never twice the same within a run. */
uint64_t random_next(struct run *run) {
  uint64_t z = run->random += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void fill_random(struct run *run, uint8_t bytes[16]) {
  uint64_t words[2] = {random_next(run), random_next(run)};
  memcpy(bytes, words, sizeof words);
}

static uint32_t next_user(struct run *run) {
  uint32_t users = run->options.users;
  return (uint32_t)((run->options.in_turn ? run->made : random_next(run) >> 11) % users) + 1;
}

static bool is_nth(uint64_t number, uint32_t every) {
  return every > 0 && number % every == 0;
}

static void begin_session(struct run *run, struct source *source, struct session *session) {
  uint64_t number = source->sessions_made++ * run->options.sockets + source->number;
  *session = (struct session){
      .number = run->first_session + number,
      .user = (uint32_t)(number % run->options.users) + 1,
      .started_seconds = (uint64_t)time(0),
  };
}

static void prepare_sessions(struct run *run) {
  for (uint32_t i = 0; i < run->options.sockets; i++) {
    struct source *source = &run->sources[i];
    source->sessions_count = run->options.sessions / run->options.sockets + 1;
    source->sessions = calloc(source->sessions_count, sizeof *source->sessions);
    for (uint32_t n = 0; n < source->sessions_count; n++) begin_session(run, source, &source->sessions[n]);
  }
}

static void prepare_exchanges(struct run *run) {
  run->prepared = calloc(exchanges_count, sizeof *run->prepared);
  for (uint32_t i = 0; i < exchanges_count; i++, run->made++) {
    struct prepared *one = &run->prepared[i];
    char login[name_bytes], password[name_bytes];
    one->user = next_user(run);
    one->has_wrong_password = is_nth(i + 1, run->options.wrong_every);
    login_of(one->user, login);
    password_of(one->user, password);
    if (one->has_wrong_password) password[0] = 'W';
    fill_random(run, one->exchange.challenge);
    fill_random(run, one->exchange.peer_challenge);
    ms_chap2_answer(&one->exchange, login, password);
  }
  run->made = 0;
}

/* Those that are not begun are forgotten; the others are stopped by what is made from now on. */
void close_sessions(struct run *run) {
  run->is_closing = true;
  for (uint32_t i = 0; i < run->options.sockets; i++) {
    struct source *source = &run->sources[i];
    uint32_t kept = 0;
    for (uint32_t n = 0; n < source->sessions_count; n++)
      if (source->sessions[n].step > 0) source->sessions[kept++] = source->sessions[n];
    source->sessions_count = kept;
  }
}

void prepare_run(struct run *run) {
  for (uint32_t i = 0; i < run->options.sockets; i++) {
    struct source *source = &run->sources[i];
    source->number = i;
    for (uint32_t identifier = 0; identifier < identifiers; identifier++) {
      source->free[identifier] = (uint8_t)identifier;
      source->requests[identifier].source = i;
    }
    source->free_count = identifiers;
  }
  /* Sessions of one run are not those of another. */
  run->first_session = random_next(run) << 32;
  if (run->options.method == method_accounting) prepare_sessions(run);
  if (run->options.method == method_ms_chap2) prepare_exchanges(run);
}

void wait_for_answer(struct run *run, struct request *request, uint64_t now) {
  request->sent = now;
  request->earlier = run->latest;
  request->later = 0;
  if (run->latest) run->latest->later = request;
  else run->earliest = request;
  run->latest = request;
}

void stop_waiting(struct run *run, struct request *request) {
  if (request->earlier) request->earlier->later = request->later;
  else run->earliest = request->later;
  if (request->later) request->later->earlier = request->earlier;
  else run->latest = request->earlier;
}

static void write_access(struct run *run, struct request *request, struct request_facts *facts) {
  const struct options *options = &run->options;
  uint64_t nth = run->made + 1;
  if (options->method == method_ms_chap2) {
    const struct prepared *one = &run->prepared[run->made % exchanges_count];
    facts->user = one->user;
    facts->has_wrong_password = one->has_wrong_password;
    request->exchange = &one->exchange;
    request->length = (uint32_t)write_ms_chap2(request->bytes, facts, &run->secret, request->exchange);
  } else {
    facts->user = next_user(run);
    facts->has_wrong_password = is_nth(nth, options->wrong_every);
    request->length = (uint32_t)(options->method == method_pap ? write_pap : write_chap)(request->bytes, facts, &run->secret);
  }
  request->user = facts->user;
  request->deserves_accept = !facts->has_wrong_password && !is_nth(facts->user, options->blocked_every);
}

/* The next packet of one of the socket's sessions, by chance, so that starts, updates and stops come mixed. */
static void write_session(struct run *run, struct source *source, struct request *request, struct request_facts *facts) {
  uint32_t place = (uint32_t)(random_next(run) >> 11) % source->sessions_count;
  request->session = source->sessions[place];
  source->sessions[place] = source->sessions[--source->sessions_count];
  uint32_t step = request->session.step;
  bool is_last = run->is_closing || step > run->options.interims;
  request->status = step == 0 ? accounting_start : is_last ? accounting_stop : accounting_interim;
  facts->user = request->session.user;
  request->user = facts->user;
  request->deserves_accept = true;
  request->length = (uint32_t)write_accounting(request->bytes, facts, &run->secret, &request->session, request->status,
                                               (uint64_t)time(0));
}

bool make_request(struct run *run, struct source *source, uint64_t due) {
  bool is_accounting = run->options.method == method_accounting;
  if (source->free_count == 0 || source->batch_count == batch_max) return false;
  if (is_accounting && source->sessions_count == 0) return false;
  uint8_t identifier = source->free[source->free_from];
  source->free_from = (source->free_from + 1) % identifiers;
  source->free_count--;
  struct request *request = &source->requests[identifier];
  memcpy(request->prior_authenticator, request->bytes + 4, 16);
  struct request_facts facts = {.identifier = identifier, .nas = source->nas};
  fill_random(run, facts.authenticator);
  if (is_accounting) write_session(run, source, request, &facts);
  else write_access(run, request, &facts);
  request->is_waiting = true;
  request->tries = 1;
  request->repeats_left = run->options.repeats;
  request->due = due;
  wait_for_answer(run, request, due);
  source->batch[source->batch_count++] = request;
  source->waiting++;
  run->waiting++;
  run->made++;
  run->counts.sent++;
  return true;
}

/* The identifier is free, and the session goes on: with its next packet, or, ended, as a new one. */
void release(struct run *run, struct source *source, struct request *request) {
  request->is_waiting = false;
  source->free[(source->free_from + source->free_count++) % identifiers] = request->bytes[1];
  source->waiting--;
  run->waiting--;
  if (run->options.method != method_accounting) return;
  if (run->is_closing && request->status == accounting_stop) return;
  struct session *session = &source->sessions[source->sessions_count++];
  *session = request->session;
  if (request->status == accounting_stop) begin_session(run, source, session);
  else session->step++;
}

void send_batch(struct run *run, struct source *source) {
  static struct mmsghdr messages[batch_max];
  static struct iovec parts[batch_max];
  uint32_t count = source->batch_count;
  for (uint32_t i = 0; i < count; i++) {
    parts[i] = (struct iovec){source->batch[i]->bytes, source->batch[i]->length};
    messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
  }
  source->batch_count = 0;
  for (uint32_t done = 0, refusals = 0; done < count;) {
    int sent = sendmmsg(source->descriptor, messages + done, count - done, 0);
    if (sent >= 0) {
      done += (uint32_t)sent;
      continue;
    }
    /* Told of an earlier datagram that nobody listens: what is sent now is lost like it, and times out. */
    if (errno == EINTR || (errno == ECONNREFUSED && ++refusals < 1000)) continue;
    if (errno == ECONNREFUSED || errno == ENOBUFS || errno == EAGAIN) return;
    perror("radius-load: sendmmsg");
    exit(1);
  }
  (void)run;
}

void resend_late(struct run *run, uint64_t now) {
  uint64_t patience = (uint64_t)(run->options.timeout_seconds * 1e9);
  for (struct request *request; (request = run->earliest) && request->sent + patience <= now;) {
    struct source *source = &run->sources[request->source];
    if (request->tries < run->options.tries && source->batch_count == batch_max) send_batch(run, source);
    stop_waiting(run, request);
    if (request->tries < run->options.tries) {
      request->tries++;
      run->counts.retransmitted++;
      wait_for_answer(run, request, now);
      source->batch[source->batch_count++] = request;
    } else {
      run->counts.lost++;
      release(run, source, request);
    }
  }
}
