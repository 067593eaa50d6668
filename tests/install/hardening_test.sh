#!/usr/bin/env bash
# What is installed is hardened: position-independent, relocations read-only and resolved at the start, no executable
# stack, the stack's canaries and the C library's checks of sizes in use, branches to marked places only.
#
# usage: hardening_test.sh [--unoptimised] FILE...
set -euo pipefail
is_optimised=true
if [ "$1" = --unoptimised ]; then
  is_optimised=false
  shift
fi
failed=0
# expect FILE WHAT PATTERN TEXT
expect() {
  if ! grep -Eq "$3" <<<"$4"; then
    echo "$1: $2 is missing" >&2
    failed=1
  fi
}
for file in "$@"; do
  header=$(readelf --wide --file-header "$file")
  segments=$(readelf --wide --program-headers "$file")
  dynamic=$(readelf --wide --dynamic "$file")
  symbols=$(readelf --wide --dyn-syms "$file")
  expect "$file" "position independence (PIE)" 'Type: +DYN' "$header"
  expect "$file" "read-only relocation (RELRO)" 'GNU_RELRO' "$segments"
  expect "$file" "a stack that is not executable" 'GNU_STACK.* RW +0x' "$segments"
  expect "$file" "immediate binding (-z now)" 'BIND_NOW' "$dynamic"
  expect "$file" "stack protection" '__stack_chk_fail' "$symbols"
  if $is_optimised; then
    expect "$file" "_FORTIFY_SOURCE" '__(memcpy|memset|snprintf|vsnprintf|printf|fprintf|read)_chk' "$symbols"
  fi
  if grep -q 'Machine: .*X86-64' <<<"$header"; then
    # Not the note in the file, which needs it of every object of the C library too.
    code=$(objdump --disassemble=main "$file"; objdump --disassemble=podium_connect "$file")
    expect "$file" "control-flow protection" 'endbr64' "$code"
  fi
done
exit $failed
