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
import { demoNas, demoNasSecret, demoPassword, fillProvider, subscribersMax } from './provider.ts'
import { SimulatedNas } from './simulated-nas.ts'
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
  const demoConfig = {
    ...config,
    dataDir,
    databaseUrl: null,
    firstStaff: chosen === null ? staff : config.firstStaff,
    // The simulated gateways listen on the loopback.
    privateAddresses: [...config.privateAddresses, '127.0.0.0/8'],
  }
  return serveUntilStopped(demoConfig, log, async (order) => {
    const program = await startProgram(order)
    const { accounts, database, secrets } = program.parts
    if (await fillProvider(database.pool, accounts, secrets, new Date())) log.info('demo provider filled')
    const dice = new Dice(Date.now() % 1_000_003)
    const guest = await guestOf(program.parts)
    const nas = await startNas(program.parts.radius.addresses, (login) => traffic.disconnected(login))
    const traffic = new Traffic(
      nas,
      clients().filter(({ login }) => login !== guest.login),
      dice,
    )
    traffic.start()
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
      stop: async () => {
        clearInterval(money)
        traffic.stop()
        await Promise.all([...nas, ...gateways].map((one) => one.stop()))
        await program.stop()
      },
    }
  })
}

const clients = () =>
  Array.from({ length: subscribersMax }, (_, index) => ({
    login: `demo${String(index + 1).padStart(3, '0')}`,
    password: demoPassword,
    station: `02-00-00-00-${hex(index >> 8)}-${hex(index & 255)}`,
  }))

const hex = (byte: number) => byte.toString(16).padStart(2, '0').toUpperCase()

async function startNas(
  radius: { authPort: number; acctPort: number },
  onDisconnected: (login: string) => void,
): Promise<SimulatedNas[]> {
  const server = { host: '127.0.0.1', ...radius }
  const all = demoNas.map(
    ({ ip }) => new SimulatedNas({ ip, secret: demoNasSecret, coaPort: 3799, server, onDisconnected }),
  )
  for (const nas of all) await nas.start()
  return all
}

/** Every two seconds a debtor pays, or a client is charged for a technician's visit and becomes a debtor. */
function keepMoneyMoving({ accounts, database, log }: Parts, dice: Dice, guest: Guest): NodeJS.Timeout {
  const moveMoney = async () => {
    const inDebt = dice.below(2) === 0
    const { rows } = await database.pool.query(
      `SELECT account.id, ostatok, abonent.id AS subscriber FROM admin_accounts AS account JOIN abonents AS abonent
        ON abonent.account_id = account.id WHERE (ostatok < "limit") = $1 AND account.id <> $2 ORDER BY random() LIMIT 1`,
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
  `  Watch it live    ${http}/admin/watch/`,
  `  Sign in as       ${signIn}`,
  `  Ask RADIUS       echo 'User-Name=${login},User-Password=${demoPassword},Message-Authenticator=0x00,Packet-Src-IP-Address=${demoNas[0].ip}' | radclient -x 127.0.0.1:${authPort} auth ${demoNasSecret}`,
  `  Subscribers      ${http}/rest_api/v2/Abonents/`,
  `  A client's pages ${http}/lk/ contract ${contract}, password ${demoPassword}: its line is closed until it pays`,
  `  Payments         ${http}/admin/settings/payment/ (both gateways are simulated beside the demo)`,
  '',
]
