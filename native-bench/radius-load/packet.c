#include "packet.h"

#include <stdio.h>
#include <string.h>

enum {
  attribute_user_name = 1,
  attribute_user_password = 2,
  attribute_chap_password = 3,
  attribute_nas_address = 4,
  attribute_nas_port = 5,
  attribute_service_type = 6,
  attribute_framed_protocol = 7,
  attribute_framed_address = 8,
  attribute_class = 25,
  attribute_vendor = 26,
  attribute_called_station = 30,
  attribute_calling_station = 31,
  attribute_accounting_status = 40,
  attribute_input_octets = 42,
  attribute_output_octets = 43,
  attribute_session_id = 44,
  attribute_authentic = 45,
  attribute_session_time = 46,
  attribute_input_packets = 47,
  attribute_output_packets = 48,
  attribute_terminate_cause = 49,
  attribute_input_gigawords = 52,
  attribute_output_gigawords = 53,
  attribute_event_time = 55,
  attribute_chap_challenge = 60,
  attribute_nas_port_type = 61,
  attribute_message_authenticator = 80,
};
enum { vendor_microsoft = 311, microsoft_chap_challenge = 11, microsoft_chap2_response = 25, microsoft_chap2_success = 26 };
enum { service_framed = 2, protocol_ppp = 1, port_type_ethernet = 15, cause_user_request = 1, authentic_radius = 1 };
enum { header_bytes = 20 };

void login_of(uint32_t user, char name[name_bytes]) {
  snprintf(name, name_bytes, "user%u", user);
}

void password_of(uint32_t user, char password[name_bytes]) {
  snprintf(password, name_bytes, "word-%04u", (uint32_t)((uint64_t)user * 7919 % 1000));
}

uint32_t address_of(uint32_t user) {
  return 0x0a000000u + user;
}

void shared_secret_set(struct shared_secret *secret, const char *text) {
  secret->text = text;
  secret->length = strlen(text);
  hmac_key_set(&secret->key, text, secret->length);
}

/* Where the next attribute goes. */
struct writer {
  uint8_t *packet;
  size_t length;
};

static uint8_t *add(struct writer *writer, uint8_t type, const void *value, size_t length) {
  uint8_t *at = writer->packet + writer->length;
  at[0] = type;
  at[1] = (uint8_t)(length + 2);
  if (value) memcpy(at + 2, value, length);
  writer->length += length + 2;
  return at + 2;
}

static void add_text(struct writer *writer, uint8_t type, const char *text) {
  add(writer, type, text, strlen(text));
}

static void add_number(struct writer *writer, uint8_t type, uint32_t value) {
  uint8_t octets[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
  add(writer, type, octets, sizeof octets);
}

static void add_microsoft(struct writer *writer, uint8_t type, const void *value, size_t length) {
  uint8_t octets[128] = {0, 0, vendor_microsoft >> 8, vendor_microsoft & 255, type, (uint8_t)(length + 2)};
  memcpy(octets + 6, value, length);
  add(writer, attribute_vendor, octets, length + 6);
}

static struct writer begin(uint8_t *out, uint8_t code, const struct request_facts *facts) {
  out[0] = code;
  out[1] = facts->identifier;
  memcpy(out + 4, facts->authenticator, 16);
  return (struct writer){out, header_bytes};
}

static void set_length(struct writer *writer) {
  writer->packet[2] = (uint8_t)(writer->length >> 8);
  writer->packet[3] = (uint8_t)writer->length;
}

/* RFC 3579 section 3.2. It stands first, so that nothing can be put before it. */
static size_t sign(struct writer *writer, const struct shared_secret *secret) {
  set_length(writer);
  hmac_md5(&secret->key, writer->packet, writer->length, writer->packet + header_bytes + 2);
  return writer->length;
}

/* Message-Authenticator, User-Name and what a PPPoE server tells of the line. */
static struct writer begin_access(uint8_t *out, const struct request_facts *facts) {
  struct writer writer = begin(out, code_access_request, facts);
  static const uint8_t zeros[16];
  char text[name_bytes];
  add(&writer, attribute_message_authenticator, zeros, sizeof zeros);
  login_of(facts->user, text);
  add_text(&writer, attribute_user_name, text);
  return writer;
}

static void add_station(struct writer *writer, uint32_t user) {
  char text[name_bytes];
  snprintf(text, sizeof text, "02-00-%02X-%02X-%02X-%02X", user >> 24, user >> 16 & 255, user >> 8 & 255, user & 255);
  add_text(writer, attribute_calling_station, text);
}

static size_t end_access(struct writer *writer, const struct request_facts *facts, const struct shared_secret *secret) {
  add_number(writer, attribute_nas_address, facts->nas);
  add_number(writer, attribute_nas_port, facts->user);
  add_number(writer, attribute_service_type, service_framed);
  add_number(writer, attribute_framed_protocol, protocol_ppp);
  add_number(writer, attribute_nas_port_type, port_type_ethernet);
  add_station(writer, facts->user);
  return sign(writer, secret);
}

static void typed_password(const struct request_facts *facts, char password[name_bytes]) {
  password_of(facts->user, password);
  if (facts->has_wrong_password) password[0] = 'W';
}

size_t write_pap(uint8_t *out, const struct request_facts *facts, const struct shared_secret *secret) {
  struct writer writer = begin_access(out, facts);
  /* Passwords have at most 16 characters. */
  char password[name_bytes] = {0};
  uint8_t hidden[16];
  struct md5 md5;
  typed_password(facts, password);
  md5_begin(&md5);
  md5_add(&md5, secret->text, secret->length);
  md5_add(&md5, facts->authenticator, 16);
  md5_end(&md5, hidden);
  for (size_t i = 0, length = strlen(password); i < length; i++) hidden[i] ^= (uint8_t)password[i];
  add(&writer, attribute_user_password, hidden, sizeof hidden);
  return end_access(&writer, facts, secret);
}

size_t write_chap(uint8_t *out, const struct request_facts *facts, const struct shared_secret *secret) {
  struct writer writer = begin_access(out, facts);
  char password[name_bytes];
  uint8_t response[17] = {facts->identifier ^ 0x55};
  struct md5 md5;
  typed_password(facts, password);
  md5_begin(&md5);
  md5_add(&md5, response, 1);
  md5_add(&md5, password, strlen(password));
  md5_add(&md5, facts->authenticator, 16);
  md5_end(&md5, response + 1);
  add(&writer, attribute_chap_password, response, sizeof response);
  add(&writer, attribute_chap_challenge, facts->authenticator, 16);
  return end_access(&writer, facts, secret);
}

size_t write_ms_chap2(uint8_t *out, const struct request_facts *facts, const struct shared_secret *secret,
                      const struct ms_chap2 *exchange) {
  struct writer writer = begin_access(out, facts);
  uint8_t response[50] = {facts->identifier};
  memcpy(response + 2, exchange->peer_challenge, 16);
  memcpy(response + 26, exchange->nt_response, 24);
  add_microsoft(&writer, microsoft_chap_challenge, exchange->challenge, 16);
  add_microsoft(&writer, microsoft_chap2_response, response, sizeof response);
  return end_access(&writer, facts, secret);
}

size_t write_accounting(uint8_t *out, const struct request_facts *facts, const struct shared_secret *secret,
                        const struct session *session, enum accounting_status status, uint64_t now_seconds) {
  struct writer writer = begin(out, code_accounting_request, facts);
  char text[48];
  struct md5 md5;
  uint32_t age = (uint32_t)(now_seconds - session->started_seconds) + session->step * 300;
  login_of(session->user, text);
  add_text(&writer, attribute_user_name, text);
  add_number(&writer, attribute_accounting_status, status);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)session->number);
  add_text(&writer, attribute_session_id, text);
  add_number(&writer, attribute_nas_address, facts->nas);
  add_number(&writer, attribute_nas_port, session->user);
  add_number(&writer, attribute_nas_port_type, port_type_ethernet);
  add_number(&writer, attribute_service_type, service_framed);
  add_number(&writer, attribute_framed_protocol, protocol_ppp);
  add_number(&writer, attribute_framed_address, address_of(session->user));
  add_station(&writer, session->user);
  add_text(&writer, attribute_called_station, "bench");
  add_number(&writer, attribute_authentic, authentic_radius);
  add_number(&writer, attribute_event_time, (uint32_t)now_seconds);
  snprintf(text, sizeof text, "tg1/%u/%u", session->user, session->user);
  add_text(&writer, attribute_class, text);
  if (status != accounting_start) {
    add_number(&writer, attribute_session_time, age);
    add_number(&writer, attribute_input_octets, age * 1237);
    add_number(&writer, attribute_output_octets, age * 7919);
    add_number(&writer, attribute_input_gigawords, 0);
    add_number(&writer, attribute_output_gigawords, session->step);
    add_number(&writer, attribute_input_packets, age * 11);
    add_number(&writer, attribute_output_packets, age * 13);
  }
  if (status == accounting_stop) add_number(&writer, attribute_terminate_cause, cause_user_request);
  set_length(&writer);
  /* RFC 2866 section 3: over the packet with zeros in the place of the authenticator. */
  memset(out + 4, 0, 16);
  md5_begin(&md5);
  md5_add(&md5, out, writer.length);
  md5_add(&md5, secret->text, secret->length);
  md5_end(&md5, out + 4);
  return writer.length;
}

static bool is_response_authentic(const uint8_t *packet, size_t length, const uint8_t authenticator[16],
                                  const struct shared_secret *secret) {
  struct md5 md5;
  uint8_t digest[MD5_BYTES];
  md5_begin(&md5);
  md5_add(&md5, packet, 4);
  md5_add(&md5, authenticator, 16);
  md5_add(&md5, packet + header_bytes, length - header_bytes);
  md5_add(&md5, secret->text, secret->length);
  md5_end(&md5, digest);
  return memcmp(digest, packet + 4, 16) == 0;
}

/* Leaves the packet with the request's authenticator and zeros: it is not looked at again. */
static bool is_message_authentic(uint8_t *packet, size_t length, const uint8_t authenticator[16], uint8_t *value,
                                 const struct shared_secret *secret) {
  uint8_t sent[MD5_BYTES], digest[MD5_BYTES];
  memcpy(sent, value, MD5_BYTES);
  memset(value, 0, MD5_BYTES);
  memcpy(packet + 4, authenticator, 16);
  hmac_md5(&secret->key, packet, length, digest);
  return memcmp(digest, sent, MD5_BYTES) == 0;
}

static void read_vendor(const uint8_t *value, size_t length, struct answer *answer) {
  if (length < 6 || value[0] != 0 || value[1] != 0 || (value[2] << 8 | value[3]) != vendor_microsoft) return;
  if (value[4] != microsoft_chap2_success || (size_t)value[5] + 4 > length || value[5] < 2) return;
  answer->success = value + 6;
  answer->success_length = value[5] - 2u;
}

enum verdict read_answer(uint8_t *packet, size_t length, const uint8_t authenticator[16],
                         const struct shared_secret *secret, struct answer *answer) {
  *answer = (struct answer){0};
  if (length < header_bytes || (size_t)(packet[2] << 8 | packet[3]) != length) return verdict_malformed;
  if (!is_response_authentic(packet, length, authenticator, secret)) return verdict_forged;
  answer->code = packet[0];
  uint8_t *signature = 0;
  for (size_t at = header_bytes; at < length; at += packet[at + 1]) {
    if (at + 2 > length || packet[at + 1] < 2 || at + packet[at + 1] > length) return verdict_malformed;
    uint8_t *value = packet + at + 2;
    size_t value_length = packet[at + 1] - 2u;
    if (packet[at] == attribute_message_authenticator && value_length == 16) signature = value;
    if (packet[at] == attribute_framed_address && value_length == 4) {
      answer->has_address = true;
      answer->address = (uint32_t)value[0] << 24 | (uint32_t)value[1] << 16 | (uint32_t)value[2] << 8 | value[3];
    }
    if (packet[at] == attribute_vendor) read_vendor(value, value_length, answer);
  }
  if (signature) return is_message_authentic(packet, length, authenticator, signature, secret) ? verdict_right : verdict_forged;
  return answer->code == code_accounting_response ? verdict_right : verdict_unsigned;
}
