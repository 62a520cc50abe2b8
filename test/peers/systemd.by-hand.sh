#!/bin/sh
# The package under a real systemd, as root: `npm run package && sh test/peers/systemd.by-hand.sh`, with an older package as
# its argument to be updated from it. It needs mmdebstrap, systemd-container, freeradius-config and Debian's packages. A clean
# Debian is booted in a container of its own. There the package is installed and everything is done that its README tells, by
# the commands that stand there: started, a subscriber online, backed up, purged, and restored to another folder with the same
# answers. Besides that the program is killed and frozen, data of former releases are brought up to this one, a provider of
# 10,000 users moves in from FreeRADIUS and daloRADIUS, and an older package is updated.
set -eu
package=$(ls -t dist/tollgate_*_"$(dpkg --print-architecture)".deb | head -n 1)
clean=$(mktemp -d /var/tmp/tollgate-systemd-XXXXXX)
trap 'rm -rf "$clean"' EXIT
mmdebstrap --quiet --variant=minbase \
  --include=systemd,systemd-sysv,dbus,adduser,util-linux,procps,curl,freeradius-utils,openssl,mariadb-server,freeradius,freeradius-mysql,tcpdump \
  bookworm "$clean"
# Neither is started before it is its turn.
ln -s /dev/null "$clean/etc/systemd/system/freeradius.service"
rm "$clean/etc/systemd/system/multi-user.target.wants/mariadb.service"
cp "$package" "$clean/root/tollgate.deb"
[ -z "${1:-}" ] || cp "$1" "$clean/root/older.deb"
mkdir "$clean/root/releases"
cp test/upgrades/*.tar test/upgrades/*.json test/upgrades/passphrase "$clean/root/releases/"
mkdir "$clean/srv/clock"
cp test/chaos/clock-shift.ts "$clean/srv/clock/"
sed -n "s/^export const linePassword = '\(.*\)'$/\1/p" test/support/provider.ts > "$clean/root/releases/line-password"
mkdir "$clean/root/moving-in"
node_modules/.bin/node test/peers/freeradius/provider.by-hand.ts "$clean/root/moving-in" 10000 1000
cp test/peers/freeradius/moving-in.sh "$clean/root/moving-in/walk.sh"
cat > "$clean/root/try.sh" <<'TRY'
set -eu
began=$(date +%s%N) steps=/root/steps
ms() { echo $(( ($(date +%s%N) - began) / 1000000 )); }
say() { printf '\n== %s\n' "$1"; }
# What the steps took is printed at the end.
took() {
  local from=$1 what=$2
  printf '%6d ms  %s\n' $(( $(ms) - from )) "$what" | tee -a "$steps"
}
told() { [ $? = 0 ] || journalctl --no-pager --unit tollgate --lines 40; }
trap told EXIT
export DEBIAN_FRONTEND=noninteractive
of() { systemctl show --property "$1" --value tollgate; }
page=/usr/share/doc/tollgate/README.md
# The commands under a heading of the package's README.
commands() { awk -v heading="## $1" '/^## /{is = $0 == heading} /^```/{on = is && /sh$/; next} on' "$page"; }
ask() { echo 'User-Name=ivan,User-Password=secret,Message-Authenticator=0x00' | radclient -x 127.0.0.1:1812 auth testing123; }
accepted() { ask | grep --quiet 'Received Access-Accept'; }
signIn() { curl -sf "$B/admin/?api=1&username=admin&password=$PASSWORD&format=json" | sed 's/.*: *"\(.*\)".*/\1/'; }
# All that is asked of the installation before it is purged, and after it is restored. A Class is of one sign-in.
answers() {
  local session
  session=$(signIn)
  ask | sed -n '/^Received/,$p' | grep --extended-regexp '^\s|Access' | sed 's/ Id .*//' | grep --invert-match --extended-regexp 'Message-Authenticator|Class'
  for one in Nas Tarif Abonents Users AdminAccounts FinanceOperations; do
    curl -sf "$B/rest_api/v2/$one/?limit=100" -H "X-Session-Hash: $session"
    echo
  done
}

say 'Installed'
from=$(ms)
dpkg -i /root/tollgate.deb
took "$from" 'installed'
dpkg-query --show --showformat '${Installed-Size} KiB installed\n' tollgate | tee -a "$steps"

say 'By the README: started. With Type=notify this returns when the program has said READY=1'
from=$(ms)
. <(commands Started)
took "$from" 'first start: database made, migrated, ready'
test "$(of StatusText | cut -c -10)" = 'Serving at'
systemctl status --no-pager tollgate

say 'By the README: a subscriber online'
from=$(ms)
. <(commands 'A subscriber online') | tee /root/online
grep --quiet 'Received Access-Accept' /root/online
took "$from" 'NAS, tariff, subscriber, login: Access-Accept'
# What ran in a pipe has not set them here.
. <(commands 'A subscriber online' | grep '^export')
took 0 'from the beginning to the Access-Accept'
curl -sf "$B/readyz"
curl -sf -o /dev/null "$B/rest_api/v2/FinanceOperations/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' \
  -d '{"account":1,"op_type":7,"op_summa":10000000000}'

say 'Hardening'
systemd-analyze security --no-pager tollgate

say 'Killed: the service is started anew with its data'
main=$(of MainPID)
from=$(ms)
kill -KILL "$main"
until [ "$(of NRestarts)" = 1 ] && accepted; do sleep 0.1; done
took "$from" 'killed with -9: until the next Access-Accept'
test "$(of MainPID)" != "$main"
# RADIUS answers a moment before the start is over, and no watchdog looks at a start.
until [ "$(of ActiveState)" = active ]; do sleep 0.1; done

say 'The main process is stopped: the watchdog ends it, and the service is started anew'
from=$(ms)
kill -STOP "$(of MainPID)"
until [ "$(of NRestarts)" = 2 ] && [ "$(of ActiveState)" = active ]; do sleep 0.5; done
took "$from" 'frozen: until the watchdog has started it anew'
journalctl --no-pager --unit tollgate | grep -i watchdog
curl -sf -o /dev/null "$B/readyz"
accepted

say 'Restarted by hand'
from=$(ms)
systemctl restart tollgate
took "$from" 'restarted by hand, stop and start'
test "$(of Result)" = success
accepted

say 'Commands beside the service, which have not its right to ports below 1024'
tollgate doctor
tollgate verify_ledger
ls -l /var/lib/tollgate/postgres/postmaster.pid
test "$(of NRestarts)" = 0

say 'With the files of the program away, as while an update replaces them, it serves what it has not served before'
lib=/usr/lib/tollgate
mkdir "$lib/away"
mv "$lib/src" "$lib/node_modules/@mikro-orm" "$lib/away/"
H=$(signIn)
created=$(curl -s -o /root/created -w '%{http_code}' "$B/rest_api/v2/Nas/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' \
  -d '{"name":"another","ip":"127.0.0.9","secret":"testing123"}')
mv "$lib/away/src" "$lib/"
mv "$lib/away/@mikro-orm" "$lib/node_modules/"
rmdir "$lib/away"
cat /root/created
test "$created" = 201
dpkg --verify tollgate

say 'By the README: backed up and tried; by the job of the service too'
from=$(ms)
. <(commands 'Backed up')
took "$from" 'backed up, and the archive tried'
H=$(signIn)
curl -sf -o /dev/null "$B/admin/settings/system/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' \
  -d '{"BACKUP_FOLDER":"/var/backups/tollgate","BACKUP_PASSPHRASE":"of the job itself"}'
curl -sf -X POST -H "X-Session-Hash: $H" "$B/admin/jobs/backup/run/"
test "$(ls /var/backups/tollgate/*.tar | wc -l)" = 2
rm "$(ls -t /var/backups/tollgate/*.tar | head -n 1)"
curl -sf -o /dev/null "$B/admin/settings/system/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' \
  -d '{"BACKUP_FOLDER":"","BACKUP_PASSPHRASE":""}'
answers > /root/before

say 'Its log'
journalctl --no-pager --unit tollgate --lines 12

say 'Removed, with its data left, and purged, with its archive left'
dpkg -r tollgate
test "$(systemctl is-active tollgate || true)" = inactive
test -d /var/lib/tollgate/postgres && test ! -e /usr/bin/tollgate
cp /etc/tollgate/backup-passphrase /root/backup-passphrase
dpkg -P tollgate
test ! -e /var/lib/tollgate && test ! -e /etc/tollgate && ! getent passwd tollgate
test ! -e /etc/systemd/system/multi-user.target.wants/tollgate.service

say 'By the README: restored to another folder, where the user has another number'
adduser --quiet --system --group somebody
dpkg -i /root/tollgate.deb
install -o tollgate -m 400 /root/backup-passphrase /etc/tollgate/backup-passphrase
install -d -o tollgate -g tollgate -m 700 /srv/tollgate
sed -i 's|^TOLLGATE_DATA_DIR=.*|TOLLGATE_DATA_DIR=/srv/tollgate|' /etc/tollgate/tollgate.env
mkdir -p /etc/systemd/system/tollgate.service.d
awk '/^```/{on = /ini$/; next} on' "$page" > /etc/systemd/system/tollgate.service.d/override.conf
systemctl daemon-reload
from=$(ms)
. <(commands Restored)
took "$from" 'restored and started'
accepted
answers > /root/after
diff /root/before /root/after
tollgate verify_ledger
# A line of cron for that user finds the same data.
setpriv --reuid tollgate --regid tollgate --init-groups tollgate verify_ledger
test ! -e /var/lib/tollgate/postgres

# The service has another time of day than this machine.
cat > /root/clock.conf <<'CLOCK'
[Service]
Environment=NODE_OPTIONS=--import=file:///srv/clock/clock-shift.ts CHAOS_CLOCK=/srv/clock/ahead
CLOCK

for archive in /root/releases/*.tar; do
  release=$(basename "$archive" .tar)
  say "Data of $release, on this version"
  systemctl stop tollgate
  rm -rf /srv/tollgate
  install -d -o tollgate -g tollgate -m 700 /srv/tollgate
  install -o tollgate -m 400 "$archive" /var/backups/tollgate/release.tar
  install -o tollgate -m 400 /root/releases/passphrase /etc/tollgate/release-passphrase
  from=$(ms)
  tollgate restore /var/backups/tollgate/release.tar --passphrase-file /etc/tollgate/release-passphrase | tee /root/restored
  # It goes on from the moment of the archive: by the clock of today its promises are over and its months are charged.
  sed -n 's/^Restored as it was at \(\S*\).*/\1/p' /root/restored | /usr/lib/tollgate/bin/node -e '
    const at = Date.parse(require("node:fs").readFileSync(0, "utf8").trim())
    process.stdout.write(new Uint8Array(new Float64Array([at - Date.now()]).buffer))' > /srv/clock/ahead
  cp /root/clock.conf /etc/systemd/system/tollgate.service.d/
  systemctl daemon-reload
  systemctl start tollgate
  took "$from" "data of $release restored, brought up to this version and started"
  tollgate verify_ledger
  tollgate create_staff --username anna --password 'long enough' --superuser
  H=$(curl -sf "$B/admin/?api=1&username=anna&password=long%20enough&format=json" | sed 's/.*: *"\(.*\)".*/\1/')
  curl -sf -o /dev/null "$B/rest_api/v2/Nas/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' \
    -d '{"name":"here","ip":"127.0.0.1","secret":"testing123"}'
  # Lines such as `"line4": "accepted",`.
  sed -n '/"answers"/,/}/s/.*"\(.*\)": "\(.*\)".*/\1 \2/p' "/root/releases/$release.json" | while read -r login expected; do
    answer=$(echo "User-Name=$login,User-Password=$(cat /root/releases/line-password),Message-Authenticator=0x00" |
      radclient -x 127.0.0.1:1812 auth testing123 | sed -n 's/^Received Access-\(\w*\).*/\L\1ed/p')
    echo "$login $answer"
    test "$answer" = "$expected"
  done
done
rm /etc/systemd/system/tollgate.service.d/clock.conf
systemctl daemon-reload

. /root/moving-in/walk.sh

# How long RADIUS was silent while something else went on, by a client that asks again after a fifth of a second.
listen() {
  while :; do
    echo 'User-Name=ivan,User-Password=secret,Message-Authenticator=0x00' |
      radclient -t 0.2 -r 1 127.0.0.1:1812 auth testing123 2>/dev/null | grep --quiet Access-Accept && ms || true
  done
}
longestSilence() { awk 'NR > 1 && $1 - last > longest {longest = $1 - last} {last = $1} END {print longest}' "$1"; }

if [ -e /root/older.deb ]; then
  say 'An older package, updated in its service'
  dpkg -P tollgate
  rm -rf /srv/tollgate /etc/systemd/system/tollgate.service.d
  dpkg -i /root/older.deb
  systemctl start tollgate
  page=/root/README.md
  # The services of the first packages were active as soon as they were started.
  until curl -sf -o /dev/null http://127.0.0.1:8080/readyz; do sleep 0.5; done
  . <(commands 'A subscriber online') | tee /root/online
  . <(commands 'A subscriber online' | grep '^export')
  curl -sf -o /dev/null "$B/rest_api/v2/FinanceOperations/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' \
    -d '{"account":1,"op_type":7,"op_summa":10000000000}'
  answers > /root/before
  listen > /root/heard &
  listener=$!
  until [ "$(wc -l < /root/heard)" -gt 3 ]; do sleep 0.1; done
  # Settings of the operator's own are no reason to ask somebody in the middle of it.
  echo '# Of the operator.' >> /etc/tollgate/tollgate.env
  from=$(ms)
  dpkg -i /root/tollgate.deb < /dev/null
  took "$from" 'older package updated: installed, stopped, tables brought up to date, ready'
  grep --quiet 'Of the operator' /etc/tollgate/tollgate.env
  until accepted; do sleep 0.1; done
  sleep 2
  kill "$listener"
  wait "$listener" || true
  printf '%6d ms  without an answer of RADIUS during that\n' "$(longestSilence /root/heard)" | tee -a "$steps"
  systemctl status --no-pager --lines 3 tollgate
  test "$(of ActiveState)" = active && test "$(of NRestarts)" = 0
  # A newer version may tell more, but what the older one told it tells as well.
  answers > /root/after
  /usr/lib/tollgate/bin/node - <<'JS'
const { readFileSync } = require('node:fs')
const [before, after] = ['before', 'after'].map((name) => readFileSync(`/root/${name}`, 'utf8').trim().split('\n'))
const has = (there, here) =>
  typeof there === 'object' && there !== null
    ? typeof here === 'object' && here !== null && Object.keys(there).every((name) => has(there[name], here[name]))
    : there === here
const read = (line) => (line?.startsWith('{') ? JSON.parse(line) : line?.trim())
const lost = before.filter((line, n) => !has(read(line), read(after[n])))
for (const line of lost) console.log(`Not as it was: ${line}\nbut: ${after[before.indexOf(line)]}`)
process.exit(lost.length > 0 ? 1 : 0)
JS
  tollgate verify_ledger
  tollgate doctor

  say 'Purged after the update, with an archive left'
  . <(commands 'Backed up')
  dpkg -P tollgate
  test "$(systemctl is-active tollgate || true)" = inactive
  test ! -e /var/lib/tollgate && test ! -e /etc/tollgate && test ! -e /usr/lib/tollgate && ! getent passwd tollgate
  test ! -e /etc/systemd/system/multi-user.target.wants/tollgate.service
  ls /var/backups/tollgate/*.tar
  dpkg -i /root/tollgate.deb
fi

say 'Disabled by somebody, it stays so when it is installed again'
test "$(systemctl is-enabled tollgate)" = enabled
systemctl disable tollgate
dpkg -i /root/tollgate.deb
test "$(systemctl is-enabled tollgate || true)" = disabled

say 'What each step took'
cat "$steps"
say 'All of it went as it should.'
TRY
cp release/debian/README.md "$clean/root/README.md"
cat > "$clean/etc/systemd/system/try.service" <<'UNIT'
[Unit]
After=basic.target dbus.service
[Service]
Type=oneshot
ExecStart=/bin/bash /root/try.sh
StandardOutput=file:/root/said
StandardError=inherit
ExecStopPost=/bin/sh -c 'echo $EXIT_STATUS > /root/status'
ExecStopPost=/bin/systemctl --no-block poweroff
TimeoutStartSec=1h
[Install]
WantedBy=graphical.target
UNIT
ln -s /etc/systemd/system/try.service "$clean/etc/systemd/system/multi-user.target.wants/"
systemd-nspawn --quiet --directory "$clean" --boot --private-network --register=no --keep-unit || true
cat "$clean/root/said"
exit "$(cat "$clean/root/status")"
