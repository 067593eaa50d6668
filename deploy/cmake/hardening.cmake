# pod_hardening: what makes a mistake in the code harder to use. Executables are position-independent, nothing is
# resolved lazily, and what the loader has resolved cannot be written (RELRO).
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

add_library(pod_hardening INTERFACE)
target_compile_options(pod_hardening INTERFACE -fstack-protector-strong -fstack-clash-protection)
target_link_options(pod_hardening INTERFACE LINKER:-z,relro LINKER:-z,now)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64")
  target_compile_options(pod_hardening INTERFACE -fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_options(pod_hardening INTERFACE -mbranch-protection=standard)
endif()
# The C library's checks of sizes need the optimiser, and hide from the sanitizers what these would find.
if(NOT POD_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  target_compile_options(pod_hardening INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
