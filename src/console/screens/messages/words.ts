import type { Item } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { chapter, useTexts } from '../../texts/texts.ts'

export type Message = Item<'GET /admin/messages/'>
type Fault = Message['faults'][number]

export const stateTexts = chapter({
  waiting: ['Ждёт', 'Waiting'],
  sent: ['Отправлено', 'Sent'],
  failed: ['Не отправлено', 'Not sent'],
})

/** In the order in which every screen has them: first what somebody must look after. */
export const messageStates = ['failed', 'waiting', 'sent'] as const satisfies readonly Message['state'][]

export const channelTexts = chapter({ sms: ['SMS', 'SMS'], push: ['Push', 'Push'], email: ['Почта', 'E-mail'] })

/** What messages are about; one of another kind is called by its name. */
const kindTexts = chapter({
  payment_credited: ['Платёж зачислен', 'Payment credited'],
  low_balance: ['Баланс заканчивается', 'Low balance'],
  promise_activated: ['Обещанный платёж', 'Promise payment'],
  promise_expiring: ['Обещанный платёж заканчивается', 'Promise payment ends soon'],
  promise_expired: ['Срок обещанного платежа', 'Promise payment ends today'],
  promise_ended: ['Обещанный платёж завершён', 'Promise payment is over'],
  mailing: ['Рассылка', 'Mailing'],
  mailing_test: ['Проверка рассылки', 'Test of a mailing'],
})

type Said = (detail: string) => string

/** Why a message was not sent, by code; what another program answered stays in its words. */
const faultTexts = chapter({
  deleted: [(_: string) => 'Абонент удалён', (_: string) => 'The subscriber is deleted'],
  no_address: [
    (what: string) => `У абонента нет ${russianAddress(what)}`,
    (what: string) => `The subscriber has no ${what}`,
  ],
  no_provider: [
    (names: string) => `Отправка не настроена: ${names.replaceAll(' or ', ', ')}`,
    (names: string) => `No provider is set up: ${names.replaceAll(' or ', ', ')}`,
  ],
  stopped: [(_: string) => 'Рассылка остановлена', (_: string) => 'The mailing was stopped'],
  device_gone: [
    (_: string) => 'Приложение удалено с устройства',
    (_: string) => 'The application was removed from the device',
  ],
  not_mailbox: [(_: string) => 'Это не адрес почты', (_: string) => 'It is not an e-mail address'],
  mail_not_reached: [
    (why: string) => `Почтовый сервер не ответил: ${why}`,
    (why: string) => `The mail server was not reached: ${why}`,
  ],
  mail_answered: [
    (said: string) => `Почтовый сервер отказал: ${said}`,
    (said: string) => `The mail server refused: ${said}`,
  ],
  sms_answered: [(said: string) => `SMS-шлюз отказал: ${said}`, (said: string) => `The SMS gateway refused: ${said}`],
  push_answered: [(said: string) => `FCM отказал: ${said}`, (said: string) => `FCM refused: ${said}`],
  push_refused_us: [
    (said: string) => `FCM не принял наш ключ${said}`,
    (said: string) => `FCM did not take our key${said}`,
  ],
  private_address: [
    (_: string) => 'Адрес шлюза — из частной сети, которая не разрешена',
    (_: string) => 'The address of the gateway is in a private network that is not allowed',
  ],
  no_answer_in_time: [
    (time: string) => `Нет ответа за ${time.replace(' s', ' с')}`,
    (time: string) => `No answer within ${time}`,
  ],
  no_answer: [(why: string) => `Нет ответа: ${why}`, (why: string) => `No answer: ${why}`],
  program_stopped: [
    (_: string) => 'Программа остановилась, не дождавшись ответа',
    (_: string) => 'The program was stopped while it waited for the answer',
  ],
  program_fault: [
    (_: string) => 'Ошибка программы, подробности в её журнале',
    (_: string) => 'A program error; see its log',
  ],
  expired: [(_: string) => 'Не отправлено, пока было нужно', (_: string) => 'It was not sent in time'],
  other: [(said: string) => said, (said: string) => said],
} satisfies Record<Fault['code'], readonly [Said, Said]>)

/** What a message waits for and until when; then it is given up. */
const waitTexts = chapter({
  no_address: [
    (until: string, what: string) => `Ждёт адреса до ${until}: у абонента нет ${russianAddress(what)}`,
    (until: string, what: string) => `Waiting until ${until} for an address: the subscriber has no ${what}`,
  ],
  no_provider: [
    (until: string, names: string) => `Ждёт настройки до ${until}: нечем отправить ${names.replaceAll(' or ', ', ')}`,
    (until: string, names: string) => `Waiting until ${until} for a provider: none is set up for ${names}`,
  ],
  other: [(until: string, _: string) => `Попытки до ${until}`, (until: string, _: string) => `Tried until ${until}`],
})

/** What is missing, as the program names it. */
function russianAddress(what: string): string {
  if (what === 'device') return 'приложения'
  if (what === 'phone') return 'телефона'
  return what === 'e-mail address' ? 'почты' : 'телефона, почты и приложения'
}

/** The reasons by which messages are found. */
export const reasonTexts = chapter({
  any: ['Любая причина', 'Any reason'],
  no_address: ['Нет адреса', 'No address'],
  no_provider: ['Отправка не настроена', 'No provider is set up'],
  sms_answered: ['Отказал SMS-шлюз', 'The SMS gateway refused'],
  mail_answered: ['Отказала почта', 'The mail server refused'],
  push_answered: ['Отказал FCM', 'FCM refused'],
  no_answer: ['Нет ответа', 'No answer'],
  device_gone: ['Приложение удалено', 'The application was removed'],
  stopped: ['Рассылка остановлена', 'The mailing was stopped'],
  expired: ['Не успело', 'Too late'],
  other: ['Другая', 'Other'],
})

/** Says in words why a message was not sent. */
export function useSayFaults(): (message: Pick<Message, 'faults'>) => string {
  const t = useTexts(faultTexts)
  return ({ faults }) => faults.map(({ code, detail }) => t[code](detail)).join('. ')
}

/** Why a message has not been sent, and what one that waits is waiting for; nothing where it was sent. */
export function useSayWhyNot(): (message: Pick<Message, 'state' | 'faults' | 'expires_at'>) => string {
  const t = useTexts(waitTexts)
  const sayFaults = useSayFaults()
  const format = useFormat()
  return ({ state, faults, expires_at }) => {
    if (state === 'sent') return ''
    if (state === 'failed') return sayFaults({ faults })
    const until = format.moment(expires_at)
    const lacks = faults.find((fault) => fault.code === 'no_address' || fault.code === 'no_provider')
    if (lacks) return t[lacks.code as 'no_address' | 'no_provider'](until, lacks.detail)
    return [sayFaults({ faults }), t.other(until, '')].filter(Boolean).join('. ')
  }
}

export function useKindWords(): (kind: string) => string {
  const t = useTexts(kindTexts) as Readonly<Record<string, string>>
  return (kind) => t[kind] ?? kind
}

export function useChannelWords(): (channel: string | null) => string {
  const t = useTexts(channelTexts) as Readonly<Record<string, string>>
  return (channel) => (channel === null ? '' : (t[channel] ?? channel))
}
