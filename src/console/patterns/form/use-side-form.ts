import { useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useMemo, useRef, useState } from 'react'
import type { Endpoint } from '../../api/client.ts'
import { useDraft } from '../../api/drafts.ts'
import { newKey } from '../../api/key.ts'
import { forget } from '../../api/use-endpoint.ts'
import { commonTexts } from '../../frame/texts.ts'
import { type DateKind, isDate } from '../../format/typed-dates.ts'
import { useSayFields, useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { useIsThere } from '../late.ts'
import { told } from '../told.ts'

type Values = Readonly<Record<string, string | number | boolean | null>>

/** What is wrong with the values that were sent: a text for each wrong field. */
type Faults = { readonly of: Values; readonly says: Readonly<Record<string, string>> }

type Options<V extends Values, A> = {
  readonly initial: V
  /** Sends the values. With the key a repeat of the same values does not move money twice. */
  readonly send: (values: V, key: string) => Promise<A>
  /** After an answer: what was known by these endpoints is asked for anew. */
  readonly outdated?: readonly Extract<Endpoint, `GET ${string}`>[]
  readonly onDone: (answer: A) => void
  /** False: the address does not say whose form it is, so that nothing is put into another one after a sign-in. */
  readonly isKept?: boolean
  /** The fields with a date, of which what is none is not sent. */
  readonly dates?: Partial<Record<keyof V & string, DateKind>>
  /** What is wrong before anything is sent: a text for each wrong field. */
  readonly check?: (values: V) => Partial<Record<keyof V, string>>
}

export type SideFormState = ReturnType<typeof useSideForm>

/**
 * The values of a form, what is wrong with them, and the sending. Nothing that was typed is lost by a refusal. Whoever
 * has closed the form before the answer is told in the head that it was refused.
 */
export function useSideForm<V extends Values, A>(options: Options<V, A>) {
  const { initial, send, outdated = [], onDone, check, dates = {} } = options
  const sayWrongDates = useWrongDates()
  const say = useSayRefusal()
  const sayFields = useSayFields()
  const queries = useQueryClient()
  const [values, setValues] = useDraft(initial, options.isKept)
  const [faults, setFaults] = useState<Faults>({ of: initial, says: {} })
  const [refusal, setRefusal] = useState<string | null>(null)
  const [refused, setRefused] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const isThere = useIsThere()
  const key = useRef({ of: '', key: '' })
  const errors = useMemo(() => standing(faults, values), [faults, values])
  const set = (change: Partial<V>) => setValues((before) => ({ ...before, ...change }))
  const submit = async (change: Partial<V> = {}) => {
    if (isBusy) return
    const sent = { ...values, ...change }
    setValues(sent)
    const says = saidOf({ ...sayWrongDates(sent, dates), ...check?.(sent) })
    setRefusal(null)
    setFaults({ of: sent, says })
    if (Object.keys(says).length > 0) return setRefused((times) => times + 1)
    setBusy(true)
    try {
      const answer = await send(sent, keyFor(key.current, sent))
      await forget(queries, outdated)
      onDone(answer)
    } catch (error) {
      if (!isThere()) return told.failed(say(error))
      setFaults({ of: sent, says: sayFields(error) })
      setRefusal(say(error))
      setRefused((times) => times + 1)
    } finally {
      setBusy(false)
    }
  }
  return {
    values,
    set,
    refusal,
    /** How often. */
    refused,
    isBusy,
    /** The names of the wrong fields; the first of them takes the focus. */
    wrong: useMemo(() => Object.keys(errors), [errors]),
    /** Sends what was typed, or that with a change that a press makes. */
    send: submit,
    ...propertiesOf(values, errors, dates, set),
  }
}

/** What the fields of a form are given. */
function propertiesOf<V extends Values>(
  values: V,
  errors: Readonly<Record<string, string>>,
  dates: Partial<Record<string, DateKind>>,
  set: (change: Partial<V>) => void,
) {
  return {
    /** The properties of a text field by its name. */
    field: (name: keyof V & string) => ({
      name,
      value: String(values[name] ?? ''),
      error: errors[name],
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        set({ [name]: currentTarget.value } as Partial<V>),
    }),
    /** The properties of a DateField by its name, which stands in `dates`. */
    date: (name: keyof V & string) => ({
      name,
      kind: dates[name] ?? 'day',
      value: String(values[name] ?? ''),
      error: errors[name],
      onChange: (value: string) => set({ [name]: value } as Partial<V>),
    }),
    /** The properties of a choice by its name. */
    choice: (name: keyof V & string) => ({
      name,
      value: values[name] === null ? null : String(values[name]),
      error: errors[name],
      onChange: (value: string | null) => set({ [name]: value } as Partial<V>),
    }),
  }
}

const saidOf = (says: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(says).filter((entry): entry is [string, string] => Boolean(entry[1])))

/** Of what was said, that about fields which still have the value it was said of. */
const standing = ({ of, says }: Faults, values: Values): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(says).filter(([name]) => values[name] === of[name]))

/** What is wrong with the fields of dates: a text for each that has something else. */
function useWrongDates() {
  const t = useTexts(commonTexts)
  const says = { day: t.dayWrong, minute: t.minuteWrong }
  return (values: Values, dates: Partial<Record<string, DateKind>>): Record<string, string | undefined> =>
    Object.fromEntries(
      Object.entries(dates).map(([name, kind = 'day']) => {
        const typed = String(values[name] ?? '')
        return [name, typed === '' || isDate(kind, typed) ? undefined : says[kind]]
      }),
    )
}

/** The same values have the same key, so that who presses twice pays once; other values are another request. */
function keyFor(last: { of: string; key: string }, values: Values): string {
  const of = JSON.stringify(values)
  if (last.of !== of) Object.assign(last, { of, key: newKey() })
  return last.key
}
