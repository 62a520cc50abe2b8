import { type NasType, nasTypeNames } from './nas-types.ts'

/** The types of NAS whose configuration is shown. */
const configured = ['mikrotik', 'accel', 'cisco'] as const satisfies readonly NasType[]
export type Device = (typeof configured)[number]

export const devices = configured.map((value) => ({ value, label: nasTypeNames[value] }))

/** The device of a type of NAS; MikroTik, where the type says none of them. */
export const deviceOf = (type: string): Device => configured.find((device) => device === type) ?? 'mikrotik'

export type Place = {
  /** The address under which the office reaches Tollgate, mostly that of RADIUS too. */
  readonly server: string
  readonly name: string
  /** Where Tollgate takes Access-Request and accounting. */
  readonly authPort: number
  readonly acctPort: number
  /** Where the device is to take Disconnect and CoA. */
  readonly coaPort: number
}

const pieces: Readonly<Record<Device, (place: Place) => string>> = {
  mikrotik: ({
    server,
    authPort,
    acctPort,
    coaPort,
  }) => `/radius add service=ppp,dhcp,hotspot address=${server} secret="<secret>" \\
  authentication-port=${authPort} accounting-port=${acctPort} timeout=3s
/radius incoming set accept=yes port=${coaPort}
/ppp aaa set use-radius=yes accounting=yes interim-update=5m`,
  accel: ({ server, name, authPort, acctPort, coaPort }) => `[modules]
radius

[radius]
nas-identifier=${name}
server=${server},<secret>,auth-port=${authPort},acct-port=${acctPort},req-limit=0,fail-time=0
dae-server=0.0.0.0:${coaPort},<secret>
acct-interim-interval=300
timeout=3
max-try=3`,
  cisco: ({ server, authPort, acctPort, coaPort }) => `aaa new-model
radius server TOLLGATE
 address ipv4 ${server} auth-port ${authPort} acct-port ${acctPort}
 key <secret>
aaa group server radius TOLLGATE-GROUP
 server name TOLLGATE
aaa authentication ppp default group TOLLGATE-GROUP
aaa authorization network default group TOLLGATE-GROUP
aaa accounting update periodic 5
aaa accounting network default start-stop group TOLLGATE-GROUP
aaa server radius dynamic-author
 client ${server} server-key <secret>
 port ${coaPort}`,
}

/** What to enter into a device so that it asks Tollgate, and takes Disconnect and CoA from it. */
export const configurationOf = (device: Device, place: Place): string => pieces[device](place)
