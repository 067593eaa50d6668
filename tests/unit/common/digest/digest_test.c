// SHA-256 by the examples of its standard, whole and in pieces.

#include "common/digest/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_digest(const uint8_t digest[DIGEST_BYTES], const char *expected) {
  pod_text_t text = {0};
  digest_print(&text, digest);
  assert_string_equal(text.bytes, expected);
  pod_text_deinit(&text);
}

static void test_the_examples_of_the_standard_come_out(void **state) {
  (void)state;
  uint8_t digest[DIGEST_BYTES];
  digest_of(NULL, 0, digest);
  assert_digest(digest,
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  digest_of("abc", 3, digest);
  assert_digest(digest,
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_pieces_give_what_the_whole_gives(void **state) {
  (void)state;
  char bytes[1000];
  for (size_t i = 0; i < sizeof(bytes); i++) {
    bytes[i] = (char)(i * 7);
  }
  uint8_t whole[DIGEST_BYTES], pieces[DIGEST_BYTES];
  digest_of(bytes, sizeof(bytes), whole);
  digest_t *digest = digest_create();
  for (size_t at = 0, size = 1; at < sizeof(bytes); at += size, size += 13) {
    size = size < sizeof(bytes) - at ? size : sizeof(bytes) - at;
    digest_add(digest, bytes + at, size);
  }
  digest_add(digest, NULL, 0);
  digest_finish(digest, pieces);
  digest_destroy(digest);
  assert_memory_equal(whole, pieces, DIGEST_BYTES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_examples_of_the_standard_come_out),
      cmocka_unit_test(test_pieces_give_what_the_whole_gives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
