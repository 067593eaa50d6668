#!/usr/bin/env bash
# The target `product`, which the quickstart builds, makes everything that `cmake --install` copies out of the build folder.
#
# usage: product_test.sh BUILD
set -euo pipefail
build=$1
made=$(ninja -C "$build" -t inputs product)
made+=$'\n'$(ninja -C "$build" -t query product | sed 's/^ *//')
# What only a phony target names is in neither.
made+=$'\n'$(ninja -C "$build" -t commands product | grep -oE ' -o [^ ]+' | cut -c 5-)
failed=0
copied=0
while read -r file; do
  file=$(readlink -m "$file")  # The library's shorter names are links to it.
  copied=$((copied + 1))
  case $file in
    # Written when the build is configured.
    *.pc | *.cmake | *.service) continue ;;
  esac
  if ! grep -qxF -e "${file#"$build"/}" -e "$file" <<<"$made"; then
    echo "product does not make $file, which is installed" >&2
    failed=1
  fi
done < <(find "$build" -name cmake_install.cmake -exec grep -ohE "\"$build/[^\"]+\"" {} + | tr -d '"' |
  grep -v -e cmake_install.cmake -e MANIFEST -e '/man/$' | sort -u)
if [ "$copied" -lt 5 ]; then
  echo "only $copied files are installed" >&2
  failed=1
fi
exit $failed
