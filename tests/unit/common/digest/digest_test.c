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

// RFC 4231, cases 1, 2 and 6 (a key longer than a block).
static void test_the_examples_of_hmac_come_out(void **state) {
  (void)state;
  uint8_t key[131], out[DIGEST_BYTES];
  memset(key, 0x0b, 20);
  digest_hmac_sha256(key, 20, "Hi There", 8, out);
  assert_digest(out, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  digest_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, out);
  assert_digest(out, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  memset(key, 0xaa, sizeof(key));
  static const char text[] = "Test Using Larger Than Block-Size Key - Hash Key First";
  digest_hmac_sha256(key, sizeof(key), text, sizeof(text) - 1, out);
  assert_digest(out, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void test_equal_bytes_are_equal_and_one_bit_makes_them_differ(void **state) {
  (void)state;
  uint8_t a[DIGEST_BYTES], b[DIGEST_BYTES];
  digest_random(a, sizeof(a));
  memcpy(b, a, sizeof(b));
  assert_true(digest_equal(a, b, sizeof(a)));
  for (size_t bit = 0; bit < 8 * sizeof(a); bit++) {
    b[bit / 8] ^= (uint8_t)(1u << bit % 8);
    assert_false(digest_equal(a, b, sizeof(a)));
    b[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  digest_random(b, sizeof(b));
  assert_false(digest_equal(a, b, sizeof(a)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_examples_of_the_standard_come_out),
      cmocka_unit_test(test_pieces_give_what_the_whole_gives),
      cmocka_unit_test(test_the_examples_of_hmac_come_out),
      cmocka_unit_test(test_equal_bytes_are_equal_and_one_bit_makes_them_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
