# Part of systemd.by-hand.sh, in its clean Debian: a FreeRADIUS as Debian configures it, on its own schema in MariaDB with the
# tables of daloRADIUS, serves at port 1812. Its 10,000 users are moved into Tollgate, which serves beside it at another port,
# a thousand sign-ins are compared in shadow, and then Tollgate has the port and is asked the same.
say 'FreeRADIUS with MariaDB and daloRADIUS'
systemctl start mariadb
mariadb <<'SQL'
CREATE DATABASE radius;
CREATE USER radius@localhost IDENTIFIED BY 'radpass';
GRANT ALL ON radius.* TO radius@localhost;
SQL
raddb=/etc/freeradius/3.0
mariadb radius < "$raddb/mods-config/sql/main/mysql/schema.sql"
mariadb radius < /root/moving-in/daloradius.sql
mariadb --default-character-set=utf8mb4 radius < /root/moving-in/rows.sql
sed -i -e 's/dialect = "sqlite"/dialect = "mysql"/' -e 's/driver = "rlm_sql_null"/driver = "rlm_sql_${dialect}"/' \
  -e '/^\t\ttls {/,/^\t\t}/d' \
  -e 's/^#\t\(server = "localhost"\|login = "radius"\|password = "radpass"\)/\t\1/' "$raddb/mods-available/sql"
users=$(mariadb -NB radius -e 'SELECT format(count(*), 0) FROM userinfo')
ln -s ../mods-available/sql "$raddb/mods-enabled/sql"
sed -i 's/reject_delay = 1/reject_delay = 0/' "$raddb/radiusd.conf"

say 'Tollgate beside it, empty, with RADIUS at another port'
systemctl stop tollgate
rm -rf /srv/tollgate
install -d -o tollgate -g tollgate -m 700 /srv/tollgate
printf 'TOLLGATE_RADIUS_AUTH_PORT=11812\nTOLLGATE_RADIUS_ACCT_PORT=11813\n' >> /etc/tollgate/tollgate.env
systemctl start tollgate
systemctl unmask freeradius
systemctl start freeradius

# Numbers of a kind in the report of import_from: there, to be made or made, as there, otherwise, left out.
numbers() { sed -n "s/^$1 \+//p" /root/moved | tr -s ' '; }
dump() { mariadb-dump --single-transaction --hex-blob radius; }
nextMonth=$(date -d "$(date +%Y-%m-15) +1 month" +%Y-%m-01)

say 'Moved in: the dry run'
from=$(ms)
dump | tollgate import_from freeradius_sql - > /root/moved
took "$from" "dry run of $users users from mariadb-dump"
tail -n 25 /root/moved
test "$(numbers subscribers)" = "$users $users 0 0 0"
test "$(numbers 'balances, rubles' | cut -d ' ' -f 5)" = 0.00

say 'Moved in'
from=$(ms)
dump | tollgate import_from freeradius_sql - --apply --charged-from "$nextMonth" > /root/moved
took "$from" "moved in: $users users, their logins and balances"
tail -n 25 /root/moved
test "$(numbers logins)" = "$users $users 0 0 0"
total=$(numbers 'balances, rubles' | cut -d ' ' -f 1)
grep --quiet "together $total rubles" /root/moved
test "$total" = "$(mariadb -NB radius -e 'SELECT (SELECT sum(CAST(amount AS DECIMAL(20, 2))) FROM payment)
  - (SELECT sum(CAST(amount AS DECIMAL(20, 2)) + CAST(tax_amount AS DECIMAL(20, 2))) FROM invoice_items)')"
from=$(ms)
dump | tollgate import_from freeradius_sql - --apply --charged-from "$nextMonth" > /root/moved
took "$from" 'the same again, which changes nothing'
test "$(numbers subscribers)" = "$users 0 $users 0 0"
tollgate verify_ledger

# Each sign-in in its turn: its number, what was answered, and with an accept the attributes but those of one exchange.
signInAt1812() {
  radclient -x -p 1 -f /root/moving-in/sign-ins 127.0.0.1:1812 auth testing123 2>/dev/null |
    awk '/^Received /{asked++; accept = /Access-Accept/; print asked, $2; next}
         /^Sent /{accept = 0}
         accept && !/Message-Authenticator|Class|MPPE/{sub(/^\t/, ""); print asked, $0}' | LC_ALL=C sort
}

say 'A parallel run'
tcpdump -i lo -s 0 -U -Z root -w /root/seen.pcap udp port 1812 2> /root/tcpdump &
capture=$!
until grep --quiet listening /root/tcpdump; do sleep 0.1; done
signInAt1812 > /root/there
sleep 2
kill "$capture"
wait "$capture" || true
asked=$(cut -d ' ' -f 1 /root/there | sort -u | wc -l)
echo "$asked sign-ins at FreeRADIUS, $(grep -c Access-Accept /root/there) of them accepted."
test "$asked" = "$(grep -c User-Name /root/moving-in/sign-ins)"
from=$(ms)
tollgate shadow pcap - < /root/seen.pcap
took "$from" "$asked sign-ins of a capture compared in shadow, without a difference"

say 'Taken over'
from=$(ms)
systemctl stop freeradius mariadb
sed -i '/^TOLLGATE_RADIUS_\(AUTH\|ACCT\)_PORT=/d' /etc/tollgate/tollgate.env
systemctl restart tollgate
took "$from" 'FreeRADIUS and MariaDB stopped, Tollgate started at its port'
from=$(ms)
signInAt1812 > /root/here
took "$from" "$asked sign-ins, one after the other"
diff /root/there /root/here && echo "$asked sign-ins are answered as FreeRADIUS answered them."
