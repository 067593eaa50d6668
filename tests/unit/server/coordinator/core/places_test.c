// A pod without a network: what workers would say is fed to the places by hand.

#include "server/coordinator/core/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SECOND = 1000000000 };

static places_t *make_pod(const char *topology) {
  const chip_spec_t *spec = chip_spec_find("v5e");
  assert_non_null(spec);
  torus_t torus;
  assert_null(torus_parse(topology, spec, &torus, NULL));
  return places_create(spec, &torus);
}

// The worker of `number` listens at an address made of it.
static pod_status_t claim_at(places_t *places, int number, const torus_coords_t *coords,
                             int32_t *out_chip) {
  char address[32];
  snprintf(address, sizeof(address), "127.0.0.1:%d", 5000 + number);
  const place_claim_t claim = {
      .address = address,
      .host = "here",
      .version = "1",
      .chip_kind = "v5e",
      .pid = 100 + number,
      .wants_coords = coords != NULL,
      .coords = coords != NULL ? *coords : (torus_coords_t){.at = {0}}};
  return places_claim(places, &claim, 0, out_chip);
}

static int32_t claim(places_t *places, int number) {
  int32_t chip = -1;
  assert_null(claim_at(places, number, NULL, &chip));
  return chip;
}

// Listens for all its links, at ipc:// and tcp://.
static void listen_everywhere(places_t *places, int32_t chip) {
  int directions[2 * TORUS_LINKS];
  char texts[2 * TORUS_LINKS][64];
  const char *urls[2 * TORUS_LINKS];
  size_t count = 0;
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    if (places->at[chip].links[direction].neighbour < 0) {
      continue;
    }
    snprintf(texts[count], sizeof(texts[count]), "tcp://127.0.0.1:%d",
             6000 + 10 * chip + direction);
    snprintf(texts[count + 1], sizeof(texts[count]), "ipc:///tmp/%d.%d", chip, direction);
    for (int i = 0; i < 2; i++, count++) {
      directions[count] = direction;
      urls[count] = texts[count];
    }
  }
  assert_null(places_listening(places, chip, count, directions, urls));
}

static void report_links(places_t *places, int32_t chip, bool up) {
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    const int32_t neighbour = places->at[chip].links[direction].neighbour;
    if (neighbour >= 0) {
      assert_null(places_link(places, chip, direction, neighbour, up));
    }
  }
}

static int dial_all(places_t *places, int32_t chip) {
  int count = 0;
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    place_dial_t dial;
    count += places_dial(places, chip, direction, &dial);
  }
  return count;
}

static places_t *make_ready_pod(const char *topology) {
  places_t *places = make_pod(topology);
  for (int32_t chip = 0; chip < places->count; chip++) {
    assert_int_equal(claim(places, chip), chip);
    listen_everywhere(places, chip);
    dial_all(places, chip);
  }
  for (int32_t chip = 0; chip < places->count; chip++) {
    report_links(places, chip, true);
  }
  assert_true(places_are_ready(places));
  return places;
}

static void assert_refused(pod_status_t status, pod_code_t code, const char *part) {
  assert_int_equal(pod_status_code(status), code);
  if (strstr(pod_status_message(status), part) == NULL) {
    fail_msg("\"%s\" is not in: %s", part, pod_status_message(status));
  }
  pod_status_free(status);
}

static void test_workers_without_a_wish_get_the_places_in_order(void **state) {
  (void)state;
  places_t *places = make_pod("2x2");
  for (int32_t chip = 0; chip < 4; chip++) {
    assert_int_equal(claim(places, chip), chip);
    assert_int_equal(places->at[chip].epoch, 1);
  }
  int32_t chip;
  assert_refused(claim_at(places, 9, NULL, &chip), POD_RESOURCE_EXHAUSTED,
                 "all 4 places");
  places_destroy(places);
}

static void test_a_claimed_place_is_refused_to_a_second_worker_naming_both(void **state) {
  (void)state;
  places_t *places = make_pod("2x2");
  const torus_coords_t wanted = {.at = {1, 0, 0}};
  int32_t chip;
  assert_null(claim_at(places, 1, &wanted, &chip));
  assert_int_equal(chip, 1);
  const pod_status_t status = claim_at(places, 2, &wanted, &chip);
  assert_non_null(strstr(pod_status_message(status), "127.0.0.1:5001 (pid 101)"));
  assert_refused(status, POD_ALREADY_EXISTS, "127.0.0.1:5002 (pid 102)");
  assert_int_equal(places->at[1].pid, 101);
  places_destroy(places);
}

static void test_unusable_claims_are_refused_and_change_nothing(void **state) {
  (void)state;
  places_t *places = make_pod("2x2");
  int32_t chip;
  assert_refused(claim_at(places, 1, &(torus_coords_t){.at = {2, 0, 0}}, &chip),
                 POD_INVALID_ARGUMENT, "(2,0,0) is not in the pod's torus of 2x2");
  place_claim_t bad = {.address = "", .host = "", .version = "", .chip_kind = ""};
  assert_refused(places_claim(places, &bad, 0, &chip), POD_INVALID_ARGUMENT, "address");
  bad.address = "0.0.0.0:7402";
  assert_refused(places_claim(places, &bad, 0, &chip), POD_INVALID_ARGUMENT,
                 "all interfaces");
  bad.address = "[::]:7402";
  assert_refused(places_claim(places, &bad, 0, &chip), POD_INVALID_ARGUMENT,
                 "all interfaces");
  bad.address = "127.0.0.1:1";
  bad.chip_kind = "v4";
  assert_refused(places_claim(places, &bad, 0, &chip), POD_INVALID_ARGUMENT,
                 "the pod's are v5e");
  char *endless = malloc(PLACE_TEXT_BYTES_MAX + 2);
  memset(endless, 'a', PLACE_TEXT_BYTES_MAX + 1);
  endless[PLACE_TEXT_BYTES_MAX + 1] = '\0';
  bad.chip_kind = "";
  bad.host = endless;
  assert_refused(places_claim(places, &bad, 0, &chip), POD_INVALID_ARGUMENT, "host");
  free(endless);
  for (int32_t i = 0; i < places->count; i++) {
    assert_int_equal(place_state(&places->at[i]), PLACE_MISSING);
  }
  places_destroy(places);
}

static void test_every_link_is_dialled_once_when_both_ends_listen(void **state) {
  (void)state;
  places_t *places = make_pod("2x2");
  int dials = 0;
  for (int32_t chip = 0; chip < 4; chip++) {
    claim(places, chip);
    listen_everywhere(places, chip);
    dials += dial_all(places, chip);
  }
  assert_int_equal(dials, 4);
  for (int32_t chip = 0; chip < 4; chip++) {
    assert_int_equal(dial_all(places, chip), 0);
  }
  places_destroy(places);
}

static void test_one_host_dials_ipc_and_two_hosts_dial_tcp(void **state) {
  (void)state;
  for (int same = 0; same < 2; same++) {
    places_t *places = make_pod("2x1");
    for (int32_t chip = 0; chip < 2; chip++) {
      place_claim_t one = {.address = chip == 0 ? "a:1" : "b:1",
                           .host = chip == 0 || same ? "a" : "b",
                           .version = "",
                           .chip_kind = ""};
      int32_t got;
      assert_null(places_claim(places, &one, 0, &got));
      listen_everywhere(places, got);
    }
    place_dial_t dial;
    assert_true(places_dial(places, 0, 0, &dial));
    assert_int_equal(dial.dialler, 1);
    assert_int_equal(dial.direction, 1);
    assert_int_equal(dial.neighbour, 0);
    assert_int_equal(dial.epoch, 1);
    assert_string_equal(dial.url, same ? "ipc:///tmp/0.0" : "tcp://127.0.0.1:6000");
    places_destroy(places);
  }
}

static void test_the_minus_end_listens_when_the_plus_end_does_not(void **state) {
  (void)state;
  places_t *places = make_pod("2x1");
  claim(places, 0);
  claim(places, 1);
  assert_null(places_listening(places, 0, 0, NULL, NULL));
  listen_everywhere(places, 1);
  place_dial_t dial;
  assert_true(places_dial(places, 1, 1, &dial));
  assert_int_equal(dial.dialler, 0);
  assert_int_equal(dial.neighbour, 1);
  places_destroy(places);
}

static void test_the_pod_is_ready_when_both_ends_of_all_links_are_up(void **state) {
  (void)state;
  places_t *places = make_pod("2x2");
  for (int32_t chip = 0; chip < 4; chip++) {
    claim(places, chip);
    listen_everywhere(places, chip);
  }
  assert_true(places_are_taken(places));
  for (int32_t chip = 0; chip < 4; chip++) {
    assert_false(places_are_ready(places));
    report_links(places, chip, true);
  }
  assert_true(places_are_ready(places));
  assert_null(places_link(places, 0, 0, 1, false));
  assert_false(places_are_ready(places));
  assert_int_equal(place_state(&places->at[0]), PLACE_JOINING);
  assert_int_equal(place_state(&places->at[1]), PLACE_JOINING);
  assert_int_equal(place_state(&places->at[2]), PLACE_READY);
  pod_text_t text = {0};
  places_print_missing(&text, places);
  assert_string_equal(
      text.bytes,
      "chip 0 (0,0,0) at 127.0.0.1:5000 is joining (1 of its 2 links are "
      "up); chip 1 (1,0,0) at 127.0.0.1:5001 is joining (1 of its 2 links "
      "are up)");
  pod_text_deinit(&text);
  places_destroy(places);
}

static void test_a_replaced_worker_is_dialled_again_and_both_ends_start_anew(
    void **state) {
  (void)state;
  places_t *places = make_ready_pod("2x2");
  places_lose(places, 1, "it closed its connection");
  assert_int_equal(place_state(&places->at[1]), PLACE_LOST);
  assert_string_equal(places->at[1].lost_reason,
                      "chip 1 (1,0,0) at 127.0.0.1:5001: it closed its connection");
  assert_int_equal(place_state(&places->at[0]), PLACE_JOINING);
  assert_int_equal(claim(places, 7), 1);
  assert_int_equal(places->at[1].epoch, 2);
  listen_everywhere(places, 1);
  assert_int_equal(dial_all(places, 1), 2);
  assert_int_equal(dial_all(places, 0), 0);
  report_links(places, 1, true);
  assert_false(places_are_ready(places));
  report_links(places, 0, true);
  report_links(places, 3, true);
  assert_true(places_are_ready(places));
  places_destroy(places);
}

static void test_only_the_silent_worker_is_found_and_a_gap_of_ours_is_forgiven(
    void **state) {
  (void)state;
  places_t *places = make_ready_pod("2x2");
  const int64_t timeout = 10LL * SECOND;
  assert_int_equal(places_silent(places, timeout, timeout), -1);
  for (int32_t chip = 0; chip < 4; chip++) {
    if (chip != 2) {
      places_heard(places, chip, 5LL * SECOND);
    }
  }
  assert_int_equal(places_silent(places, 11LL * SECOND, timeout), 2);
  places_forgive(places, 3LL * SECOND);
  assert_int_equal(places_silent(places, 11LL * SECOND, timeout), -1);
  assert_int_equal(places_silent(places, 14LL * SECOND, timeout), 2);
  places_lose(places, 2, "silent");
  assert_int_equal(places_silent(places, 14LL * SECOND, timeout), -1);
  places_destroy(places);
}

static void test_a_draining_worker_keeps_its_place_and_is_not_ready(void **state) {
  (void)state;
  places_t *places = make_ready_pod("2x2");
  places_drain(places, 3);
  places_drain(places, 3);
  assert_true(place_is_taken(&places->at[3]));
  assert_false(places_are_ready(places));
  report_links(places, 3, true);
  assert_int_equal(place_state(&places->at[3]), PLACE_DRAINING);
  // What it runs has its 10 s, however short the timeout is.
  const int64_t second_ns = 1000000000;
  for (int32_t i = 0; i < places->count; i++) {
    places_heard(places, i, i == 3 ? second_ns : 20 * second_ns);
  }
  assert_int_equal(places_silent(places, 14 * second_ns, second_ns), -1);
  assert_int_equal(places_silent(places, 17 * second_ns, second_ns), 3);
  assert_int_equal(places_silent(places, 17 * second_ns, 10 * second_ns), -1);
  places_lose(places, 3, "it left");
  int32_t chip;
  assert_null(claim_at(places, 5, NULL, &chip));
  assert_int_equal(chip, 3);
  places_destroy(places);
}

static void test_a_pod_of_one_chip_is_ready_at_once(void **state) {
  (void)state;
  places_t *places = make_pod("1x1");
  claim(places, 0);
  assert_true(places_are_ready(places));
  places_destroy(places);
}

static void test_reports_about_links_that_do_not_exist_are_refused(void **state) {
  (void)state;
  places_t *places = make_pod("2x2");
  claim(places, 0);
  assert_refused(places_link(places, 0, 4, 1, true), POD_INVALID_ARGUMENT, "direction 4");
  assert_refused(places_link(places, 0, 0, 2, true), POD_INVALID_ARGUMENT, "chip 2");
  assert_refused(places_link(places, 0, -1, -1, true), POD_INVALID_ARGUMENT,
                 "direction -1");
  assert_refused(places_link(places, 0, 1, -1, true), POD_INVALID_ARGUMENT,
                 "direction 1");
  const int directions[] = {1};
  const char *urls[] = {"ipc:///tmp/x"};
  assert_refused(places_listening(places, 0, 1, directions, urls), POD_INVALID_ARGUMENT,
                 "direction 1");
  places_destroy(places);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_workers_without_a_wish_get_the_places_in_order),
      cmocka_unit_test(test_a_claimed_place_is_refused_to_a_second_worker_naming_both),
      cmocka_unit_test(test_unusable_claims_are_refused_and_change_nothing),
      cmocka_unit_test(test_every_link_is_dialled_once_when_both_ends_listen),
      cmocka_unit_test(test_one_host_dials_ipc_and_two_hosts_dial_tcp),
      cmocka_unit_test(test_the_minus_end_listens_when_the_plus_end_does_not),
      cmocka_unit_test(test_the_pod_is_ready_when_both_ends_of_all_links_are_up),
      cmocka_unit_test(test_a_replaced_worker_is_dialled_again_and_both_ends_start_anew),
      cmocka_unit_test(
          test_only_the_silent_worker_is_found_and_a_gap_of_ours_is_forgiven),
      cmocka_unit_test(test_a_draining_worker_keeps_its_place_and_is_not_ready),
      cmocka_unit_test(test_a_pod_of_one_chip_is_ready_at_once),
      cmocka_unit_test(test_reports_about_links_that_do_not_exist_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
