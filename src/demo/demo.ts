import { join } from 'node:path'
import { type CommandContext, CommandRefusal } from '../app/commands/command.ts'
import { serveUntilStopped } from '../app/commands/lifetime.ts'
import { isLoopback } from '../app/config.ts'
import { type Parts, startProgram } from '../app/program.ts'
import { systemAuthor } from '../domain/author.ts'
import { accountId, subscriberId } from '../domain/ids.ts'
import { moneyFromUnits, rubles } from '../domain/money.ts'
import { operationTypes } from '../domain/operation.ts'
import { Dice } from './dice.ts'
import { startGateways } from './payments.ts'
import { fillDemo } from './fill.ts'
import { demoPassword, demoPeople, type Person } from './people.ts'
import { demoNasSecret, mistakenNas, unknownNasIp, workingNas } from './provider.ts'
import { SimulatedNas } from './simulated-nas.ts'
import { startSmsGateway } from './sms-gateway.ts'
import { Traffic } from './traffic.ts'

const staff = { username: 'admin', password: 'demo-operator' }

/** Who may look at a demo that others can reach is not for everybody who has read the sources. */
const needsPassword =
  'The demo has a well-known password and listens on the loopback only. To open it to others, set TOLLGATE_ADMIN_PASSWORD.'

/**
 * A whole provider in its own data folder: the real program with demo data, three simulated NAS with their clients, and
 * payments and charges that open and block lines while one watches.
 */
export async function runDemo({ config, log, print }: CommandContext): Promise<number> {
  const chosen = config.firstStaff.password
  if (chosen === null && !isLoopback(config.http.host)) throw new CommandRefusal(needsPassword)
  // A folder of its own, because the data of a demo on the loopback have the well-known password.
  const dataDir = join(config.dataDir, chosen === null ? 'demo' : 'demo-open')
  const sms = await startSmsGateway()
  const demoConfig = {
    ...config,
    outgoing: sms.outgoing,
    dataDir,
    databaseUrl: null,
    firstStaff: chosen === null ? staff : config.firstStaff,
    // The simulated gateways listen on the loopback.
    privateAddresses: [...config.privateAddresses, '127.0.0.0/8'],
  }
  return serveUntilStopped(demoConfig, log, async (order) => {
    const people = demoPeople()
    const online = await fillDemo(order, people, new Date())
    const program = await startProgram(order)
    const dice = new Dice(1 + (Date.now() % 1_000_003))
    const guest = await guestOf(program.parts)
    const nas = await startNas(program.parts, (login) => traffic.disconnected(login))
    const clients = clientsOf(people).filter(({ login }) => login !== guest.login)
    const traffic = new Traffic(nas, clients, dice, online)
    traffic.start()
    const troubles = await startTroubles(program.parts)
    const money = keepMoneyMoving(program.parts, dice, guest)
    const gateways = await startGateways(String(program.addresses.http), program.parts)
    for (const line of welcome(
      String(program.addresses.http),
      program.parts.radius.addresses.authPort,
      guest,
      signInText(config),
    ))
      print(line)
    return {
      addresses: program.addresses,
      notReady: program.notReady,
      stop: async () => {
        clearInterval(money)
        traffic.stop()
        await Promise.all([...nas, ...gateways, troubles].map((one) => one.stop()))
        await program.stop()
        await sms.stop()
      },
    }
  })
}

const clientsOf = (people: readonly Person[]) =>
  people.flatMap(({ logins }) =>
    logins.map(({ login, station, wrongPassword }) => ({ login, station, password: wrongPassword ?? demoPassword })),
  )

const coaPort = 3799

/** Starts the NAS that work, and tells the program where they listen when another demo has taken their port. */
async function startNas({ radius, database }: Parts, onDisconnected: (login: string) => void): Promise<SimulatedNas[]> {
  const { authPort, acctPort } = radius.addresses
  const server = { host: '127.0.0.1', authPort, acctPort }
  const open = async (ip: string, secret: string, port: number) => {
    const nas = new SimulatedNas({ ip, secret, coaPort: port, server, onDisconnected })
    try {
      await nas.start()
      return nas
    } catch (error) {
      await nas.stop()
      if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      return null
    }
  }
  const all: SimulatedNas[] = []
  for (const { ip, secret } of workingNas) {
    const nas = (await open(ip, secret, coaPort)) ?? (await open(ip, secret, 0))!
    await database.pool.query('UPDATE nas SET coa_port = $2 WHERE ip = $1 AND coa_port <> $2', [ip, nas.coaPort])
    all.push(nas)
  }
  return all
}

const troubleMs = 10_000

/** A NAS with another secret than its record and one without any record go on asking, and get no answer. */
async function startTroubles({ radius }: Parts): Promise<{ stop(): Promise<void> }> {
  const { authPort, acctPort } = radius.addresses
  const server = { host: '127.0.0.1', authPort, acctPort }
  const open = async (ip: string, secret: string) => {
    const nas = new SimulatedNas({ ip, secret, coaPort: 0, server, onDisconnected: () => {} })
    await nas.start()
    return nas
  }
  const both = [await open(mistakenNas.ip, mistakenNas.itsSecret), await open(unknownNasIp, demoNasSecret)]
  const ask = () => {
    for (const [at, nas] of both.entries()) void nas.signIn(`demo0${at}1`, demoPassword, `02-00-00-00-0A-0${at}`)
  }
  ask()
  const timer = setInterval(ask, troubleMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await Promise.all(both.map((nas) => nas.stop()))
    },
  }
}

/** Every two seconds a debtor pays, or a client is charged for a technician's visit and becomes a debtor. */
function keepMoneyMoving({ accounts, database, log }: Parts, dice: Dice, guest: Guest): NodeJS.Timeout {
  const moveMoney = async () => {
    const inDebt = dice.below(2) === 0
    const { rows } = await database.pool.query(
      `SELECT account.id, ostatok, abonent.id AS subscriber FROM admin_accounts AS account JOIN abonents AS abonent
        ON abonent.account_id = account.id AND NOT deleted WHERE (ostatok < "limit") = $1 AND account.id <> $2 ORDER BY random() LIMIT 1`,
      [inDebt, guest.account],
    )
    const [chosen] = rows as { id: string; ostatok: string; subscriber: string }[]
    if (!chosen) return
    const balance = moneyFromUnits(chosen.ostatok)
    const receipt = {
      typeId: operationTypes.gatewayA,
      sign: 1,
      amount: moneyFromUnits(rubles(50) - balance),
      description: 'Оплата через интернет',
      details: { operatorName: 'gwa' },
    } as const
    const expense = {
      typeId: operationTypes.manualExpense,
      sign: -1,
      amount: moneyFromUnits(rubles(20) + balance),
      description: 'Выезд мастера',
      details: {},
    } as const
    const posting = { ...(inDebt ? receipt : expense), movedAt: null, keys: [] }
    const command = { kind: 'post', subscriberId: subscriberId(chosen.subscriber), ...posting } as const
    await accounts.ask(accountId(chosen.id), command, systemAuthor('demo'))
  }
  return setInterval(() => moveMoney().catch((error) => log.warn('the demo could not move money', { error })), 2_000)
}

/** The client whom the visitor plays: the demo neither pays for it nor signs in as it. */
type Guest = { readonly contract: string; readonly login: string; readonly account: string }

/** A subscriber with a closed line, who can open it by paying; the first subscriber when there are no debtors. */
async function guestOf({ database }: Parts): Promise<Guest> {
  const { rows } = await database.pool.query<Guest>(
    `SELECT contract_number AS contract, login, account_id AS account FROM abonents JOIN users ON abonent_id = abonents.id
      LEFT JOIN tarifs ON tarifs.id = tarif_id
      WHERE NOT deleted ORDER BY abonents.enabled, coalesce(walled_garden, false), abonents.id LIMIT 1`,
  )
  return rows[0]!
}

const signInText = ({ firstStaff: { username, password } }: CommandContext['config']): string =>
  password === null
    ? `${staff.username}, password ${staff.password}`
    : `${username}, with the password of the first start`

const welcome = (http: string, authPort: number, { contract, login }: Guest, signIn: string): string[] => [
  '',
  '  Tollgate demo',
  '',
  `  Watch it live    ${http}/admin/network/now/`,
  `  Sign in as       ${signIn}`,
  `  Ask RADIUS       echo 'User-Name=${login},User-Password=${demoPassword},Message-Authenticator=0x00,Packet-Src-IP-Address=${workingNas[0].ip}' | radclient -x 127.0.0.1:${authPort} auth ${demoNasSecret}`,
  `  Subscribers      ${http}/rest_api/v2/Abonents/`,
  `  A client's pages ${http}/lk/ contract ${contract}, password ${demoPassword}: its line is closed until it pays`,
  `  Payments         ${http}/admin/system/payments/ (both gateways are simulated beside the demo)`,
  '',
]
