import { privateAddressesVariable } from '../platform/outgoing/destinations.ts'
import { entryOf, settingNames } from '../platform/settings/catalog.ts'
import type { Base } from './base.ts'

/**
 * Warns of every address of the configuration, the settings and the fiscal configurations to which nothing is sent
 * because it is private and not listed. An installation may have such addresses from a version that sent to them.
 */
export async function warnOfUnreached(parts: Base): Promise<void> {
  const { destinations } = parts.outgoingHttp
  for (const { name, address } of await namedAddresses(parts)) {
    const host = URL.parse(address)?.hostname
    if (host && (await destinations.isPrivate(host)))
      parts.log.warn(`nothing is sent to a private address; list it in ${privateAddressesVariable}`, { name, host })
  }
}

async function namedAddresses({ config, settings, database }: Base): Promise<{ name: string; address: string }[]> {
  const { sms, smtp, fcm } = config.outgoing
  const variables = { TOLLGATE_SMS_URL: sms?.url, TOLLGATE_SMTP_URL: smtp?.url, TOLLGATE_FCM_URL: fcm?.url }
  const ofEnvironment = Object.entries(variables).map(([name, address]) => ({ name, address: address ?? '' }))
  const ofSettings = settingNames
    .filter((name) => entryOf(name).secretOfAddress)
    .map((name) => ({ name, address: String(settings.get(name)) }))
  const { rows } = await database.pool.query<{ name: string; address: string }>(
    'SELECT name, url AS address FROM fiscal_configs WHERE enabled',
  )
  return [...ofEnvironment, ...ofSettings, ...rows]
}
