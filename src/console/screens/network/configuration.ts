/** The devices whose configuration is shown. */
export const devices = [
  { value: 'mikrotik', label: 'MikroTik' },
  { value: 'accel', label: 'accel-ppp' },
  { value: 'cisco', label: 'Cisco' },
] as const
export type Device = (typeof devices)[number]['value']

/** The device of a type of NAS; MikroTik, where the type says none of them. */
export const deviceOf = (type: string): Device => devices.find(({ value }) => value === type)?.value ?? 'mikrotik'

type Place = {
  /** The address under which the office reaches Tollgate, mostly that of RADIUS too. */
  readonly server: string
  readonly name: string
}

const pieces: Readonly<Record<Device, (place: Place) => string>> = {
  mikrotik: ({ server }) => `/radius add service=ppp,dhcp,hotspot address=${server} secret="<secret>" \\
  authentication-port=1812 accounting-port=1813 timeout=3s
/radius incoming set accept=yes port=3799
/ppp aaa set use-radius=yes accounting=yes interim-update=5m`,
  accel: ({ server, name }) => `[modules]
radius

[radius]
nas-identifier=${name}
server=${server},<secret>,auth-port=1812,acct-port=1813,req-limit=0,fail-time=0
dae-server=0.0.0.0:3799,<secret>
acct-interim-interval=300
timeout=3
max-try=3`,
  cisco: ({ server }) => `aaa new-model
radius server TOLLGATE
 address ipv4 ${server} auth-port 1812 acct-port 1813
 key <secret>
aaa group server radius TOLLGATE-GROUP
 server name TOLLGATE
aaa authentication ppp default group TOLLGATE-GROUP
aaa authorization network default group TOLLGATE-GROUP
aaa accounting update periodic 5
aaa accounting network default start-stop group TOLLGATE-GROUP
aaa server radius dynamic-author
 client ${server} server-key <secret>
 port 3799`,
}

/** What to enter into a device so that it asks Tollgate, and takes Disconnect and CoA from it. */
export const configurationOf = (device: Device, place: Place): string => pieces[device](place)
