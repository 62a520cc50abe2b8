import type { Answer, Item } from '../../api/client.ts'

export const settingsEndpoint = 'GET /admin/settings/system/'
export const changesEndpoint = 'GET /admin/settings/changes/'

export type Setting = Answer<typeof settingsEndpoint>['settings'][number]
export type SettingName = Setting['name']
export type Change = Item<typeof changesEndpoint>
