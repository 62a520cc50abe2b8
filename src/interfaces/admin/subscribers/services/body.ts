import { readId, readSignedId } from '../../../../domain/ids.ts'
import { readDate, readMoment } from '../../../../domain/iso-dates.ts'
import { type Money, parseRubles } from '../../../../domain/money.ts'
import { readText } from '../../../../domain/text.ts'
import type { Call, Reply } from '../../../../platform/http/call.ts'
import { boolean } from '../../../../platform/settings/kinds.ts'
import { isAbsent, isSet, readBody, wrongField } from '../../accounts/body.ts'

/** What a body asks for. A field that is left out stays as it is; null of `summ`, `endTime` and `comment` takes it away. */
export type ServiceWish = {
  readonly subscriberId?: number
  readonly uslugaId?: number
  readonly summ?: Money | null
  readonly countt?: number
  /** A moment as PostgreSQL reads it in TIME_ZONE. */
  readonly endTime?: string | null
  readonly enabled?: boolean
  readonly comment?: string | null
  /** `_delete=1` */
  readonly deletes: boolean
}

const countMax = 1000

export function readServiceWish(call: Call): { wish: ServiceWish } | { refused: Reply } {
  const body = readBody(call)
  if ('refused' in body) return body
  const { fields } = body
  const wish: { -readonly [K in keyof ServiceWish]: ServiceWish[K] } = { deletes: isSet(fields._delete ?? '') }
  const readers: Readonly<Record<string, (value: unknown) => string | null>> = {
    abonent_id: (value) => {
      const id = readId(value)
      if (id === null) return 'be an id'
      wish.subscriberId = id
      return null
    },
    usluga_id: (value) => {
      // Services of promise payments have ids below zero.
      const id = readSignedId(value)
      if (id === null) return 'be an id'
      wish.uslugaId = id
      return null
    },
    summ: (value) => {
      const amount = isAbsent(value) ? null : parseRubles(value)
      if (!isAbsent(value) && (amount === null || amount < 0n))
        return 'be an amount in rubles, zero or more, with at most two places'
      wish.summ = amount
      return null
    },
    countt: (value) => {
      const count = /^\s*\d{1,4}\s*$/.test(String(value)) ? Number(value) : 0
      if (count < 1 || count > countMax) return `be a whole number from 1 to ${countMax}`
      wish.countt = count
      return null
    },
    end_time: (value) => {
      const end = isAbsent(value) ? null : typeof value === 'string' ? endText(value.trim()) : null
      if (!isAbsent(value) && end === null) return 'be a day such as 2026-12-31 or an ISO 8601 time'
      wish.endTime = end
      return null
    },
    enabled: (value) => {
      const enabled = boolean.read(value)
      if (enabled === null) return 'be true or false'
      wish.enabled = enabled
      return null
    },
    comment: (value) => {
      const text = isAbsent(value) ? null : readText(value, 1000)
      if (!isAbsent(value) && text === null) return 'be text of at most 1000 characters'
      wish.comment = text
      return null
    },
  }
  for (const [name, read] of Object.entries(readers)) {
    if (!Object.hasOwn(fields, name)) continue
    const must = read(fields[name])
    if (must !== null) return { refused: wrongField(name, must) }
  }
  return { wish }
}

/** A bare date is the end of that day, which belongs to the term. */
const endText = (text: string): string | null => (readDate(text) ? `${text}T23:59:59.999` : readMoment(text))
