import type { Route } from '../../../platform/http/call.ts'
import type { OutgoingHttp } from '../../../platform/outgoing/outgoing-http.ts'
import type { RecordParts } from '../../../platform/records/record-writer.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import type { PersistenceScope } from '../../../platform/storage/transactions.ts'
import { auditRoutes } from './audit.ts'
import { dictionaryRoutes } from './dictionaries/routes.ts'
import { cardDictionary } from './dictionaries/cards.ts'
import { fiscalConfigs } from './dictionaries/fiscal-configs.ts'
import { homeDictionary } from './dictionaries/homes.ts'
import { folders } from './dictionaries/folders.ts'
import { currencies, finTypes, organizationDictionary, videoObjects } from './dictionaries/plain-dictionaries.ts'
import { nasDictionary } from './dictionaries/nas.ts'
import { nasTemplates } from './dictionaries/nas-templates.ts'
import { poolDictionary } from './dictionaries/pools.ts'
import { serviceDictionary } from './dictionaries/services.ts'
import { switchDictionary } from './dictionaries/switches.ts'
import { ticketTemplates } from './dictionaries/ticket-templates.ts'
import { tariffDictionary } from './dictionaries/tariffs.ts'
import { staffDictionary } from './dictionaries/staff.ts'
import { settingRoutes } from './settings.ts'
import { signOutRoutes } from './sign-out.ts'
import { roleRoutes } from './staff/roles.ts'
import { staffSessionRoutes } from './staff/sessions.ts'
import { tokenRoutes } from './tokens.ts'

export type ProviderParts = RecordParts &
  PersistenceScope & {
    readonly settings: Settings
    readonly signIn: SignIn
    readonly outgoingHttp: Pick<OutgoingHttp, 'destinations'>
  }

/** The routes for the provider's own records: dictionaries, staff, sessions, settings, API tokens and the audit. */
export function providerRoutes(parts: ProviderParts): Route[] {
  const { settings, secrets, signIn } = parts
  const { destinations } = parts.outgoingHttp
  const staff = staffDictionary({ secrets, signIn })
  const dictionaries = [
    organizationDictionary,
    folders,
    staff,
    finTypes,
    currencies,
    videoObjects,
    cardDictionary,
    fiscalConfigs(destinations),
    nasDictionary,
    nasTemplates,
    poolDictionary,
    tariffDictionary,
    serviceDictionary,
    switchDictionary,
    ticketTemplates,
    homeDictionary(parts),
  ]
  return [
    ...dictionaries.flatMap((dictionary) => dictionaryRoutes(parts, dictionary)),
    ...signOutRoutes(parts, signIn),
    ...roleRoutes(parts, signIn),
    ...staffSessionRoutes(parts, signIn),
    ...settingRoutes(parts, settings),
    ...tokenRoutes(parts, { signIn }),
    ...auditRoutes(parts),
  ]
}
