import type { Config } from '../app/config.ts'
import { refusedPhoneEnd } from './history/replay.ts'
import { Site } from './gateways/site.ts'

export type SimulatedSms = { readonly outgoing: Config['outgoing']; stop(): Promise<void> }

/**
 * An SMS gateway on the loopback that takes every message but those to some telephones. The demo sends through no other
 * provider, because its telephones and mailboxes are invented and might be somebody's.
 */
export async function startSmsGateway(): Promise<SimulatedSms> {
  const site = new Site(({ body }) => {
    const { phone = '' } = JSON.parse(body.toString()) as { phone?: string }
    return phone.endsWith(refusedPhoneEnd)
      ? { status: 422, type: 'text/plain; charset=utf-8', body: 'абонент вне зоны действия сети' }
      : { status: 200, type: 'text/plain', body: 'taken' }
  })
  await site.start()
  const sms = { url: `${site.address}/send`, method: null, body: null, headers: {}, accepted: null }
  return { outgoing: { sms, fcm: null, smtp: null }, stop: () => site.stop() }
}
