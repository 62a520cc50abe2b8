import type { Dice } from '../../src/demo/dice.ts'
import type { TestProgram } from '../support/program.ts'
import type { Client } from '../support/provider.ts'
import type { Book } from './book.ts'
import { Door, type HttpAnswer, http, isUnserved, shortly } from './door.ts'
import type { ChaosNas } from './nas.ts'
import { diceOf } from './plan.ts'

export const doorNames = [
  'radius auth',
  'radius accounting',
  'rest read',
  'rest money',
  'webhook gwa rest',
  'webhook gwa http',
  'webhook gwb',
  'soap',
  'phone',
  'portal',
  'operator',
  'sign-in',
  'live',
  'garbage',
  'attack',
  'forged packets',
] as const
export type DoorName = (typeof doorNames)[number]

/** What the parts of the load stand on. */
export class Stage {
  readonly seed: number
  readonly program: TestProgram
  readonly clients: readonly Client[]
  readonly nas: readonly ChaosNas[]
  readonly book: Book
  readonly doors: Readonly<Record<DoorName, Door>>
  readonly #beganMs = performance.now()
  /** The load is over: begin nothing new, finish what was begun. */
  isOver = false
  isAttackerResting = false
  #signingIn: Promise<void> | null = null

  constructor(parts: Pick<Stage, 'seed' | 'program' | 'clients' | 'nas' | 'book'>) {
    this.seed = parts.seed
    this.program = parts.program
    this.clients = parts.clients
    this.nas = parts.nas
    this.book = parts.book
    this.doors = Object.fromEntries(doorNames.map((name) => [name, new Door(name)])) as Record<DoorName, Door>
  }

  get nowMs(): number {
    return performance.now() - this.#beganMs
  }

  get base(): string {
    return this.program.address.http
  }

  async whileAttackerRests(): Promise<void> {
    while (this.isAttackerResting && !this.isOver) await shortly(50)
  }

  dice(part: string): Dice {
    return diceOf(this.seed, part)
  }

  /** One use of a door by HTTP. Null: not served, to be asked again. A 500 that is no SOAP fault is a violation. */
  async use(
    door: DoorName,
    path: string,
    init: RequestInit = {},
    saysAgain: (answer: HttpAnswer) => boolean = () => false,
  ): Promise<HttpAnswer | null> {
    const beganMs = this.nowMs
    const answer = await http(this.base + path, init)
    if (answer?.status === 500 && !answer.text.includes('faultcode'))
      this.book.violate('an answer of 500', { door, path, text: answer.text.slice(0, 500) })
    const isServed = !isUnserved(answer) && !saysAgain(answer!)
    this.doors[door].took(!isServed ? 'unserved' : answer!.status >= 400 ? 'refused' : 'served', beganMs, this.nowMs)
    return isServed ? answer : null
  }

  /** The same as the administrator, who signs in again when the session is over. */
  async useAsStaff(door: DoorName, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await this.use(door, path, {
      method,
      headers: { 'X-Session-Hash': this.program.session, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (answer?.status !== 401 && answer?.status !== 403) return answer
    await this.signIn()
    return null
  }

  /** Once, however many find at the same moment that it is needed. */
  async signIn(): Promise<void> {
    this.#signingIn ??= this.program
      .signIn()
      .catch(() => {})
      .finally(() => {
        this.#signingIn = null
      })
    await this.#signingIn
  }
}
