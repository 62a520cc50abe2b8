import type { Route } from '../../../platform/http/call.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import type { Sealing } from '../../../platform/storage/secrets.ts'
import type { PersistenceScope } from '../../../platform/storage/transactions.ts'
import { auditRoutes } from './audit.ts'
import { dictionaryRoutes } from './dictionaries/doors.ts'
import { fiscalConfigs } from './dictionaries/fiscal-configs.ts'
import { folders } from './dictionaries/folders.ts'
import { currencies, finTypes, organizations, videoObjects } from './dictionaries/plain.ts'
import { staffDictionary } from './dictionaries/staff.ts'
import { settingRoutes } from './settings.ts'
import { signOutRoutes } from './sign-out.ts'
import { tokenRoutes } from './tokens.ts'

export type OfficeParts = PersistenceScope & {
  readonly settings: Settings
  readonly secrets: Sealing
  readonly signIn: SignIn
}

/** The doors through which the provider itself is run: who works here, what the words mean, what is set, who changed it. */
export function officeRoutes(parts: OfficeParts): Route[] {
  const { settings, secrets, signIn } = parts
  const seal = (plain: string) => secrets.seal(plain)
  const staff = staffDictionary({ seal, signIn })
  const dictionaries = [organizations, folders, staff, finTypes, currencies, videoObjects, fiscalConfigs(seal)]
  return [
    ...dictionaries.flatMap((dictionary) => dictionaryRoutes(parts, dictionary)),
    ...signOutRoutes(parts, { signIn, staff }),
    ...settingRoutes(settings),
    ...tokenRoutes(parts, { signIn }),
    ...auditRoutes(parts),
  ]
}
