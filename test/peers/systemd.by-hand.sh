#!/bin/sh
# The package under a real systemd, as root: `npm run package && sh test/peers/systemd.by-hand.sh`. It needs mmdebstrap,
# systemd-container and Debian's packages. A clean Debian is booted in a container of its own; there the package is installed,
# started, asked, stopped in its main thread until the watchdog ends it, restarted, removed and purged.
set -eu
package=$(ls -t dist/tollgate_*_"$(dpkg --print-architecture)".deb | head -n 1)
clean=$(mktemp -d /var/tmp/tollgate-systemd-XXXXXX)
trap 'rm -rf "$clean"' EXIT
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus,adduser,util-linux,procps,curl,freeradius-utils bookworm "$clean"
cp "$package" "$clean/root/tollgate.deb"
cat > "$clean/root/try.sh" <<'TRY'
set -eu
say() { printf '\n== %s\n' "$1"; }
told() { [ $? = 0 ] || journalctl --no-pager --unit tollgate --lines 40; }
trap told EXIT
export DEBIAN_FRONTEND=noninteractive
of() { systemctl show --property "$1" --value tollgate; }
B=http://127.0.0.1:8080
session() { curl -sf "$B/admin/?api=1&username=admin&password=a-clean-machine&format=json" | sed 's/.*: *"\(.*\)".*/\1/'; }
api() { curl -sf -o /dev/null "$B/rest_api/v2/$1/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' -d "$2"; }
ask() { echo 'User-Name=ivan,User-Password=secret,Message-Authenticator=0x00' | radclient -x 127.0.0.1:1812 auth testing123; }

say 'Installed'
dpkg -i /root/tollgate.deb
printf 'TOLLGATE_RADIUS_HOST=127.0.0.1\nTOLLGATE_ADMIN_PASSWORD=a-clean-machine\n' >> /etc/tollgate/tollgate.env

say 'Started: with Type=notify this returns when the program has said READY=1'
time systemctl start tollgate
test "$(of StatusText | cut -c -10)" = 'Serving at'
systemctl status --no-pager tollgate
curl -sf "$B/readyz"
H=$(session)
api Nas '{"name":"bras","ip":"127.0.0.1","secret":"testing123"}'
api Tarif '{"name":"Home 100","price":5000000000000}'
api Abonents '{"name":"Ivan","contract_number":"000001","tarif":1}'
api Users '{"abonent":1,"login":"ivan","password":"secret","ip":"10.0.0.5"}'
ask | grep 'Received Access-Accept'

say 'Hardening'
systemd-analyze security --no-pager tollgate

say 'The main process is stopped: the watchdog ends it, and the service is started anew with its data'
main=$(of MainPID)
kill -STOP "$main"
until [ "$(of NRestarts)" = 1 ] && [ "$(of ActiveState)" = active ]; do sleep 0.5; done
test "$(of MainPID)" != "$main"
journalctl --no-pager --unit tollgate | grep -i watchdog
curl -sf -o /dev/null "$B/readyz"
ask | grep 'Received Access-Accept'

say 'Restarted by hand'
time systemctl restart tollgate
test "$(of Result)" = success
ask | grep 'Received Access-Accept'

say 'Commands beside the service, which have not its right to ports below 1024'
tollgate doctor
tollgate verify_ledger
ls -l /var/lib/tollgate/postgres/postmaster.pid
test "$(of NRestarts)" = 0

say 'Its log'
journalctl --no-pager --unit tollgate --lines 12

say 'Removed, with its data left, and purged'
dpkg -r tollgate
test "$(systemctl is-active tollgate || true)" = inactive
test -d /var/lib/tollgate/postgres && test ! -e /usr/bin/tollgate
dpkg -P tollgate
test ! -e /var/lib/tollgate && test ! -e /etc/tollgate && ! getent passwd tollgate
say 'All of it went as it should.'
TRY
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
TimeoutStartSec=10min
[Install]
WantedBy=graphical.target
UNIT
ln -s /etc/systemd/system/try.service "$clean/etc/systemd/system/multi-user.target.wants/"
systemd-nspawn --quiet --directory "$clean" --boot --private-network --register=no --keep-unit || true
cat "$clean/root/said"
exit "$(cat "$clean/root/status")"
