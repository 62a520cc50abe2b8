import { ask, type Sent } from '../../api/client.ts'
import { readAmount } from '../../format/money.ts'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Given } from '../line/given-login.tsx'
import { cashDesk, deskEndpoint, sentType } from '../cash/use-desk.ts'
import { useIsAdding } from './places.ts'
import { newTexts } from './texts.ts'

const endpoint = 'POST /admin/Abonents/create/'
type Body = NonNullable<Sent<typeof endpoint>['body']>

/** By the names of the endpoint, which says by them what is wrong. Lists of ids are written with commas. */
const initial = {
  name: '',
  contract_number: '',
  sms: '',
  email: '',
  company: false,
  comment: '',
  home: null as string | null,
  flat: '',
  tarif: null as string | null,
  from: '',
  services: '',
  hasLogin: true,
  'login.login': '',
  'login.password': '',
  'login.ip': '',
  'login.pool': null as string | null,
  'login.mac': '',
  'login.switch': null as string | null,
  'login.port': '',
  'payment.amount': '',
  'payment.op_type_id': cashDesk as string | null,
}

type Values = typeof initial
export type NewForm = ReturnType<typeof useNewForm>

/** A password that was made for the login is handed over to `onGiven` with the way to the card. */
export function useNewForm(onGiven: (given: Given, toCard: () => void) => void) {
  const t = useTexts(newTexts)
  const navigate = useGo()
  const isAdding = useIsAdding()
  return useSideForm({
    initial,
    check: (values): Partial<Record<keyof Values, string>> => {
      const { 'payment.amount': amount, home, flat } = values
      return {
        // One that is on its way would be left out of what is sent.
        ...(isAdding && { home: t.stillAdding }),
        ...(amount !== '' && readAmount(amount) === null && { 'payment.amount': t.sumWrong }),
        // A street or a house that was typed and not chosen would be gone without a word.
        ...(flat.trim() !== '' && idOf(home) === null && { home: t.houseNeeded }),
      }
    },
    dates: { from: 'day' },
    send: (values, key) => ask(endpoint, { body: bodyOf(values), key }),
    outdated: ['GET /admin/Abonents/subscribers/', deskEndpoint],
    onDone: ({ abonent, login }) => {
      const { id, name, contract_number: number } = abonent
      told.done(t.done(String(name), String(number)))
      const toCard = () => void navigate({ to: `/subscribers/${id}/` })
      if (login?.password) onGiven({ login: String(login.login), password: login.password }, toCard)
      else toCard()
    },
  })
}

const idOf = (value: string | null): number | null => (value === null || value === '' ? null : Number(value))
const textOf = (value: string): string | null => (value.trim() === '' ? null : value)

function bodyOf(values: Values): Body {
  const amount = readAmount(values['payment.amount'])
  return {
    name: values.name,
    contract_number: textOf(values.contract_number),
    sms: textOf(values.sms),
    email: textOf(values.email),
    company: values.company,
    comment: textOf(values.comment),
    home: idOf(values.home),
    flat: textOf(values.flat),
    tarif: idOf(values.tarif),
    from: textOf(values.from),
    services: idsOf(values.services),
    login: values.hasLogin ? loginOf(values) : null,
    payment: amount === null ? null : { amount, ...sentType(values['payment.op_type_id'] ?? '7') },
  } as Body
}

const loginOf = (values: Values) => ({
  login: textOf(values['login.login']),
  password: values['login.password'] === '' ? null : values['login.password'],
  ip: textOf(values['login.ip']),
  pool: idOf(values['login.pool']),
  mac: textOf(values['login.mac']),
  switch: idOf(values['login.switch']),
  port: idOf(values['login.port']),
})

export const idsOf = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number))
