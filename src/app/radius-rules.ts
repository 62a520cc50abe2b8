import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type NasEntry, ownRealms } from '../domain/nas.ts'
import { type NameRules, nameRulesAt, nameRulesOf } from '../network/access/login-names.ts'
import { addDictionaries } from '../network/radius/wire/dictionary.ts'
import type { RadiusSettings } from '../network/radius/worker/messages.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { StartRefusal } from '../platform/start-refusal.ts'
import type { Config } from './config.ts'

/** The settings that RADIUS workers need. */
export const radiusSettings = (settings: Settings): RadiusSettings => ({
  interimSeconds: settings.get('RADIUS_INTERIM_INTERVAL'),
  simultaneous: settings.get('RADIUS_SIMULTANEOUS'),
  walledGardenList: settings.get('LK_WALLED_GARDEN_LIST'),
  realms: settings.get('RADIUS_REALMS'),
  loginCase: settings.get('RADIUS_LOGIN_CASE'),
  logsAccepts: settings.get('RADIUS_LOG_ACCEPTS'),
  timeZone: settings.get('TIME_ZONE'),
})

/** How the User-Names of a NAS are read, as the workers read them (access-handler.ts). */
export const namesAt = (nas: NasEntry | undefined, settings: Settings): NameRules =>
  nameRulesAt(
    nas ? ownRealms(nas) : null,
    nameRulesOf({ realms: settings.get('RADIUS_REALMS'), loginCase: settings.get('RADIUS_LOGIN_CASE') }),
  )

/** To be called before the access table is read, whose entries may name attributes of these dictionaries. */
export function readOwnDictionaries({ dataDir, radius }: Config): void {
  const usual = join(dataDir, 'dictionaries')
  const folder = radius.dictionaryDir ?? (existsSync(usual) ? usual : null)
  const fault = folder === null ? null : addDictionaries(folder)
  if (fault !== null) throw new StartRefusal(`The RADIUS dictionaries cannot be used. ${fault}`)
}
