// The table of methods and roles: complete, and none is open by mistake.

#include "server/coordinator/authorize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "proto/grpc/health/v1/health.pb-c.h"
#include "proto/grpc/reflection/v1/reflection.pb-c.h"
#include "proto/grpc/reflection/v1alpha/reflection.pb-c.h"
#include "proto/podium/v1/jobs.pb-c.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "proto/podium/v1/worker.pb-c.h"

static const char *const table[] = {
#define METHOD(path, role) path,
#include "server/coordinator/methods.def"
#undef METHOD
};

static const ProtobufCServiceDescriptor *const services[] = {
    &podium__v1__podium__descriptor,
    &podium__v1__jobs__descriptor,
    &podium__v1__registry__descriptor,
    &grpc__health__v1__health__descriptor,
    &grpc__reflection__v1__server_reflection__descriptor,
    &grpc__reflection__v1alpha__server_reflection__descriptor};

static bool is_listed(const char *path) {
  for (size_t i = 0; i < POD_COUNT_OF(table); i++) {
    if (strcmp(table[i], path) == 0) {
      return true;
    }
  }
  return false;
}

static void test_every_method_of_the_services_has_its_role(void **state) {
  (void)state;
  size_t count = 0;
  for (size_t i = 0; i < POD_COUNT_OF(services); i++) {
    for (unsigned at = 0; at < services[i]->n_methods; at++, count++) {
      char path[128];
      snprintf(path, sizeof(path), "/%s/%s", services[i]->name,
               services[i]->methods[at].name);
      if (!is_listed(path)) {
        fail_msg("server/coordinator/methods.def does not say who may call %s", path);
      }
    }
  }
  assert_int_equal(count, POD_COUNT_OF(table));  // And none that there is not.
}

static void test_only_health_and_attach_are_open(void **state) {
  (void)state;
  for (size_t i = 0; i < POD_COUNT_OF(table); i++) {
    const bool is_open = strcmp(table[i], "/grpc.health.v1.Health/Check") == 0 ||
                         strcmp(table[i], "/podium.v1.Registry/Attach") == 0;
    assert_int_equal(authorize_role_of(table[i]) == ACCESS_OPEN, is_open);
  }
}

static void test_a_method_that_is_not_listed_is_for_administrators(void **state) {
  (void)state;
  assert_int_equal(authorize_role_of("/podium.v1.Podium/New"), ACCESS_ADMINISTER);
  assert_int_equal(authorize_role_of("/podium.v1.Podium/GetPod"), ACCESS_READ);
  assert_int_equal(authorize_role_of("/podium.v1.Podium/Execute"), ACCESS_RUN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_method_of_the_services_has_its_role),
      cmocka_unit_test(test_only_health_and_attach_are_open),
      cmocka_unit_test(test_a_method_that_is_not_listed_is_for_administrators),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
