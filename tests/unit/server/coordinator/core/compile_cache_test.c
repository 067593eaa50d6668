// What comes again is found, what differs is not, and the oldest goes when room is
// needed.

#include "server/coordinator/core/compile_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"

static int destroyed_count;

static void count_destroyed(compiler_result_t *result) {
  (void)result;
  destroyed_count++;
}

static compiled_t *make_compiled(bool is_loadable) {
  return compiled_create(&(compiled_t){.destroy = count_destroyed,
                                       .packed = is_loadable ? pod_alloc(8) : NULL,
                                       .packed_bytes = is_loadable ? 8 : 0});
}

static compile_key_t key_of(const char *text) {
  compile_key_t key = {.text_bytes = (int64_t)strlen(text),
                       .file_name = "f.mlir",
                       .algorithms = "",
                       .collectives = "",
                       .spec = chip_spec_find("v5e"),
                       .torus = {.size = {2, 2, 1}}};
  digest_of(text, strlen(text), key.digest);
  return key;
}

// As a compile does it: no use is left behind.
static void put(compile_cache_t *cache, const char *text, int64_t compiled_bytes,
                bool is_loadable) {
  const compile_key_t key = key_of(text);
  compiled_t *compiled = make_compiled(is_loadable);
  compile_cache_put(cache, &key, compiled, compiled_bytes);
  compiled_unuse(compiled);
}

static bool has(compile_cache_t *cache, const char *text) {
  const compile_key_t key = key_of(text);
  return compile_cache_find(cache, &key, true) != NULL;
}

static void test_only_the_same_module_for_the_same_pod_is_found(void **state) {
  (void)state;
  compile_cache_t *cache = compile_cache_create(8, 1000);
  put(cache, "module", 10, true);
  compile_key_t key = key_of("module");
  compiled_t *compiled = compile_cache_find(cache, &key, true);
  assert_non_null(compiled);
  assert_ptr_equal(compile_cache_find(cache, &key, false), compiled);
  const compiler_given_spec_t spec = {"x", "P()"}, other = {"x", "P('x')"};
  key.given = (compiler_given_t){.argument_count = 1, .arguments = &spec};
  assert_null(compile_cache_find(cache, &key, true));
  compile_cache_put(cache, &key, compiled, 10);
  assert_ptr_equal(compile_cache_find(cache, &key, true), compiled);
  key.given.arguments = &other;
  assert_null(compile_cache_find(cache, &key, true));
  key.given = (compiler_given_t){.mesh = "x=2"};
  assert_null(compile_cache_find(cache, &key, true));
  key.given = (compiler_given_t){.donated = "x"};
  assert_null(compile_cache_find(cache, &key, true));
  key.given = (compiler_given_t){0};
  key.propagation = "shardy";
  assert_null(compile_cache_find(cache, &key, true));
  key.propagation = NULL;
  key.after = "propagate";
  assert_null(compile_cache_find(cache, &key, true));
  key.after = NULL;
  key.wants_values = true;
  assert_null(compile_cache_find(cache, &key, true));
  key.wants_values = false;
  key.estimates_only = true;
  assert_null(compile_cache_find(cache, &key, true));
  key.estimates_only = false;
  key = key_of("modulf");
  assert_null(compile_cache_find(cache, &key, false));
  key = key_of("modul");
  assert_null(compile_cache_find(cache, &key, false));
  key = key_of("module");
  key.file_name = "g.mlir";
  assert_null(compile_cache_find(cache, &key, false));
  key = key_of("module");
  key.algorithms = "ring";
  assert_null(compile_cache_find(cache, &key, false));
  key = key_of("module");
  key.collectives = "off";
  assert_null(compile_cache_find(cache, &key, false));
  key = key_of("module");
  key.spec = chip_spec_find("v5p");
  assert_null(compile_cache_find(cache, &key, false));
  key = key_of("module");
  key.torus.size[0] = 4;
  assert_null(compile_cache_find(cache, &key, false));
  key = key_of("module");
  key.torus.wraps[1] = true;
  assert_null(compile_cache_find(cache, &key, false));
  const compiler_argument_type_t type = {
      .argument = "x", .shape = tensor_shape_make(TENSOR_F32, 1, (const int64_t[]){4})};
  key = key_of("module");
  key.argument_type_count = 1;
  key.argument_types = &type;
  assert_null(compile_cache_find(cache, &key, false));
  key = key_of("module");
  key.device_order_count = 2;
  key.device_order = (const int64_t[]){1, 0};
  assert_null(compile_cache_find(cache, &key, false));
  compile_cache_destroy(cache);
}

static void test_types_of_arguments_count_and_are_the_cache_s_own(void **state) {
  (void)state;
  compile_cache_t *cache = compile_cache_create(8, 1000);
  char name[] = "x";
  compiler_argument_type_t type = {
      .argument = name, .shape = tensor_shape_make(TENSOR_F32, 1, (const int64_t[]){4})};
  compile_key_t key = key_of("module");
  key.argument_type_count = 1;
  key.argument_types = &type;
  compiled_t *compiled = make_compiled(true);
  compile_cache_put(cache, &key, compiled, 10);
  compiled_unuse(compiled);
  assert_ptr_equal(compile_cache_find(cache, &key, true), compiled);
  type.shape.dims[0] = 5;
  assert_null(compile_cache_find(cache, &key, true));
  type.shape.dims[0] = 4;
  name[0] = 'y';
  assert_null(compile_cache_find(cache, &key, true));
  name[0] = 'x';
  type.has_value = true;
  assert_null(compile_cache_find(cache, &key, true));
  type.has_value = false;
  assert_ptr_equal(compile_cache_find(cache, &key, true), compiled);
  compile_cache_destroy(cache);
}

static void test_the_least_recently_used_goes_when_there_are_too_many(void **state) {
  (void)state;
  compile_cache_t *cache = compile_cache_create(2, 1000);
  destroyed_count = 0;
  put(cache, "a", 10, true);
  put(cache, "b", 10, true);
  assert_true(has(cache, "a"));
  put(cache, "c", 10, true);
  assert_true(has(cache, "a"));
  assert_false(has(cache, "b"));
  assert_true(has(cache, "c"));
  assert_int_equal(destroyed_count, 1);
  compile_cache_destroy(cache);
  assert_int_equal(destroyed_count, 3);
}

static void test_bytes_are_bounded_and_what_is_larger_than_all_is_not_kept(void **state) {
  (void)state;
  compile_cache_t *cache = compile_cache_create(8, 100);
  put(cache, "a", 40, true);
  put(cache, "b", 60, true);
  assert_int_equal(compile_cache_count(cache), 2);
  put(cache, "c", 50, true);  // There is room beside neither of the others.
  assert_false(has(cache, "a"));
  assert_false(has(cache, "b"));
  assert_true(has(cache, "c"));
  put(cache, "d", 101, true);
  assert_false(has(cache, "d"));
  assert_true(has(cache, "c"));
  compile_cache_destroy(cache);
}

static void test_what_was_compiled_outlives_the_cache_while_it_is_used(void **state) {
  (void)state;
  compile_cache_t *cache = compile_cache_create(1, 1000);
  destroyed_count = 0;
  put(cache, "a", 10, true);
  const compile_key_t key = key_of("a");
  compiled_t *compiled = compiled_use(compile_cache_find(cache, &key, true));
  put(cache, "b", 10, true);
  assert_int_equal(destroyed_count, 0);
  compile_cache_destroy(cache);
  assert_int_equal(destroyed_count, 1);
  compiled_unuse(compiled);
  assert_int_equal(destroyed_count, 2);
}

static void test_what_was_only_looked_at_gives_way_to_what_can_be_loaded(void **state) {
  (void)state;
  compile_cache_t *cache = compile_cache_create(8, 1000);
  const compile_key_t key = key_of("a");
  put(cache, "a", 10, false);
  assert_non_null(compile_cache_find(cache, &key, false));
  assert_null(compile_cache_find(cache, &key, true));
  put(cache, "a", 10, true);
  assert_int_equal(compile_cache_count(cache), 1);
  compiled_t *compiled = compile_cache_find(cache, &key, true);
  assert_non_null(compiled);
  put(cache, "a", 10, false);
  assert_ptr_equal(compile_cache_find(cache, &key, true), compiled);
  assert_int_equal(compile_cache_count(cache), 1);
  compile_cache_destroy(cache);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_only_the_same_module_for_the_same_pod_is_found),
      cmocka_unit_test(test_types_of_arguments_count_and_are_the_cache_s_own),
      cmocka_unit_test(test_the_least_recently_used_goes_when_there_are_too_many),
      cmocka_unit_test(test_bytes_are_bounded_and_what_is_larger_than_all_is_not_kept),
      cmocka_unit_test(test_what_was_compiled_outlives_the_cache_while_it_is_used),
      cmocka_unit_test(test_what_was_only_looked_at_gives_way_to_what_can_be_loaded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
