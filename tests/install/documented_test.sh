#!/usr/bin/env bash
# Every command of podium has a manual page and is completed; so is every option that its --help shows.
#
# usage: documented_test.sh PREFIX
set -euo pipefail
prefix=$1
PATH=$prefix/bin:$PATH
failed=0
missing() {
  echo "$*" >&2
  failed=1
}
# shellcheck disable=SC1091
source "$prefix/share/bash-completion/completions/podium"
# complete WORD...: what is offered for the last word.
complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _podium
  printf '%s\n' "${COMPREPLY[@]}"
}
commands=$(podium --help | sed -n 's/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 8 ] || missing "podium --help lists only: $commands"
offered=$(complete_words podium '')
for command in $commands; do
  grep -qx -e "$command" <<<"$offered" || missing "completion does not know podium $command"
  page=$(tr -d '\\' <"$prefix/share/man/man1/podium-$command.1")
  options=$(podium "$command" --help | grep -oE '^ {1,40}(-[a-zA-Z?], )?--[a-z][a-z-]*' | grep -oE -e '--[a-z-]+' | sort -u)
  completed=$(complete_words podium "$command" --)
  for option in $options; do
    grep -qF -e "$option" <<<"$page" || missing "podium-$command(1) does not tell $option"
    grep -qx -e "$option" <<<"$completed" || missing "completion of podium $command does not know $option"
  done
  [ -n "$options" ] || missing "podium $command --help shows no options"
done
grep -qx v5e < <(complete_words podium run --chip v) || missing "completion does not know the kinds of chips"
for daemon in podium-coordinator podium-host podium-job podium-worker; do
  page=$(tr -d '\\' <"$prefix/share/man/man8/$daemon.8")
  for option in $("$daemon" --help | grep -oE -e '--[a-z][a-z-]*' | sort -u); do
    grep -qF -e "$option" <<<"$page" || missing "$daemon(8) does not tell $option"
  done
done
if command -v man >/dev/null; then
  warnings=$(for page in "$prefix"/share/man/man?/podium*; do
    LC_ALL=C.UTF-8 man --warnings --local-file "$page" 2>&1 >/dev/null
  done)
  [ -z "$warnings" ] || missing "$warnings"
fi
exit $failed
