#include "server/coordinator/core/traffic.h"

#define NS_PER_S 1e9

void traffic_begin(traffic_t *traffic) {
  for (int d = 0; d < TORUS_LINKS; d++) {
    traffic->said_bytes[d] = 0;
    traffic->bytes_per_s[d] = 0;
  }
  traffic->heard_ns = 0;
}

void traffic_heard(traffic_t *traffic, int64_t now_ns, size_t count,
                   const int64_t *said_bytes) {
  const int64_t passed_ns = traffic->heard_ns > 0 ? now_ns - traffic->heard_ns : 0;
  for (size_t d = 0; d < TORUS_LINKS; d++) {
    const int64_t before = traffic->said_bytes[d];
    const int64_t said = d < count && said_bytes[d] > before ? said_bytes[d] : before;
    const int64_t more = said - before;
    const int64_t room = INT64_MAX - traffic->sent_bytes[d];
    traffic->said_bytes[d] = said;
    traffic->sent_bytes[d] += more < room ? more : room;
    traffic->bytes_per_s[d] =
        passed_ns > 0 ? (double)more * NS_PER_S / (double)passed_ns : 0;
  }
  traffic->heard_ns = now_ns;
}

double traffic_rate(const traffic_t *traffic, torus_direction_t direction, int64_t now_ns,
                    int64_t fresh_ns) {
  return now_ns - traffic->heard_ns > fresh_ns ? 0 : traffic->bytes_per_s[direction];
}
