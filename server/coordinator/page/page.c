// One look at the books, at most every LOOK_MS and while somebody reads, makes a few
// texts; what has changed goes to each reader that has taken what it had. One that reads
// slowly gets the newest later, and nothing in between.

#include "server/coordinator/page.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "common/access/code.h"
#include "common/access/place.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/http/answer.h"
#include "common/http/request.h"
#include "common/rpc/http.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/jobs.h"
#include "server/coordinator/page/assets.h"
#include "server/coordinator/page/reports.h"
#include "server/coordinator/page/view.h"
#include "server/coordinator/page/visitors.h"

enum {
  LOOK_MS = 500,
  QUIET_MS = 15000,  // After which a reader is told that we live.
  READERS_MAX = 64,
  CONNECTIONS_MAX = 128,
  COOKIE_NAME_BYTES = 32,
  HOST_BYTES_MAX = 256,
};

// What readers are told, by the names of the events.
typedef enum topic_t {
  TOPIC_POD = 0,
  TOPIC_LOST,
  TOPIC_WORK,
  TOPIC_JOBS,
  TOPIC_COUNT
} topic_t;

static const char *const topic_names[TOPIC_COUNT] = {"pod", "lost", "work", "jobs"};

// A text, and the look in which it has changed last.
typedef struct snapshot_t {
  pod_text_t text;
  uint64_t changed;
} snapshot_t;

typedef struct reader_t reader_t;
struct reader_t {
  reader_t *previous, *next;
  page_t *page;
  rpc_http_exchange_t *exchange;
  access_identity_t identity;
  uint64_t had[TOPIC_COUNT];  // The look of which it was told.
  int64_t told_ns;
  snapshot_t own[TOPIC_COUNT];  // Of who sees his own work only; else empty.
  uint64_t own_jobs_version;
};

// Who sees the same.
typedef enum audience_t { AUDIENCE_ALL = 0, AUDIENCE_NONE, AUDIENCE_COUNT } audience_t;

struct page_t {
  coordinator_t *coordinator;
  rpc_http_t *http;
  char *address, *url;
  char cookie[COOKIE_NAME_BYTES];  // Its name: those of a host are shared by its ports.
  char hostname[HOST_BYTES_MAX];
  visitors_t *visitors;
  reports_t *reports;
  reader_t *readers;
  int reader_count;
  rpc_timer_t *timer;
  uint64_t looks;
  int64_t looked_ns, took_ns, longest_ns;
  snapshot_t pod, lost;
  snapshot_t work[AUDIENCE_COUNT], jobs[AUDIENCE_COUNT];
  uint64_t jobs_version;
};

// --- A look at the books ---

// Takes the text.
static void update(page_t *page, snapshot_t *snapshot, pod_text_t *text) {
  const bool is_same = snapshot->changed != 0 && snapshot->text.length == text->length &&
                       memcmp(snapshot->text.bytes, text->bytes, text->length) == 0;
  if (is_same) {
    pod_text_deinit(text);
    return;
  }
  pod_text_deinit(&snapshot->text);
  snapshot->text = *text;
  snapshot->changed = page->looks;
}

static audience_t audience_of(const access_identity_t *identity) {
  return access_allows(identity, ACCESS_ADMINISTER) ? AUDIENCE_ALL : AUDIENCE_NONE;
}

// `run` without `administer`: a look of his own.
static bool has_own_view(const access_identity_t *identity) {
  return access_allows(identity, ACCESS_RUN) &&
         !access_allows(identity, ACCESS_ADMINISTER);
}

static void look_for(page_t *page, const access_identity_t *identity, snapshot_t *work,
                     snapshot_t *jobs, bool with_jobs, int64_t now_ns) {
  pod_text_t text = {0};
  view_write_work(&text, page->coordinator, identity, now_ns);
  update(page, work, &text);
  if (with_jobs) {
    text = (pod_text_t){0};
    view_write_jobs(&text, page->coordinator, identity);
    update(page, jobs, &text);
  }
}

static void look(page_t *page) {
  const int64_t now_ns = pod_clock_now_ns();
  const coordinator_t *coordinator = page->coordinator;
  page->looks++;
  pod_text_t text = {0};
  view_write_pod(&text, coordinator, now_ns);
  update(page, &page->pod, &text);
  text = (pod_text_t){0};
  view_write_losses(&text, coordinator);
  update(page, &page->lost, &text);
  const uint64_t version = jobs_version(coordinator);
  const bool with_jobs = page->looks == 1 || version != page->jobs_version;
  page->jobs_version = version;
  const access_identity_t audiences[AUDIENCE_COUNT] = {
      [AUDIENCE_ALL] = {.roles = ~0u}, [AUDIENCE_NONE] = {.roles = 0}};
  for (int i = 0; i < AUDIENCE_COUNT; i++) {
    look_for(page, &audiences[i], &page->work[i], &page->jobs[i], with_jobs, now_ns);
  }
  for (reader_t *reader = page->readers; reader != NULL; reader = reader->next) {
    if (has_own_view(&reader->identity)) {
      const bool is_new =
          reader->own[TOPIC_JOBS].changed == 0 || reader->own_jobs_version != version;
      reader->own_jobs_version = version;
      look_for(page, &reader->identity, &reader->own[TOPIC_WORK],
               &reader->own[TOPIC_JOBS], is_new, now_ns);
    }
  }
  page->looked_ns = now_ns;
  page->took_ns = pod_clock_now_ns() - now_ns;
  page->longest_ns = page->took_ns > page->longest_ns ? page->took_ns : page->longest_ns;
}

// --- Readers ---

static const snapshot_t *snapshot_for(const reader_t *reader, topic_t topic) {
  const page_t *page = reader->page;
  const audience_t audience = audience_of(&reader->identity);
  switch (topic) {
    case TOPIC_POD:
      return &page->pod;
    case TOPIC_LOST:
      return &page->lost;
    default:
      if (has_own_view(&reader->identity)) {
        return &reader->own[topic];
      }
      return topic == TOPIC_WORK ? &page->work[audience] : &page->jobs[audience];
  }
}

static void tell(reader_t *reader, int64_t now_ns) {
  if (rpc_http_stream_waiting(reader->exchange) > 0) {
    return;
  }
  pod_text_t text = {0};
  for (int topic = 0; topic < TOPIC_COUNT; topic++) {
    const snapshot_t *snapshot = snapshot_for(reader, (topic_t)topic);
    if (snapshot->changed != 0 && snapshot->changed != reader->had[topic]) {
      http_event_write(&text, topic_names[topic], 0, snapshot->text.bytes,
                       snapshot->text.length);
      reader->had[topic] = snapshot->changed;
    }
  }
  if (text.length == 0 && now_ns - reader->told_ns > QUIET_MS * INT64_C(1000000)) {
    pod_text_add(&text, ":\n\n");
  }
  if (text.length > 0) {
    // What does not fit would be told anew in the next look.
    (void)rpc_http_stream_send(reader->exchange, text.bytes, text.length);
    reader->told_ns = now_ns;
  }
  pod_text_deinit(&text);
}

static void on_look(void *context) {
  page_t *page = context;
  look(page);
  for (reader_t *reader = page->readers; reader != NULL; reader = reader->next) {
    tell(reader, page->looked_ns);
  }
}

static void remove_reader(reader_t *reader) {
  page_t *page = reader->page;
  *(reader->previous != NULL ? &reader->previous->next : &page->readers) = reader->next;
  if (reader->next != NULL) {
    reader->next->previous = reader->previous;
  }
  if (--page->reader_count == 0) {
    rpc_timer_stop(page->timer);
  }
  for (int topic = 0; topic < TOPIC_COUNT; topic++) {
    pod_text_deinit(&reader->own[topic].text);
  }
  free(reader);
}

static void on_reader_gone(void *context) {
  remove_reader(context);
}

static void add_reader(page_t *page, rpc_http_exchange_t *exchange,
                       const access_identity_t *identity) {
  reader_t *reader = pod_alloc(sizeof(*reader));
  reader->page = page;
  reader->exchange = exchange;
  reader->identity = *identity;
  reader->told_ns = pod_clock_now_ns();
  reader->next = page->readers;
  if (reader->next != NULL) {
    reader->next->previous = reader;
  }
  page->readers = reader;
  rpc_http_stream_begin(exchange, "text/event-stream", on_reader_gone, reader);
  // The first has it at once, unless somebody has just gone.
  if (page->reader_count++ == 0) {
    const int64_t passed_ms = (pod_clock_now_ns() - page->looked_ns) / 1000000;
    const int64_t wait_ms =
        page->looks > 0 && passed_ms < LOOK_MS ? LOOK_MS - passed_ms : 0;
    rpc_timer_start(page->timer, (uint64_t)wait_ms, LOOK_MS);
  }
}

// --- Who asks ---

// The session of its cookie; else as callers of gRPC are known.
static pod_status_t identify(const page_t *page, const rpc_http_exchange_t *exchange,
                             const http_request_t *request,
                             access_identity_t *out_identity) {
  const char *shown = http_request_header(request, "authorization");
  const char *cookies = http_request_header(request, "cookie");
  char cookie[ACCESS_TOKEN_TEXT_BYTES];
  if (shown == NULL && cookies != NULL &&
      http_find_value(cookies, ';', page->cookie, false, cookie, sizeof(cookie)) &&
      visitors_find(page->visitors, cookie, pod_clock_now_ns(), out_identity)) {
    return NULL;
  }
  const rpc_peer_t peer = rpc_http_peer(exchange);
  return access_identify(
      page->coordinator->access,
      &(access_caller_t){.is_own_user = peer.is_own_user,
                         .certificate_name = peer.certificate_name,
                         .certificate_role = peer.certificate_role,
                         .authorization = shown,
                         .authorization_bytes = shown == NULL ? 0 : strlen(shown)},
      out_identity);
}

static void answer_asset(rpc_http_exchange_t *exchange, const http_request_t *request,
                         const page_asset_t *asset, int status) {
  // Of a digest, so that what has changed has another one.
  const bool is_known = status == 200 && http_request_has_tag(request, asset->tag);
  rpc_http_answer(exchange, &(http_answer_t){.status = is_known ? 304 : status,
                                             .content_type = asset->content_type,
                                             .tag = status == 200 ? asset->tag : NULL,
                                             .challenge = status == 401 ? "Bearer" : NULL,
                                             .body = asset->bytes,
                                             .body_bytes = asset->size_bytes});
}

// False, and the request is answered, for who may not see the pod.
static bool admit(const page_t *page, rpc_http_exchange_t *exchange,
                  const http_request_t *request, access_role_t role,
                  access_identity_t *out_identity) {
  pod_status_t status = identify(page, exchange, request, out_identity);
  if (status == NULL) {
    status = access_require(out_identity, role, request->path);
  }
  if (status == NULL) {
    return true;
  }
  const int code = pod_status_code(status) == POD_PERMISSION_DENIED ? 403 : 401;
  pod_text_t body = {0};
  pod_text_printf(&body, "%s\n", pod_status_message(status));
  rpc_http_answer(exchange, &(http_answer_t){.status = code,
                                             .challenge = code == 401 ? "Bearer" : NULL,
                                             .body = body.bytes,
                                             .body_bytes = body.length});
  pod_text_deinit(&body);
  pod_status_free(status);
  return false;
}

// --- What is served ---

// The token goes, a cookie comes: it is not in the address any more.
static void begin_session(page_t *page, rpc_http_exchange_t *exchange,
                          const access_identity_t *identity) {
  char cookie[ACCESS_TOKEN_TEXT_BYTES];
  visitors_add(page->visitors, identity, pod_clock_now_ns(), cookie);
  pod_text_t set = {0};
  pod_text_printf(&set, "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s",
                  page->cookie, cookie, VISITOR_SECONDS,
                  page->coordinator->options.page_credentials != NULL ? "; Secure" : "");
  rpc_http_answer(exchange,
                  &(http_answer_t){.status = 303, .location = "/", .cookie = set.bytes});
  explicit_bzero(set.bytes, set.length);
  explicit_bzero(cookie, sizeof(cookie));
  pod_text_deinit(&set);
}

static pod_status_t identify_token(const page_t *page, const char *query,
                                   access_identity_t *out_identity) {
  char token[ACCESS_TOKEN_BYTES_MAX + 1];
  if (!http_find_value(query, '&', "token", true, token, sizeof(token))) {
    return pod_error(POD_UNAUTHENTICATED, "there is no token in it");
  }
  pod_text_t shown = {0};
  pod_text_printf(&shown, "Bearer %s", token);
  pod_status_t status =
      access_identify(page->coordinator->access,
                      &(access_caller_t){.authorization = shown.bytes,
                                         .authorization_bytes = shown.length},
                      out_identity);
  explicit_bzero(shown.bytes, shown.length);
  explicit_bzero(token, sizeof(token));
  pod_text_deinit(&shown);
  return status == NULL ? access_require(out_identity, ACCESS_READ, "the page") : status;
}

static pod_status_t identify_code(page_t *page, const char *query,
                                  access_identity_t *out_identity) {
  char code[ACCESS_CODE_BYTES];
  const int64_t now_s = (int64_t)time(NULL);
  int64_t until_s;
  if (!http_find_value(query, '&', "code", true, code, sizeof(code))) {
    return pod_error(POD_UNAUTHENTICATED, "there is no code in it");
  }
  POD_TRY(access_identify_code(page->coordinator->access, code, now_s, out_identity,
                               &until_s));
  POD_TRY(access_require(out_identity, ACCESS_READ, "the page"));
  return visitors_take_code(page->visitors, code, until_s, now_s)
             ? NULL
             : pod_error(POD_UNAUTHENTICATED, "the link was followed before");
}

static void serve_front(rpc_http_exchange_t *exchange, const http_request_t *request,
                        void *context) {
  page_t *page = context;
  access_identity_t identity;
  const bool has_code = strstr(request->query, "code=") != NULL;
  const bool has_token = !has_code && strstr(request->query, "token=") != NULL;
  pod_status_t status = has_code    ? identify_code(page, request->query, &identity)
                        : has_token ? identify_token(page, request->query, &identity)
                                    : identify(page, exchange, request, &identity);
  if (status == NULL && !has_code && !has_token) {
    status = access_require(&identity, ACCESS_READ, "the page");
  }
  if (status != NULL) {
    answer_asset(exchange, request, page_asset_find("denied.html"), 401);
  } else if (has_code || has_token) {
    begin_session(page, exchange, &identity);
  } else {
    answer_asset(exchange, request, page_asset_find("index.html"), 200);
  }
  pod_status_free(status);
}

// They hold nothing of the pod; who is refused is to see a page, too.
static void serve_asset(rpc_http_exchange_t *exchange, const http_request_t *request,
                        void *context) {
  (void)context;
  const page_asset_t *asset = page_asset_find(request->path + strlen("/web/"));
  if (asset == NULL || strcmp(asset->content_type, PAGE_HTML) == 0) {
    rpc_http_say(exchange, 404, "404 Not Found");
  } else {
    answer_asset(exchange, request, asset, 200);
  }
}

static void answer_json(rpc_http_exchange_t *exchange, pod_text_t *text) {
  rpc_http_answer(exchange, &(http_answer_t){.content_type = "application/json",
                                             .body = text->bytes,
                                             .body_bytes = text->length});
  pod_text_deinit(text);
}

static void serve_pod(rpc_http_exchange_t *exchange, const http_request_t *request,
                      void *context) {
  const page_t *page = context;
  access_identity_t identity;
  if (admit(page, exchange, request, ACCESS_READ, &identity)) {
    pod_text_t text = {0};
    view_write_static(&text, page->coordinator, &identity);
    answer_json(exchange, &text);
  }
}

// The number behind the prefix of the path; false: there is none.
static bool take_number(const char *path, const char *prefix, uint64_t *out_number) {
  const char *digits = path + strlen(prefix);
  char *end = NULL;
  *out_number = strtoull(digits, &end, 10);
  return isdigit((unsigned char)digits[0]) != 0 && *end == '\0';
}

static void serve_chip(rpc_http_exchange_t *exchange, const http_request_t *request,
                       void *context) {
  const page_t *page = context;
  access_identity_t identity;
  uint64_t chip;
  if (!admit(page, exchange, request, ACCESS_READ, &identity)) {
    return;
  }
  const places_t *places = registry_places(page->coordinator->registry);
  if (!take_number(request->path, "/api/chip/", &chip) ||
      chip >= (uint64_t)places->count) {
    rpc_http_say(exchange, 404, "there is no such chip");
    return;
  }
  pod_text_t text = {0};
  view_write_chip(&text, page->coordinator, (int32_t)chip, pod_clock_now_ns());
  answer_json(exchange, &text);
}

static void serve_report(rpc_http_exchange_t *exchange, const http_request_t *request,
                         void *context) {
  const page_t *page = context;
  access_identity_t identity;
  uint64_t job;
  int fd;
  int64_t size_bytes;
  if (!admit(page, exchange, request, ACCESS_RUN, &identity)) {
    return;
  }
  if (!take_number(request->path, "/api/report/", &job)) {
    rpc_http_say(exchange, 404, "there is no such job");
    return;
  }
  const pod_status_t status =
      jobs_open_report(page->coordinator, &identity, job, &fd, &size_bytes);
  if (status == NULL) {
    reports_answer(page->reports, exchange, fd, size_bytes);
    return;
  }
  rpc_http_say(exchange, 404, pod_status_message(status));
  pod_status_free(status);
}

// Whether our own script asks. Cookies come with requests of any other port of this host,
// too (they are of the same site): a header that is not everybody's is not sent across
// origins without being asked for (CORS), which nothing here answers; and a browser says
// where it is.
static bool is_our_script(const http_request_t *request) {
  const char *origin = http_request_header(request, "origin");
  const char *site = http_request_header(request, "sec-fetch-site");
  const char *host = origin == NULL ? NULL : strstr(origin, "://");
  return http_request_header(request, "x-podium-page") != NULL &&
         (origin == NULL || (host != NULL && strcasecmp(host + 3, request->host) == 0)) &&
         (site == NULL || strcmp(site, "same-origin") == 0);
}

static void serve_cancel(rpc_http_exchange_t *exchange, const http_request_t *request,
                         void *context) {
  const page_t *page = context;
  access_identity_t identity;
  uint64_t job;
  if (!is_our_script(request)) {
    rpc_http_say(exchange, 403, "that is asked by the page's own script alone");
    return;
  }
  if (!admit(page, exchange, request, ACCESS_RUN, &identity)) {
    return;
  }
  if (!take_number(request->path, "/api/cancel/", &job)) {
    rpc_http_say(exchange, 404, "there is no such job");
    return;
  }
  const pod_status_t status = jobs_cancel_one(page->coordinator, &identity, job);
  if (status == NULL) {
    rpc_http_say(exchange, 202, "it is being cancelled");
    return;
  }
  rpc_http_say(exchange, pod_status_code(status) == POD_NOT_FOUND ? 404 : 409,
               pod_status_message(status));
  pod_status_free(status);
}

static void serve_events(rpc_http_exchange_t *exchange, const http_request_t *request,
                         void *context) {
  page_t *page = context;
  access_identity_t identity;
  if (!admit(page, exchange, request, ACCESS_READ, &identity)) {
    return;
  }
  if (page->reader_count >= READERS_MAX) {
    rpc_http_answer(exchange, &(http_answer_t){.status = 503, .retry_s = 5});
    return;
  }
  add_reader(page, exchange, &identity);
}

// Another site's name that leads to us (DNS rebinding) is none of ours.
static bool is_host(const char *host, void *context) {
  const page_t *page = context;
  const char *own = page->hostname;
  const size_t own_length = strlen(own);
  if (host[0] == '\0' || http_host_is_literal(host) || http_host_is(host, own) ||
      http_host_is(host, page->coordinator->options.page_listen)) {
    return true;
  }
  // The same with its domain.
  if (own_length > 0 && strncasecmp(host, own, own_length) == 0 &&
      host[own_length] == '.') {
    return true;
  }
  const char *names = page->coordinator->options.page_hosts;
  while (names != NULL && *names != '\0') {
    char name[HOST_BYTES_MAX];
    const size_t length = strcspn(names, ",");
    if (length < sizeof(name)) {
      memcpy(name, names, length);
      name[length] = '\0';
      if (http_host_is(host, name)) {
        return true;
      }
    }
    names += length + (names[length] == ',');
  }
  return false;
}

// --- Life ---

static char *make_url(const page_t *page) {
  const bool is_secure = page->coordinator->options.page_credentials != NULL;
  const char *address = page->address;
  const char *port = access_port(address);
  const bool is_any =
      strncmp(address, "0.0.0.0:", 8) == 0 || strncmp(address, "[::]:", 5) == 0;
  pod_text_t url = {0};
  pod_text_add(&url, is_secure ? "https://" : "http://");
  const char *names = page->coordinator->options.page_hosts;
  const size_t named = is_any && names != NULL ? strcspn(names, ",") : 0;
  if (named > 0) {  // By which browsers reach it.
    pod_text_printf(&url, "%.*s:%s/", (int)named, names, port);
  } else if (is_any) {
    pod_text_printf(&url, "%s:%s/",
                    page->hostname[0] != '\0' ? page->hostname : "localhost", port);
  } else {
    pod_text_printf(&url, "%s/", address);
  }
  return pod_text_take(&url);
}

pod_status_t page_create(coordinator_t *coordinator, page_t **out_page) {
  static const rpc_http_route_t routes[] = {{HTTP_GET, "/", serve_front},
                                            {HTTP_GET, "/web/*", serve_asset},
                                            {HTTP_GET, "/events", serve_events},
                                            {HTTP_GET, "/api/pod.json", serve_pod},
                                            {HTTP_GET, "/api/chip/*", serve_chip},
                                            {HTTP_GET, "/api/report/*", serve_report},
                                            {HTTP_POST, "/api/cancel/*", serve_cancel},
                                            {0}};
  const coordinator_options_t *options = &coordinator->options;
  POD_TRY(access_check_listen("the page", options->page_listen,
                              options->page_credentials != NULL, options->is_insecure));
  page_t *page = pod_alloc(sizeof(*page));
  page->coordinator = coordinator;
  page->visitors = visitors_create();
  page->timer = rpc_timer_create(coordinator->loop, on_look, page);
  (void)gethostname(page->hostname, sizeof(page->hostname) - 1);
  pod_status_t status = reports_create(coordinator->loop, &page->reports);
  if (status == NULL) {
    status =
        rpc_http_listen(coordinator->loop,
                        &(rpc_http_options_t){.address = options->page_listen,
                                              .routes = routes,
                                              .context = page,
                                              .connections_max = CONNECTIONS_MAX,
                                              .credentials = options->page_credentials,
                                              .is_host = is_host},
                        &page->http, &page->address);
  }
  if (status != NULL) {
    page_destroy(page);
    return pod_status_context(status, "--page-listen");
  }
  page->url = make_url(page);
  snprintf(page->cookie, sizeof(page->cookie), "podium_%s", access_port(page->address));
  *out_page = page;
  return NULL;
}

const char *page_url(const page_t *page) {
  return page->url;
}

void page_forget_tokens(page_t *page) {
  visitors_forget_tokens(page->visitors);
  for (reader_t *reader = page->readers, *next; reader != NULL; reader = next) {
    next = reader->next;
    if (visitors_is_by_token(&reader->identity)) {
      rpc_http_stream_end(reader->exchange);
      remove_reader(reader);
    }
  }
}

page_figures_t page_figures(const page_t *page) {
  return (page_figures_t){.readers = page->reader_count,
                          .last_s = (double)page->took_ns / 1e9,
                          .longest_s = (double)page->longest_ns / 1e9};
}

void page_destroy(page_t *page) {
  if (page == NULL) {
    return;
  }
  rpc_http_destroy(page->http);
  reports_destroy(page->reports);
  rpc_timer_destroy(page->timer);
  visitors_destroy(page->visitors);
  pod_text_deinit(&page->pod.text);
  pod_text_deinit(&page->lost.text);
  for (int i = 0; i < AUDIENCE_COUNT; i++) {
    pod_text_deinit(&page->work[i].text);
    pod_text_deinit(&page->jobs[i].text);
  }
  free(page->address);
  free(page->url);
  free(page);
}
