import { Dice } from './dice.ts'

/** Subscribers of the demo provider. */
const subscribersMax = 300

/** Every demo login has this password, so that visitors can send RADIUS requests themselves. */
export const demoPassword = 'demo'

/** What is special about a subscriber; most are `usual`. */
type Lot =
  | 'usual'
  /** The last month is not paid. */
  | 'debtor'
  /** As a debtor, with a promise payment that has just begun. */
  | 'promised'
  /** Paid late last month, with a promise payment in between. */
  | 'late'
  /** A cashier mistyped a payment, which was reversed. */
  | 'mistyped'
  | 'blocked'
  | 'onHoliday'
  | 'frozen'
  | 'switchedOff'
  | 'deleted'
  /** Moved to a faster tariff. */
  | 'faster'

export type Person = {
  readonly index: number
  readonly name: string
  readonly contract: string
  readonly isCompany: boolean
  readonly phone: string | null
  readonly email: string | null
  readonly lot: Lot
  /** A place in `tariffs` and one in the list of houses. */
  readonly tariff: number
  readonly house: number
  readonly flat: number
  /** Days since the contract was made. */
  readonly days: number
  readonly logins: readonly Line[]
}

export type Line = {
  readonly login: string
  readonly station: string
  /** Most get an address of the home pool. */
  readonly address: 'home' | 'narrow' | 'own'
  /** What the router really sends; null: it has the right password. */
  readonly wrongPassword: string | null
  /** How much it is used, in hundredths of a heavy client. */
  readonly appetite: number
}

export const housesMax = 30

/** Of a line that has an address of its own. No two subscribers have the same. */
export const ownAddress = ({ index }: Pick<Person, 'index'>): string =>
  `10.64.${4 + (index >> 7)}.${10 + (index & 127)}`

const surnames = [
  'Иванов',
  'Смирнов',
  'Кузнецов',
  'Попов',
  'Соколов',
  'Лебедев',
  'Козлов',
  'Новиков',
  'Морозов',
  'Волков',
  'Зайцев',
  'Павлов',
  'Семёнов',
  'Голубев',
  'Виноградов',
]
const names = ['Алексей', 'Борис', 'Виктор', 'Григорий', 'Дмитрий', 'Евгений', 'Иван', 'Константин', 'Михаил', 'Павел']
const fathers = ['Андреевич', 'Васильевич', 'Иванович', 'Николаевич', 'Петрович', 'Сергеевич', 'Юрьевич']
const companies = ['Ромашка', 'Вектор', 'Северный берег', 'Мастерская окон', 'Аптека на Мира', 'Хлебный двор']

/** The lots that are drawn by the last two digits of the number; one hundred has one of each but for debtors. */
const lots: Readonly<Record<number, Lot>> = {
  ...{ 3: 'debtor', 13: 'debtor', 23: 'debtor', 33: 'debtor', 43: 'debtor', 53: 'debtor', 63: 'debtor', 73: 'debtor' },
  ...{ 83: 'promised', 93: 'promised', 7: 'late', 17: 'late', 29: 'late', 37: 'mistyped', 57: 'mistyped' },
  ...{ 11: 'blocked', 51: 'onHoliday', 61: 'frozen', 71: 'switchedOff', 81: 'deleted', 19: 'faster', 69: 'faster' },
}

/** The subscribers, the same at every start. */
export function demoPeople(): Person[] {
  const dice = new Dice(2026)
  return Array.from({ length: subscribersMax }, (_, index) => personOf(index, dice))
}

function personOf(index: number, dice: Dice): Person {
  const number = index + 1
  const isCompany = index % 50 === 9
  const lot = lots[number % 100] ?? 'usual'
  const login = `demo${String(number).padStart(3, '0')}`
  const hasSecondLine = isCompany || index % 40 === 5
  return {
    index,
    name: isCompany
      ? `ООО «${companies[(index - 9) / 50]}»`
      : `${dice.pick(surnames)} ${dice.pick(names)} ${dice.pick(fathers)}`,
    contract: String(number).padStart(6, '0'),
    isCompany,
    phone: index % 12 === 7 ? null : `7900${String(1_000_000 + index * 7_919).slice(-7)}`,
    email: index % 3 === 0 ? `${login}@example.org` : null,
    lot,
    tariff: isCompany ? 3 : dice.pick([0, 0, 1, 1, 1, 2, 2]),
    house: dice.below(housesMax),
    flat: 1 + dice.below(120),
    // Some have come within the quarter, as they do; promise payments are for those who have been here for a month.
    days: lot === 'usual' && index % 6 === 4 ? 1 + dice.below(85) : 100 + dice.below(900),
    logins: [lineOf(login, index, 0, dice), ...(hasSecondLine ? [lineOf(`${login}-2`, index, 1, dice)] : [])],
  }
}

const lineOf = (login: string, index: number, second: number, dice: Dice): Line => ({
  login,
  station: `02-00-00-0${second}-${hex(index >> 8)}-${hex(index & 255)}`,
  address: second === 1 ? 'own' : index % 16 === 3 ? 'narrow' : 'home',
  wrongPassword: index % 97 === 86 ? 'Demo' : null,
  appetite: 5 + dice.below(dice.below(4) === 0 ? 95 : 35),
})

const hex = (byte: number) => byte.toString(16).padStart(2, '0').toUpperCase()
