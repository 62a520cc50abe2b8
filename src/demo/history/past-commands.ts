import type { AccountCommand } from '../../billing/accounts/messages.ts'
import { type Author, systemAuthor } from '../../domain/author.ts'
import { dayOf, firstDay, type Month, monthBefore, monthOf, startOfDay, wholeMonth } from '../../domain/calendar.ts'
import { chargeText } from '../../domain/charge-words.ts'
import { type AccountId, accountId, loginId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { chargeKeys, paymentKey } from '../../domain/money-keys.ts'
import { type Money, moneyFromUnits, rubles } from '../../domain/money.ts'
import { operationTypes } from '../../domain/operation.ts'
import type { Dice } from '../dice.ts'
import { type DemoClient, type Provider, tariffs } from '../provider.ts'

/** A command that an account was given in the past. */
export type PastCommand = {
  readonly at: Date
  readonly account: AccountId
  readonly author: Author
  readonly command: AccountCommand
}

/** The default of TIME_ZONE. */
export const zone = 'Europe/Moscow'
export const historyDays = 90

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How many days ago the lines of some were closed. */
export const closedDays: { readonly [lot in DemoClient['person']['lot']]?: number } = {
  ...{ blocked: 9, onHoliday: 6, frozen: 4, switchedOff: 3, deleted: 12 },
}

/** All that has happened to the accounts in the last quarter, in its order. */
export function allPastCommands(provider: Provider, now: Date, dice: Dice): PastCommand[] {
  const months = chargedMonths(now)
  return provider.clients
    .flatMap((client) => pastCommandsOf(client, provider, months, now, dice))
    .filter(({ at }) => at <= now)
    .sort((a, b) => a.at.getTime() - b.at.getTime())
}

/** The months whose first day is within the quarter, the oldest first. */
function chargedMonths(now: Date): Month[] {
  const months: Month[] = []
  let month = monthOf(dayOf(now, zone))
  while (beginOf(month).getTime() > now.getTime() - historyDays * day) {
    months.unshift(month)
    month = monthBefore(month)
  }
  return months
}

const beginOf = (month: Month): Date => startOfDay(firstDay(month), zone)

function pastCommandsOf(
  client: DemoClient,
  provider: Provider,
  months: readonly Month[],
  now: Date,
  dice: Dice,
): readonly PastCommand[] {
  const { person, since } = client
  const book = new Book(client, provider, dice)
  const tariff = tariffs[person.tariff]!
  const charged = months.filter((month) => beginOf(month) > since)
  // Who has just come pays for the rest of the month at once.
  if (since.getTime() > now.getTime() - historyDays * day) {
    const first = new Date(since.getTime() + 20 * minute)
    book.pay(first, tariff.price)
    book.charge(new Date(first.getTime() + minute), monthOf(dayOf(since, zone)), tariff)
  }
  for (const [at, month] of charged.entries()) {
    const isLast = at === charged.length - 1
    const begins = beginOf(month)
    const isUnpaid = isLast && (person.lot === 'debtor' || person.lot === 'promised')
    if (isLast && person.lot === 'late') book.payLate(begins, tariff.price)
    else if (!isUnpaid) book.pay(atDesk(new Date(begins.getTime() - (1 + dice.below(6)) * day), dice), tariff.price)
    book.charge(begins, month, tariff)
  }
  addTopUps(book, person.lot, now, dice)
  addLot(book, client, provider, now, dice)
  return book.commands
}

/** Somebody is at a desk or a telephone in the daytime. */
const atDesk = (date: Date, dice: Dice): Date =>
  new Date(startOfDay(dayOf(date, zone), zone).getTime() + (9 * 60 + dice.below(12 * 60)) * minute)

function addTopUps(book: Book, lot: DemoClient['person']['lot'], now: Date, dice: Dice): void {
  if (lot === 'debtor' || lot === 'promised' || lot === 'deleted') return
  const earlier = () =>
    new Date(Math.max(now.getTime() - dice.below(historyDays * 24) * hour, book.since.getTime() + day))
  if (dice.below(2) === 0) book.pay(atDesk(earlier(), dice), rubles(50 * (1 + dice.below(12))))
  // The last days are looked at most.
  if (dice.below(4) === 0)
    book.pay(new Date(now.getTime() - dice.below(72 * 60) * minute), rubles(100 + 50 * dice.below(8)))
  if (dice.below(8) === 0) book.expend(atDesk(earlier(), dice), rubles(100), 'Выезд мастера')
}

/** What is special about the client. */
function addLot(book: Book, { person, logins }: DemoClient, provider: Provider, now: Date, dice: Dice): void {
  const { id } = book
  const { lot } = person
  const closedAt = atDesk(new Date(now.getTime() - (closedDays[lot] ?? 0) * day), dice)
  const block = (reason: 'operator' | 'client') =>
    book.order(closedAt, { kind: 'setBlock', subscriberId: id, reason, on: true })
  if (lot === 'promised') book.promise(new Date(now.getTime() - (2 + dice.below(30)) * hour))
  if (lot === 'mistyped') book.mistype(atDesk(new Date(now.getTime() - (1 + dice.below(20)) * day), dice))
  if (lot === 'blocked') block('operator')
  if (lot === 'onHoliday') block('client')
  if (lot === 'frozen')
    book.order(closedAt, { kind: 'setTerms', terms: { sleepUntil: new Date(now.getTime() + 26 * day) } })
  if (lot === 'switchedOff') book.order(closedAt, { kind: 'setLogin', loginId: loginId(logins[0]!.id), enabled: false })
  if (lot === 'deleted') book.order(closedAt, { kind: 'setDeleted', subscriberId: id, deleted: true })
  if (lot === 'faster') {
    const tariffId = provider.tariffs[Math.min(person.tariff + 1, 2)]!
    const at = atDesk(new Date(now.getTime() - (2 + dice.below(15)) * day), dice)
    book.order(at, { kind: 'changeTariff', subscriberId: id, tariffId })
  }
}

/** Writes down what happens to one client. */
class Book {
  readonly commands: PastCommand[] = []
  readonly id: SubscriberId
  readonly since: Date
  readonly #account: AccountId
  readonly #number: string
  readonly #staff: Pick<Provider, 'cashier' | 'support'>
  readonly #dice: Dice

  constructor(
    { account, subscriber, person, since }: DemoClient,
    staff: Pick<Provider, 'cashier' | 'support'>,
    dice: Dice,
  ) {
    this.id = subscriberId(subscriber)
    this.since = since
    this.#account = accountId(account)
    this.#number = person.contract
    this.#staff = staff
    this.#dice = dice
  }

  order(at: Date, command: AccountCommand, { id, name } = this.#staff.support): void {
    this.commands.push({ at, account: this.#account, author: { staffId: id, name, address: '10.1.0.12' }, command })
  }

  /** Through one of the gateways, at a terminal, or in cash. */
  pay(at: Date, amount: Money): void {
    const way = this.#dice.below(10)
    if (way < 4) this.#byGateway(at, amount, operationTypes.gatewayA, 'gwa')
    else if (way < 6) this.#byGateway(at, amount, operationTypes.gatewayB, 'gwb')
    else if (way < 8) this.#byGateway(at, amount, operationTypes.cashDesk, 'terminal')
    else this.#inCash(at, amount)
  }

  /** The payment comes days after the charge; a promise payment keeps the line open until then. */
  payLate(charged: Date, amount: Money): void {
    this.order(new Date(charged.getTime() + 10 * hour), {
      kind: 'activatePromise',
      subscriberId: this.id,
      path: 'client',
      limit: null,
      until: null,
    })
    this.pay(atDesk(new Date(charged.getTime() + 3 * day), this.#dice), amount)
  }

  promise(at: Date): void {
    this.order(at, { kind: 'activatePromise', subscriberId: this.id, path: 'client', limit: null, until: null })
  }

  /** A zero too many, which is reversed and paid again as it was meant. */
  mistype(at: Date): void {
    const meant = rubles(500)
    this.#inCash(at, moneyFromUnits(meant * 10n))
    this.order(new Date(at.getTime() + 2 * minute), { kind: 'reverse', operationId: null }, this.#staff.cashier)
    this.#inCash(new Date(at.getTime() + 3 * minute), meant)
  }

  expend(at: Date, amount: Money, description: string): void {
    this.#post(at, { typeId: operationTypes.manualExpense, sign: -1, amount, description, details: {}, keys: [] })
  }

  /** With the key of billing_worker, so that it does not charge this month again. */
  charge(at: Date, month: Month, { name, price }: { name: string; price: Money }): void {
    this.#post(
      at,
      {
        typeId: operationTypes.tariffCharge,
        sign: -1,
        amount: price,
        description: chargeText.tariff(name, wholeMonth(month)),
        details: {},
        keys: [chargeKeys.tariff.of(this.id, month)],
      },
      systemAuthor('billing_worker'),
    )
  }

  #byGateway(at: Date, amount: Money, typeId: number, operatorName: string): void {
    const operatorPayId = `${at.getTime().toString(36)}-${this.#number}`
    const keys = [paymentKey.of(operatorName, operatorPayId)]
    const description = typeId === operationTypes.cashDesk ? 'Терминал' : 'Оплата через интернет'
    const posting = { typeId, sign: 1, amount, description, details: { operatorName, operatorPayId }, keys } as const
    this.#post(at, posting, systemAuthor(operatorName))
  }

  #inCash(at: Date, amount: Money): void {
    const posting = { typeId: operationTypes.manualReceipt, sign: 1, amount, description: 'Наличные в офисе' } as const
    const { id, name } = this.#staff.cashier
    this.#post(at, { ...posting, details: { isCash: true }, keys: [] }, { staffId: id, name, address: '10.1.0.10' })
  }

  #post(
    at: Date,
    posting: Omit<Extract<AccountCommand, { kind: 'post' }>, 'kind' | 'subscriberId' | 'movedAt'>,
    author: Author = systemAuthor('demo'),
  ): void {
    const command = { kind: 'post', subscriberId: this.id, movedAt: at, ...posting } as const
    this.commands.push({ at, account: this.#account, author, command })
  }
}
