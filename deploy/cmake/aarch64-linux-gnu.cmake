# Builds for 64-bit ARM with Debian's cross compiler against the libraries that tests/cross/sysroot.sh has
# put into POD_SYSROOT, and runs what is built by qemu (package qemu-user).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(POD_SYSROOT "" CACHE PATH "Root of the libraries for ARM")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES POD_SYSROOT)
set(CMAKE_SYSROOT ${POD_SYSROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;${POD_SYSROOT})

# Programs are this machine's, libraries and headers the other's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${POD_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${POD_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${POD_SYSROOT})
