import type { Answer, Item } from '../../api/client.ts'

export const settingsDoor = 'GET /admin/settings/system/'
export const changesDoor = 'GET /admin/settings/changes/'

export type Setting = Answer<typeof settingsDoor>['settings'][number]
export type SettingName = Setting['name']
export type Change = Item<typeof changesDoor>
