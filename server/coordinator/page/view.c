#include "server/coordinator/page/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/jobs.h"
#include "server/coordinator/services/execution.h"

enum { US_PER_S = 1000000, NS_PER_US = 1000, FRESH_HEARTBEATS = 3 };

int64_t view_unix_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / NS_PER_US;
}

// --- Words ---

void view_add_string(pod_text_t *text, const char *string) {
  const size_t length = strnlen(string, VIEW_TEXT_MAX);
  pod_text_add(text, "\"");
  size_t plain = 0;
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)string[i];
    if (c >= ' ' && c != '"' && c != '\\' && c != 0x7f) {
      continue;
    }
    pod_text_add_bytes(text, string + plain, i - plain);
    pod_text_printf(text, "\\u%04x", c);
    plain = i + 1;
  }
  pod_text_add_bytes(text, string + plain, length - plain);
  pod_text_add(text, "\"");
}

static void add_field(pod_text_t *text, const char *name, const char *string) {
  pod_text_printf(text, ",\"%s\":", name);
  view_add_string(text, string);
}

static void add_number(pod_text_t *text, const char *name, int64_t value) {
  pod_text_printf(text, ",\"%s\":%" PRId64, name, value);
}

static int64_t hbm_bytes_of(const coordinator_t *coordinator) {
  const coordinator_options_t *options = &coordinator->options;
  return options->hbm_bytes != 0 ? options->hbm_bytes
                                 : chip_spec_hbm_usable_bytes(options->spec);
}

static int64_t fresh_ns(const coordinator_t *coordinator) {
  return FRESH_HEARTBEATS * coordinator->options.heartbeat_ms * INT64_C(1000000);
}

// --- What stays ---

void view_write_static(pod_text_t *text, const coordinator_t *coordinator,
                       const access_identity_t *identity) {
  const torus_t *torus = &coordinator->options.torus;
  pod_text_t name = {0};
  torus_print(&name, torus);
  pod_text_add(text, "{\"id\":");
  view_add_string(text, coordinator->pod_id);
  add_field(text, "kind", coordinator->options.spec->name);
  add_field(text, "device_kind", coordinator->options.spec->device_kind);
  add_field(text, "topology", name.bytes);
  // Cores of a chip stand beside each other, slices are further planes: so the ids count.
  const int32_t cores = torus_core_total(torus), slices = torus_slice_total(torus);
  pod_text_printf(text, ",\"size\":[%" PRId32 ",%" PRId32 ",%" PRId32 "]",
                  torus->size[0] * cores, torus->size[1], torus->size[2] * slices);
  pod_text_printf(text, ",\"wraps\":[%s,%s,%s]",
                  torus->wraps[0] && cores == 1 ? "true" : "false",
                  torus->wraps[1] ? "true" : "false",
                  torus->wraps[2] && slices == 1 ? "true" : "false");
  add_number(text, "hbm_bytes", hbm_bytes_of(coordinator));
  add_field(text, "version", PODIUM_VERSION);
  add_field(text, "you", identity->name);
  pod_text_printf(text, ",\"may_run\":%s,\"may_administer\":%s}",
                  access_allows(identity, ACCESS_RUN) ? "true" : "false",
                  access_allows(identity, ACCESS_ADMINISTER) ? "true" : "false");
  pod_text_deinit(&name);
}

// --- The pod ---

// One letter for each chip.
static char state_letter(place_state_t state) {
  static const char letters[PLACE_STATE_COUNT] = {[PLACE_MISSING] = 'm',
                                                  [PLACE_JOINING] = 'j',
                                                  [PLACE_READY] = 'r',
                                                  [PLACE_DRAINING] = 'd',
                                                  [PLACE_LOST] = 'l'};
  return letters[state];
}

// By chip: '1' while something runs there. Returns owned.
static char *list_busy(const coordinator_t *coordinator, int32_t count) {
  char *busy = pod_alloc((size_t)count + 1);
  memset(busy, '0', (size_t)count);
  int looked_at = 0;
  for (const execution_t *at = coordinator->first_running;
       at != NULL && looked_at < VIEW_EXECUTIONS_MAX; at = at->next, looked_at++) {
    for (int32_t i = 0; i < at->executable->chip_count; i++) {
      busy[at->executable->chips[i]] = '1';
    }
  }
  return busy;
}

static void add_links(pod_text_t *text, const coordinator_t *coordinator,
                      const places_t *places, int64_t now_ns) {
  pod_text_add(text, ",\"up\":\"");
  for (int32_t chip = 0; chip < places->count; chip++) {
    unsigned up = 0;
    for (int d = 0; d < TORUS_DIRECTIONS; d++) {
      const bool is_link = places->at[chip].links[d].neighbour >= 0;
      up |= is_link && places_link_is_up(places, chip, d) ? 1u << d : 0;
    }
    pod_text_add_bytes(text, &"0123456789abcdef"[up >> 4], 1);
    pod_text_add_bytes(text, &"0123456789abcdef"[up & 15], 1);
  }
  pod_text_add(text, "\",\"rate\":[");
  int directions = TORUS_DIRECTIONS;
  while (directions > 2 && places->torus.size[directions / 2 - 1] == 1) {
    directions -= 2;
  }
  for (int32_t chip = 0; chip < places->count; chip++) {
    for (int d = 0; d < directions; d++) {
      const double rate =
          traffic_rate(&places->at[chip].traffic, d, now_ns, fresh_ns(coordinator));
      pod_text_add_int(text, (int64_t)rate);
      pod_text_add(text, ",");
    }
  }
  text->bytes[text->length - 1] = ']';
  pod_text_printf(text, ",\"directions\":%d", directions);
}

void view_write_pod(pod_text_t *text, const coordinator_t *coordinator, int64_t now_ns) {
  const places_t *places = registry_places(coordinator->registry);
  char *busy = list_busy(coordinator, places->count);
  pod_text_printf(text, "{\"ready\":%s,\"draining\":%s,\"states\":\"",
                  places_are_ready(places) ? "true" : "false",
                  coordinator->is_draining ? "true" : "false");
  for (int32_t chip = 0; chip < places->count; chip++) {
    const char letter = state_letter(place_state(&places->at[chip]));
    pod_text_add_bytes(text, &letter, 1);
  }
  pod_text_printf(text, "\",\"busy\":\"%s\",\"hbm\":[", busy);
  for (int32_t chip = 0; chip < places->count; chip++) {
    pod_text_add_int(text, places->at[chip].hbm_used_bytes);
    pod_text_add(text, ",");
  }
  text->bytes[text->length - 1] = ']';
  add_links(text, coordinator, places, now_ns);
  pod_text_add(text, "}");
  free(busy);
}

void view_write_chip(pod_text_t *text, const coordinator_t *coordinator, int32_t chip,
                     int64_t now_ns) {
  const places_t *places = registry_places(coordinator->registry);
  const place_t *place = &places->at[chip];
  const torus_coords_t coords = torus_coords(&places->torus, chip);
  pod_text_printf(
      text, "{\"chip\":%" PRId32 ",\"coords\":[%" PRId32 ",%" PRId32 ",%" PRId32 "]",
      chip, coords.at[0], coords.at[1], coords.at[2]);
  add_field(text, "state", pod_state_name(&place->machine));
  add_number(text, "process", places_process(places, chip));
  add_field(text, "address", place->address != NULL ? place->address : "");
  add_field(text, "version", place->version != NULL ? place->version : "");
  add_number(text, "pid", place->pid);
  add_number(text, "hbm_used_bytes", place->hbm_used_bytes);
  add_number(text, "heard_ms",
             place_is_taken(place) ? (now_ns - place->heard_ns) / 1000000 : -1);
  const bool was_lost = place->lost_reason != NULL && place_state(place) != PLACE_READY;
  add_field(text, "reason", was_lost ? place->lost_reason : "");
  pod_text_add(text, ",\"links\":[");
  for (int d = 0; d < TORUS_DIRECTIONS; d++) {
    const place_link_t *link = &place->links[d];
    if (link->neighbour < 0) {
      pod_text_add(text, d == 0 ? "null" : ",null");
      continue;
    }
    pod_text_printf(
        text,
        "%s{\"to\":%" PRId32 ",\"up\":%s,\"sent_bytes\":%" PRId64 ",\"rate\":%" PRId64
        "}",
        d == 0 ? "" : ",", link->neighbour,
        places_link_is_up(places, chip, d) ? "true" : "false",
        place->traffic.sent_bytes[d],
        (int64_t)traffic_rate(&place->traffic, d, now_ns, fresh_ns(coordinator)));
  }
  pod_text_add(text, "]}");
}

// --- Executions ---

static bool may_see(const access_identity_t *identity, const char *principal) {
  return access_allows(identity, ACCESS_ADMINISTER) ||
         (access_allows(identity, ACCESS_RUN) && strcmp(identity->name, principal) == 0);
}

static void add_execution(pod_text_t *text, const execution_t *execution,
                          int64_t unix_offset_us) {
  const store_session_t *session = execution->request.operation.session;
  pod_text_printf(text, "{\"id\":%" PRIu64, execution->id);
  add_field(text, "program", execution->executable->name);
  add_field(text, "client", session->client);
  add_field(text, "principal", session->principal);
  add_number(text, "chips", execution->executable->chip_count);
  add_number(text, "first_chip", execution->executable->chips[0]);
  add_number(text, "since_us", execution->request.began_ns / NS_PER_US + unix_offset_us);
  pod_text_add(text, "}");
}

void view_write_work(pod_text_t *text, const coordinator_t *coordinator,
                     const access_identity_t *identity, int64_t now_ns) {
  // To a tenth of a second, so that what has not changed is told in the same words.
  const int64_t offset_us = (view_unix_us() - now_ns / NS_PER_US) / 100000 * 100000;
  pod_text_printf(text,
                  "{\"running\":%" PRId32 ",\"waiting\":%" PRId64 ",\"sessions\":%" PRId32
                  ",\"list\":[",
                  coordinator->running_count, executions_count_waiting(coordinator),
                  store_session_count(coordinator->store));
  int shown = 0;
  for (const execution_t *at = coordinator->first_running;
       at != NULL && shown < VIEW_EXECUTIONS_MAX; at = at->next) {
    if (may_see(identity, at->request.operation.session->principal)) {
      pod_text_add(text, shown++ > 0 ? "," : "");
      add_execution(text, at, offset_us);
    }
  }
  pod_text_add(text, "]}");
}

// --- Jobs ---

typedef struct jobs_view_t {
  pod_text_t *texts[VIEW_JOBS_MAX];  // Of the newest, the oldest of them first.
  size_t kept;
} jobs_view_t;

static void write_job(pod_text_t *text, const Podium__V1__Job *job, job_state_t state) {
  pod_text_printf(text, "{\"id\":%" PRIu64, job->id);
  add_field(text, "name", job->name);
  add_field(text, "principal", job->principal);
  add_field(text, "state", job_state_name(state));
  add_field(text, "slice", job->given_slice[0] != '\0' ? job->given_slice : job->slice);
  add_number(text, "device_count", job->device_count);
  add_number(text, "priority", job->priority);
  add_number(text, "attempts", job->attempts);
  add_number(text, "retries", job->retries);
  add_number(text, "position", job->position);
  add_number(text, "code", job->code);
  add_field(text, "message", job->message);
  add_field(text, "waits_for", job->waits_for);
  add_field(text, "progress", job->progress);
  add_number(text, "submitted_us", job->submitted_us);
  add_number(text, "started_us", job->started_us);
  add_number(text, "ended_us", job->ended_us);
  pod_text_add(text, ",\"chips\":[");
  for (size_t i = 0; i < job->n_chips && state == JOB_RUNNING; i++) {
    pod_text_printf(text, "%s%" PRId32, i > 0 ? "," : "", job->chips[i]);
  }
  pod_text_printf(text, "],\"has_report\":%s}", job->has_report ? "true" : "false");
}

static void keep_job(void *context, const Podium__V1__Job *job, job_state_t state) {
  jobs_view_t *view = context;
  pod_text_t *text = pod_alloc(sizeof(*text));
  write_job(text, job, state);
  view->texts[view->kept++] = text;
}

void view_write_jobs(pod_text_t *text, const coordinator_t *coordinator,
                     const access_identity_t *identity) {
  jobs_view_t view = {0};
  int64_t by_state[JOB_STATE_COUNT];
  jobs_count(coordinator->jobs, by_state);
  const size_t visible =
      access_allows(identity, ACCESS_RUN)
          ? jobs_each(coordinator, identity, VIEW_JOBS_MAX, keep_job, &view)
          : 0;
  pod_text_add(text, "{\"counts\":{");
  for (size_t state = 0; state < JOB_STATE_COUNT; state++) {
    pod_text_printf(text, "%s\"%s\":%" PRId64, state > 0 ? "," : "",
                    job_state_name((job_state_t)state), by_state[state]);
  }
  pod_text_printf(text, "},\"older\":%zu,\"list\":[", visible - view.kept);
  for (size_t i = view.kept; i-- > 0;) {
    pod_text_add_bytes(text, view.texts[i]->bytes, view.texts[i]->length);
    pod_text_add(text, i > 0 ? "," : "");
    pod_text_deinit(view.texts[i]);
    free(view.texts[i]);
  }
  pod_text_add(text, "]}");
}

// --- Losses ---

void view_write_losses(pod_text_t *text, const coordinator_t *coordinator) {
  const losses_t *losses = &coordinator->losses;
  pod_text_printf(text, "{\"count\":%" PRIu64 ",\"list\":[", losses->count);
  for (size_t i = 0; i < losses_kept(losses); i++) {
    const loss_t *loss = losses_recent(losses, i);
    pod_text_printf(text,
                    "%s{\"id\":%" PRIu64 ",\"kind\":\"%s\",\"chip\":%" PRId32
                    ",\"neighbour\":%" PRId32 ",\"at_us\":%" PRId64
                    ",\"back_us\":%" PRId64,
                    i > 0 ? "," : "", loss->id, loss->kind == LOSS_CHIP ? "chip" : "link",
                    loss->chip, loss->neighbour, loss->at_us, loss->back_us);
    add_field(text, "why", loss->why);
    pod_text_add(text, "}");
  }
  pod_text_add(text, "]}");
}
