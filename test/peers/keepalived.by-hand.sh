#!/bin/bash
# Two nodes with one address for RADIUS by deploy/keepalived.conf, each in a network namespace of its own, and a NAS in a
# third one that has the bridge between them and PostgreSQL: `bash test/peers/keepalived.by-hand.sh`, as root, with
# keepalived, freeradius-utils, iproute2, curl and postgresql-15 of Debian; a minute and a half. It prints who has the
# address and how long the NAS had no answer, when the program that answers is killed, when its machine is, and when it
# is frozen. Nothing leaves the namespaces.
set -eu
here=$(mktemp -d)
chmod 755 "$here"
pids=()
at() { ip netns exec "tollgate-$1" "${@:2}"; }
end() {
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2> /dev/null || true; done
  for name in nas a b; do
    ip netns pids "tollgate-$name" 2> /dev/null | xargs -r kill -KILL 2> /dev/null || true
    ip netns del "tollgate-$name" 2> /dev/null || true
  done
  sleep 1
  rm -rf "$here"
}
trap end EXIT
until_true() { # seconds, words of a command
  for _ in $(seq "$(($1 * 10))"); do if "${@:2}" > /dev/null 2>&1; then return; fi; sleep 0.1; done
  echo "In vain within $1 s: ${*:2}" >&2
  exit 1
}

for name in nas a b; do ip netns add "tollgate-$name"; ip -n "tollgate-$name" link set lo up; done
ip -n tollgate-nas link add lan type bridge
ip -n tollgate-nas addr add 10.20.0.30/24 dev lan
ip -n tollgate-nas link set lan up
for one in a:11 b:12; do
  name=${one%:*}
  ip -n tollgate-nas link add "to-$name" type veth peer name eth0 netns "tollgate-$name"
  ip -n tollgate-nas link set "to-$name" master lan up
  ip -n "tollgate-$name" addr add "10.20.0.${one#*:}/24" dev eth0
  ip -n "tollgate-$name" link set eth0 up
done

install -d -o postgres "$here/postgres"
postgres=/usr/lib/postgresql/15/bin
setpriv --reuid=postgres --regid=postgres --clear-groups "$postgres/initdb" -D "$here/postgres" -A trust -E UTF8 > /dev/null
echo 'host all all 10.20.0.0/24 trust' >> "$here/postgres/pg_hba.conf"
at nas setpriv --reuid=postgres --regid=postgres --clear-groups "$postgres/postgres" -D "$here/postgres" \
  -c listen_addresses=10.20.0.30 -c unix_socket_directories= -c random_page_cost=1.1 > "$here/postgres.log" 2>&1 &
pids+=($!)
disown
until_true 20 at nas "$postgres/pg_isready" -h 10.20.0.30

start_node() {
  at "$1" env DATABASE_URL=postgres://postgres@10.20.0.30/postgres TOLLGATE_NODE="$1" TOLLGATE_DATA_DIR="$here/$1" \
    TOLLGATE_SECRET_KEY='the key of both nodes' TOLLGATE_ADMIN_PASSWORD=correct-horse-battery TOLLGATE_RADIUS_HOST=0.0.0.0 \
    node_modules/.bin/node src/main.ts serve > "$here/$1.log" 2>&1 &
  pids+=($!)
  disown
  until_true 60 at "$1" curl -sf http://127.0.0.1:8080/readyz
}
start_node a
start_node b
B=http://127.0.0.1:8080
H=$(at a curl -sf "$B/admin/?api=1&username=admin&password=correct-horse-battery&format=json" | sed 's/.*: *"\(.*\)".*/\1/')
make() { at a curl -sf -o /dev/null "$B/rest_api/v2/$1/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' -d "$2"; }
make Nas '{"name":"bras","ip":"10.20.0.30","secret":"testing123","nas_type":"mikrotik"}'
make Nas '{"name":"the check","ip":"127.0.0.1","secret":"testing123"}'
make Tarif '{"name":"Home","price":0}'
make Abonents '{"name":"Ivan","contract_number":"000001","tarif":1}'
make Users '{"abonent":1,"login":"ivan","password":"secret","ip":"10.0.0.5"}'

keep() { # name
  at "$1" keepalived --dont-fork --log-console --vrrp --use-file "$here/$1.conf" --pid "$here/$1.pid" --vrrp_pid "$here/$1.vrrp" \
    > "$here/$1.keepalived.log" 2>&1 &
  pids+=($!)
  disown
}
cp deploy/keepalived.conf "$here/a.conf"
sed -e 's/priority 110/priority 100/' -e 's/10\.20\.0\.11/10.20.0.X/; s/10\.20\.0\.12/10.20.0.11/; s/10\.20\.0\.X/10.20.0.12/' \
  deploy/keepalived.conf > "$here/b.conf"
keep a
keep b
has() { ip -n "tollgate-$1" addr show dev eth0 | grep -q 10.20.0.15/; }
holder() { for name in a b; do if has "$name"; then printf '%s ' "$name"; fi; done; }
until_true 20 has a

# Asks as a NAS that sends its question again each half second, and notes the moments of the answers.
ask() {
  while :; do
    if echo 'User-Name=ivan,User-Password=secret,Message-Authenticator=0x00' \
      | at nas radclient -r 1 -t 0.5 10.20.0.15:1812 auth testing123 2> /dev/null | grep -q 'Received Access-Accept'; then
      date +%s%N >> "$here/answers"
    fi
    sleep 0.05
  done
}
ask &
pids+=($!)
disown
sleep 2
echo "At the beginning: $(holder)has the address, $(wc -l < "$here/answers") sign-ins accepted."

fault() { # what is said, who is to have the address then, words that do it
  : > "$here/answers"
  sleep 0.5
  "${@:3}"
  until_true 30 has "$2"
  sleep 3
  gap=$(awk 'NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { printf "%.1f", most / 1e9 }' "$here/answers")
  echo "$1: $(holder)has the address, $gap s without an answer."
}
signal_program() { # signal, name
  ip netns pids "tollgate-$2" | while read -r pid; do if grep -q main.ts "/proc/$pid/cmdline"; then kill "-$1" "$pid"; fi; done
}
kill_machine() { ip -n "tollgate-$1" link set eth0 down; }

fault 'The program at a killed' b signal_program KILL a
start_node a
sleep 6
echo "It is back: $(holder)has the address."
fault 'The machine of b gone' a kill_machine b
ip -n tollgate-b link set eth0 up
sleep 6
echo "It is back: $(holder)has the address."
fault 'The program at a frozen' b signal_program STOP a
