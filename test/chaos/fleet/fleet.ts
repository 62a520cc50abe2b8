import { freeTcpPort, freeUdpPort } from '../../support/free-port.ts'
import { TestProgram } from '../../support/program.ts'
import type { Book } from '../book.ts'
import { http, shortly } from '../door.ts'
import { Life } from '../life.ts'
import type { RadiusServer } from '../nas.ts'
import { Balancer } from './balancer.ts'
import { Wire } from './wire.ts'

/** A program, with the way from it to PostgreSQL. */
export type FleetNode = {
  readonly name: string
  readonly life: Life
  readonly wire: Wire
  readonly http: string
  readonly radius: RadiusServer
}

type FleetParts = {
  readonly count: number
  /** The address of the database on that port. */
  readonly databaseUrlAt: (port: number) => string
  /** The port on which the database is now. */
  readonly databasePort: () => number
  readonly env: NodeJS.ProcessEnv
  readonly book: Book
}

/** Until a balancer has noticed that a node is leaving. */
const noticedMs = 700
const drainMs = 10_000

/** Several nodes on one database, used as one program through a balancer. */
export class Fleet extends TestProgram {
  readonly nodes: readonly FleetNode[]
  readonly #balancer: Balancer

  private constructor(nodes: readonly FleetNode[], balancer: Balancer) {
    super()
    this.nodes = nodes
    this.#balancer = balancer
    this.reached({ http: balancer.base })
  }

  static async open(parts: FleetParts): Promise<Fleet> {
    const nodes = await Promise.all(
      Array.from({ length: parts.count }, (_, index) => openNode(`chaos-${index}`, parts)),
    )
    const ports = nodes.map(({ http }) => Number(new URL(http).port))
    return new Fleet(nodes, await Balancer.open(await freeTcpPort(), ports))
  }

  /** The first alone, which makes what every later one finds. */
  override async launch(): Promise<void> {
    const [first, ...others] = this.nodes
    await first!.life.start()
    await Promise.all(others.map(({ life }) => life.start()))
    while ((await http(`${this.address.http}/readyz`))?.status !== 200) await shortly(50)
  }

  /** An exit code that is not 0, or null. */
  override async stop(): Promise<number | null> {
    const codes = await Promise.all(this.nodes.map(({ life }) => life.stop()))
    return codes.find((code) => code !== 0) ?? null
  }

  override remove(): void {
    for (const { life } of this.nodes) life.remove()
    super.remove()
  }

  async close(): Promise<void> {
    await this.#balancer.close()
    for (const { wire } of this.nodes) await wire.close()
  }

  /** The database is away from all of them as long as `trouble` lasts. */
  withoutDatabase(trouble: () => Promise<void>): Promise<void> {
    return this.nodes.reduce(
      (inner, { life }) =>
        () =>
          life.withoutDatabase(inner),
      trouble,
    )()
  }

  /** As for a new version: drained, and stopped once nobody is sent to it any more. */
  async restart({ life, http: base }: FleetNode): Promise<void> {
    life.program.signal('SIGUSR2')
    const sinceMs = performance.now()
    while (performance.now() - sinceMs < drainMs && !(await http(`${base}/readyz`))?.text.includes('draining'))
      await shortly(50)
    await shortly(noticedMs)
    await life.restart()
  }
}

async function openNode(name: string, { databaseUrlAt, databasePort, env, book }: FleetParts): Promise<FleetNode> {
  const [httpPort, authPort, acctPort] = [await freeTcpPort(), await freeUdpPort(), await freeUdpPort()]
  const wire = await Wire.open(await freeTcpPort(), databasePort)
  const life = new Life(
    {
      DATABASE_URL: databaseUrlAt(wire.port),
      TOLLGATE_NODE: name,
      TOLLGATE_RADIUS_WORKERS: '1',
      TOLLGATE_SECRET_KEY: 'the key of every node of the fleet',
      TOLLGATE_HTTP_PORT: String(httpPort),
      TOLLGATE_RADIUS_AUTH_PORT: String(authPort),
      TOLLGATE_RADIUS_ACCT_PORT: String(acctPort),
      ...env,
    },
    book,
  )
  return { name, life, wire, http: `http://127.0.0.1:${httpPort}`, radius: { authPort, acctPort } }
}
