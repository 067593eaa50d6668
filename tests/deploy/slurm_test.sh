#!/usr/bin/env bash
# A job of Debian's Slurm on three nodes (three slurmd of this machine) is a pod: it runs a program, runs again when it is queued again,
# and leaves no process and no key when it is cancelled.
#
# usage: slurm_test.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "slurmd starts jobs as root only"
for program in munged slurmctld slurmd sbatch scontrol python3; do
  command -v $program >/dev/null || skip "$program is not installed (apt-get install slurm-wlm munge)"
done
folder=$(mktemp -d)
daemons=()
finish() {
  scancel --state=PENDING,RUNNING --user=root >/dev/null 2>&1 || true
  for process in "${daemons[@]}"; do kill "$process" 2>/dev/null || true; done
  for process in "${daemons[@]}"; do wait "$process" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap finish EXIT
until_holds() { # SECONDS COMMAND…
  local patience=$((SECONDS + $1))
  until "${@:2}"; do
    if [ $SECONDS -ge $patience ]; then
      echo "not within $1 s: ${*:2}" >&2
      return 1
    fi
    sleep 0.2
  done
}
fail() {
  echo "$*" >&2
  tail -n 30 "$folder"/*.log "$folder"/*.out >&2 || true
  exit 1
}

read -r ctld d1 d2 d3 < <(python3 -c '
import socket
s = [socket.socket() for _ in range(4)]
for x in s: x.bind(("127.0.0.1", 0))
print(*[x.getsockname()[1] for x in s])')
export SLURM_CONF=$folder/slurm.conf PATH=$build/bin:$PATH
chmod 755 "$folder"
cat >"$SLURM_CONF" <<CONF
ClusterName=podium
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
SlurmctldPort=$ctld
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
KillWait=10
SchedulerParameters=batch_sched_delay=1
NodeName=n1 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$d1 CPUs=1
NodeName=n2 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$d2 CPUs=1
NodeName=n3 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$d3 CPUs=1
PartitionName=all Nodes=n[1-3] Default=YES MaxTime=INFINITE State=UP
CONF
mkdir "$folder/state" "$folder/jobs"
dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 status=none
chmod 400 "$folder/munge.key"
munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
  --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" >"$folder/munged.log" 2>&1 &
daemons+=($!)
until_holds 10 test -S "$folder/munge.socket" || fail "munged does not start"
slurmctld -D >"$folder/slurmctld.log" 2>&1 &
daemons+=($!)
for node in n1 n2 n3; do
  slurmd -D -N $node >"$folder/slurmd.$node.log" 2>&1 &
  daemons+=($!)
done
idle() { [ "$(sinfo --noheader --Node --format=%T 2>/dev/null | grep -c '^idle$')" -eq 3 ]; }
until_holds 30 idle || fail "the nodes are not idle"

export PODIUM_JOBS=$folder/jobs PODIUM_CHIPS=4 PODIUM_TOPOLOGY=6x2
submit() { # OUT ARGUMENTS…
  sbatch --parsable --nodes=3 --output="$1" --open-mode=append "$source/deploy/slurm/podium.sbatch" "${@:2}"
}
state() { scontrol show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p'; }
is() { [ "$(state "$1")" = "$2" ]; }
said() { grep -q "$2" "$1" 2>/dev/null; }

job=$(submit "$folder/run.out" podium run "$source/tests/programs/psum.2x2.small.mlir" --device-order 0,1,2,3)
until_holds 60 is "$job" COMPLETED || fail "a job with a program: $(state "$job")"
said "$folder/run.out" 'result0 = ' || fail "the program has no result"
echo "ok: three nodes run a program"

job=$(submit "$folder/stay.out")
until_holds 60 said "$folder/stay.out" '^ready at' || fail "a job without a command: $(state "$job")"
[ "$(stat -c %a "$folder/jobs/$job.0")" = 700 ] || fail "the job's folder is open to others"
scontrol requeue "$job"
ready_twice() { [ "$(grep -c '^ready at' "$folder/stay.out")" -eq 2 ]; }
until_holds 180 ready_twice || fail "queued again: $(state "$job")"
echo "ok: queued again, ready again"
scancel "$job"
until_holds 60 idle || fail "cancelled: the nodes are not idle"
none() { [ -z "$(ls -A "$folder/jobs")" ]; }
until_holds 30 none || fail "keys are left: $(ls "$folder/jobs")"
if grep -lsa "$folder/jobs" /proc/[0-9]*/cmdline; then fail "processes are left"; fi
echo "ok: cancelled, nothing is left"
