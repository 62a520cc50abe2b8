import fc from 'fast-check'
import t from 'tap'
import { type Day, dayOf, startOfDay } from '../../../src/domain/calendar.ts'
import { BillingFixture } from '../../support/billing.ts'
import { SharedDatabase } from '../../support/database.ts'
import { costOf, dayAfter, dayOfWall, type Mode, type Run, type Use, type Used } from './days-of-use.ts'

/**
 * Months of nights in which clients block themselves, switch a service, change their tariff, are frozen, and the worker
 * is away for days, each at any hour: at midnight, in the minutes before the run, on the days on which the clocks
 * change. What each of them has paid in the end is what days-of-use.ts says. `YEAR_SEED=<n>` runs one case again, and
 * `YEAR_RUNS` sets how many there are for each mode.
 */
const shared = await SharedDatabase.open(t)

const runs = Number(process.env.YEAR_RUNS ?? 1)
const seeds = process.env.YEAR_SEED
  ? [Number(process.env.YEAR_SEED)]
  : Array.from({ length: 2 * runs }, (_, index) => 2 * Math.floor(Math.random() * 2 ** 30) + (index % 2))
const nights = Number(process.env.YEAR_NIGHTS ?? 60)
const people = 8

const zones = ['Europe/Moscow', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kolkata', 'Atlantic/Azores', 'Pacific/Apia']
/** Before a leap day, a usual end of February, a year's end, and clocks that go forward and back. */
const starts = [
  '2028-01-20',
  '2026-01-20',
  '2026-12-05',
  '2026-03-01',
  '2026-10-01',
  '2018-10-10',
  '2018-01-20',
  '2011-12-01',
]
const prices = [60_000, 90_001, 0] as const
const servicePrice = 30_017
const minute = 60_000

type Deed = 'away' | 'back' | 'off' | 'on' | 'tariff' | 'freeze' | 'wake'

const deed = fc.record({
  who: fc.integer({ min: 0, max: people - 1 }),
  what: fc.constantFrom<Deed[]>('away', 'back', 'off', 'on', 'tariff', 'freeze', 'wake'),
  when: fc.oneof(
    fc.constantFrom(0, 1, 2 * minute, 4 * minute, 6 * minute, 12 * 60 * minute, -1, -10 * minute),
    fc.integer({ min: 0, max: 22 * 60 * minute }),
  ),
  tariff: fc.integer({ min: 1, max: 3 }),
  days: fc.integer({ min: 1, max: 6 }),
})

const plan = fc.record({
  zone: fc.constantFrom(...zones),
  start: fc.constantFrom(...starts),
  deeds: fc.array(fc.array(deed, { maxLength: 4 }), { minLength: nights, maxLength: nights }),
  /** How many nights the worker is away. */
  away: fc.array(fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 6 })), {
    minLength: nights,
    maxLength: nights,
  }),
  /** On which night a contract begins, and when on that day; below zero: long ago. */
  begins: fc.array(fc.record({ night: fc.integer({ min: -20, max: 40 }), at: fc.integer({ min: 0, max: 20 }) }), {
    minLength: people,
    maxLength: people,
  }),
})

/** One subscriber with a tariff and a service, as this test has done it. */
class Person {
  readonly id: number
  readonly link: number
  readonly story: string[] = []
  isAway = false
  isOn = true
  sleepUntil = 0
  tariff = 1
  readonly #ofTariff: Mutable = { uses: [], changes: [] }
  readonly #ofService: Mutable = { uses: [], changes: [] }

  constructor(id: number, link: number, begins: number) {
    this.id = id
    this.link = link
    this.#follow(begins)
  }

  isPresent(at: number): boolean {
    return !this.isAway && this.sleepUntil <= at
  }

  /** Its uses from a moment on, after something has changed. */
  #follow(at: number): void {
    const price = prices[this.tariff - 1]!
    setUse(this.#ofTariff, this.isPresent(at) ? price : null, at)
    setUse(this.#ofService, this.isPresent(at) && this.isOn ? servicePrice : null, at)
  }

  change(at: number, what: Partial<Pick<Person, 'isAway' | 'isOn' | 'sleepUntil' | 'tariff'>>): void {
    const before = this.tariff
    if (what.tariff !== undefined && what.tariff !== before)
      this.#ofTariff.changes.push({ at, before: prices[before - 1]!, after: prices[what.tariff - 1]! })
    Object.assign(this, what)
    this.#follow(at)
  }

  /** A freeze that has ended by itself. */
  pass(at: number): void {
    if (this.sleepUntil > 0 && this.sleepUntil <= at) {
      const wokenAt = this.sleepUntil
      this.sleepUntil = 0
      this.#follow(wokenAt)
    }
  }

  get used(): readonly [tariff: Used, service: Used] {
    return [this.#ofTariff, this.#ofService]
  }
}

type Mutable = { uses: Use[]; changes: Used['changes'][number][] }

/** What is in use from now on, by its price; null: nothing. */
function setUse({ uses }: Mutable, price: number | null, at: number): void {
  const last = uses.at(-1)
  const isOpen = last !== undefined && last.to === Number.POSITIVE_INFINITY
  if (isOpen && price === last.price) return
  if (isOpen) {
    uses.pop()
    if (last.from < at) uses.push({ ...last, to: at })
  }
  if (price !== null) uses.push({ from: at, to: Number.POSITIVE_INFINITY, price })
}

const iso = (at: number) => new Date(at).toISOString()

async function act(fixture: BillingFixture, person: Person, { what, tariff, days }: Deeds, at: number): Promise<void> {
  const { id, link } = person
  fixture.at(iso(at))
  const isPresent = person.isPresent(at)
  if (what === 'away' && isPresent) {
    await fixture.block(id, 'client', true)
    person.change(at, { isAway: true })
  } else if (what === 'back' && person.isAway) {
    await fixture.block(id, 'client', false)
    person.change(at, { isAway: false })
  } else if (what === 'off' && person.isOn) {
    await fixture.switchOff(link, iso(at))
    person.change(at, { isOn: false })
  } else if (what === 'on' && !person.isOn) {
    await fixture.switchOn(link, iso(at))
    person.change(at, { isOn: true })
  } else if (what === 'tariff' && isPresent && tariff !== person.tariff) {
    await fixture.tariff(id, tariff)
    person.change(at, { tariff })
  } else if (what === 'freeze' && isPresent) {
    const until = at + days * 86_400_000
    await fixture.freeze(id, iso(until))
    person.change(at, { sleepUntil: until })
  } else if (what === 'wake' && person.sleepUntil > 0) {
    await fixture.wake(id)
    person.change(at, { sleepUntil: 0 })
  } else return
  person.story.push(`${iso(at)} ${what}${what === 'tariff' ? ` ${tariff}` : ''}`)
}

type Deeds = { readonly what: Deed; readonly tariff: number; readonly days: number }

for (const seed of seeds) {
  const mode: Mode = seed % 2 === 0 ? 'monthly' : 'daily'
  t.test(`what ${people} people pay in ${nights} nights, ${mode}, is what YEAR_SEED=${seed} says`, async (t) => {
    const [chosen] = fc.sample(plan, { seed, numRuns: 1 })
    const { zone, start, deeds, away, begins } = chosen!
    const midnight = (day: string) => startOfDay(day as Day, zone).getTime()
    const fixture = await BillingFixture.open(t, shared, iso(midnight(start) + 5 * minute), {
      TIME_ZONE: zone,
      TARIFF_CHARGE_MODE: mode,
    })
    await fixture.sql('UPDATE tarifs SET price = $2 * 100000000::int8 WHERE id = $1', [1, prices[0]])
    await fixture.sql('UPDATE tarifs SET price = $2 * 100000000::int8 WHERE id = $1', [2, prices[1]])
    const service = await fixture.usluga({ price: servicePrice * 100_000_000 })
    const persons: Person[] = []
    const done: Run[] = []
    let through = start
    const run = async (day: string) => {
      const at = midnight(day) + 5 * minute
      fixture.at(iso(at))
      await fixture.run()
      done.push({ at, since: through })
      through = dayOfWall(at, zone)
    }
    const create = async (index: number, day: string) => {
      const { night, at } = begins[index]!
      const from = night < 0 ? midnight(day) - 90 * 86_400_000 : midnight(day) + at * 60 * minute
      const id = index + 1
      await fixture.subscriber(id, { create_date: iso(from) })
      persons[index] = new Person(id, await fixture.link(id, service, { create_date: iso(from) }), from)
    }
    let skipped = 0
    let day = start
    for (let night = 0; night < nights; night++, day = dayAfter(day)) {
      // A day that the zone has skipped begins with the next one.
      if (dayOfWall(midnight(day), zone) !== day) continue
      for (const [index, { night: first }] of begins.entries())
        if (Math.max(first, 0) === night) await create(index, day)
      const moments = deeds[night]!.map((one) => ({
        ...one,
        at: one.when < 0 ? midnight(dayAfter(day)) + one.when : midnight(day) + one.when,
      }))
        .filter(({ at }) => dayOfWall(at, zone) === day)
        .sort((a, b) => a.at - b.at)
      const perform = async (isEarly: boolean) => {
        for (const one of moments) {
          const person = persons[one.who]
          if (!person || one.at < midnight(day) + 5 * minute !== isEarly) continue
          if (one.at <= person.used[0].uses[0]!.from) continue
          person.pass(one.at)
          await act(fixture, person, one, one.at)
        }
      }
      await perform(true)
      skipped = skipped > 0 ? skipped - 1 : night === 0 ? 0 : away[night]!
      for (const person of persons) person?.pass(midnight(day) + 5 * minute)
      if (skipped === 0) await run(day)
      await perform(false)
    }
    for (let last = 0; last < 2; last++, day = dayAfter(day)) {
      for (const person of persons) person?.pass(midnight(day) + 5 * minute)
      await run(day)
    }
    const found = await fixture.sql(`SELECT abonent_id::int AS id, usluga_id IS NULL AS tariff,
        -sum(op_summa) / 100000000 AS paid FROM finance_operations GROUP BY 1, 2`)
    for (const person of persons) {
      if (!person) continue
      for (const [at, used] of person.used.entries()) {
        const row = found.find(({ id, tariff }) => id === person.id && tariff === (at === 0))
        const paid = Number(row?.paid ?? 0)
        const expected = costOf(used, mode, done, zone)
        if (paid === expected) continue
        const lines = await fixture.lines(person.id)
        t.fail(
          `${zone} ${start}: ${at === 0 ? 'tariff' : 'service'} of ${person.id}: ${paid}, where it should be ${expected}`,
          {
            story: [`from ${iso(used.uses[0]!.from)}`, ...person.story],
            runs: done.map(({ at, since }) => `${since}..${dayOf(new Date(at), zone)}`).join(' '),
            lines,
          },
        )
      }
    }
    t.pass(`${done.length} runs`)
  })
}
