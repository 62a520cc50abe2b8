import { momentOf } from '../moments.ts'
import { type Money, negated, zero } from '../../../domain/money.ts'
import { exactRubles } from '../money.ts'
import { passwordOf } from '../passwords.ts'
import {
  type MovedLogin,
  type MovedPassword,
  type MovedRecord,
  type MovedSubscriber,
  type MovedTariff,
  plainLogin,
  plainSubscriber,
  remark,
} from '../records.ts'
import { type CsvFile, joinCsv, placeOf } from '../tables/csv.ts'
import { type Row, SourceFault } from '../tables/tables.ts'
import type { Mapping, Target, TariffTerms } from './mapping.ts'

/**
 * The subscribers of a CSV file by a mapping. Lines of one contract number are one subscriber with a login of each; the
 * first line says what else is known of him.
 */
export function* mappedRecords(
  first: CsvFile,
  mapping: Mapping,
  open: (file: string) => CsvFile,
  zone: string,
): Generator<MovedRecord> {
  const { with: other } = mapping
  const file = other === null ? first : joinCsv(first, other.is, open(other.file), other.column, other.name)
  const named = Object.values(mapping.columns).flat()
  const missing = named.find((column) => !file.columns.includes(column.toLowerCase()))
  if (missing !== undefined)
    throw new SourceFault(`${file.name} has no column "${missing}"; it has ${file.columns.join(', ')}.`)
  const tariffs = Object.entries(mapping.tariffs).map(([name, terms]) => tariffOf(name, terms))
  const remarks: MovedRecord[] = []
  const subscribers = new Map<string, MovedSubscriber>()
  for (const row of file.rows) {
    const line = new MappedLine(file, row, mapping, zone)
    const number = line.text('contract_number')
    if (number === null) throw new SourceFault(`${line.place}: the contract number is empty.`)
    const login = line.login()
    const whose = subscribers.get(number) ?? line.subscriber(number)
    subscribers.set(number, login === null ? whose : { ...whose, logins: [...whose.logins, login] })
    remarks.push(...line.remarks)
  }
  // Nothing is told, and so nothing made, before every line was read.
  yield* tariffs
  yield* remarks
  yield* subscribers.values()
}

function tariffOf(name: string, { price, down_mbit, up_mbit }: TariffTerms): MovedTariff {
  const cost = price === undefined ? zero : exactRubles(price)
  if (cost === null || cost < zero) throw new SourceFault(`The tariff "${name}" of the mapping has no price.`)
  const down = down_mbit ?? up_mbit
  const speed = down === undefined ? null : { downKbit: down * 1000, upKbit: (up_mbit ?? down) * 1000 }
  return { kind: 'tariff', place: `mapping, tariff "${name}"`, name, price: cost, speed, reply: [] }
}

const yes = /^(?:1|y|yes|true|on|да)$/i
const no = /^(?:0|n|no|false|off|нет)$/i

/** One line of the file by the names of its targets. Throws SourceFault where a value is none. */
class MappedLine {
  readonly place: string
  readonly remarks: MovedRecord[] = []
  readonly #row: Row
  readonly #mapping: Mapping
  readonly #zone: string

  constructor(file: CsvFile, row: Row, mapping: Mapping, zone: string) {
    this.place = placeOf(file, row)
    this.#row = row
    this.#mapping = mapping
    this.#zone = zone
  }

  /** What the columns of the target say, in our words; null: nothing. */
  text(target: Target): string | null {
    const columns = [this.#mapping.columns[target] ?? []].flat()
    const texts = columns.map((column) => this.#row[column.toLowerCase()] ?? '')
    // Spaces may belong to a password.
    const trimmed = target === 'password' ? texts : texts.map((one) => one.trim()).filter(Boolean)
    const text = trimmed.join(' ')
    const words = this.#mapping.values[target]
    const word = words !== undefined && Object.hasOwn(words, text) ? words[text]! : text
    return word === '' ? null : word
  }

  subscriber(number: string): MovedSubscriber {
    const balance = this.#money('balance') ?? zero
    const [amount, until] = [this.#money('promise'), this.#date('promise_until')]
    if ((amount === null) !== (until === null))
      this.remarks.push(remark(this.place, 'a promise payment needs its amount and its end'))
    return {
      ...plainSubscriber(this.place, number, this.text('name') ?? number),
      ...{ company: this.#truth('company'), email: this.text('email'), phone: this.text('phone') },
      ...{ address: this.text('address'), comment: this.text('comment'), tariff: this.text('tariff') },
      ...{ balance: this.#mapping.debts ? negated(balance) : balance, limit: this.#money('limit') },
      blocked: this.#blocked(),
      promise: amount !== null && until !== null ? { amount, until } : null,
    }
  }

  login(): MovedLogin | null {
    const login = this.text('login')
    if (login === null) return null
    return {
      ...plainLogin(this.place, login, this.#password()),
      ...{ ip: this.text('ip'), ipv6Prefix: this.text('ipv6_prefix'), mac: this.text('mac'), pool: this.text('pool') },
      delegatedIpv6Prefix: this.text('delegated_ipv6_prefix'),
      ...{ simultaneousUse: this.#number('simultaneous_use'), vlan: this.#number('vlan') },
      disabled: this.#truth('disabled'),
    }
  }

  #password(): MovedPassword {
    const text = this.text('password')
    if (text === null) return { kind: 'unreadable', why: 'is not there' }
    const { passwords } = this.#mapping
    const password = passwordOf(passwords, text)
    if (password === null)
      throw new SourceFault(`"${passwords}" of the mapping is no password attribute of FreeRADIUS.`)
    return password
  }

  #blocked(): MovedSubscriber['blocked'] {
    const word = this.text('blocked')
    if (word === null || no.test(word)) return null
    if (yes.test(word)) return 'operator'
    if (word === 'operator' || word === 'client') return word
    return this.#refuse('blocked', word, 'operator, client, yes or no; say in `values` what it means')
  }

  #truth(target: Target): boolean {
    const word = this.text(target)
    if (word === null || no.test(word)) return false
    return yes.test(word) ? true : this.#refuse(target, word, 'yes or no; say in `values` what it means')
  }

  #money(target: Target): Money | null {
    const text = this.text(target)
    if (text === null) return null
    return (
      exactRubles(text.replaceAll(/[\s\u00a0\u202f]/g, '')) ?? this.#refuse(target, text, 'an amount such as -12.50')
    )
  }

  #number(target: Target): number | null {
    const text = this.text(target)
    if (text === null) return null
    return /^\d{1,6}$/.test(text) ? Number(text) : this.#refuse(target, text, 'a number')
  }

  #date(target: Target): Date | null {
    const text = this.text(target)
    if (text === null) return null
    const date = /^\d{4}-\d\d-\d\d/.test(text) ? momentOf(text, this.#zone) : null
    return date ?? this.#refuse(target, text, 'a date such as 2026-12-01')
  }

  #refuse(target: Target, text: string, must: string): never {
    throw new SourceFault(`${this.place}: ${target} "${text.slice(0, 60)}" is not ${must}.`)
  }
}
