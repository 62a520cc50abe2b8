import { recordRights } from '../../../../domain/record-rights.ts'
import { switchFields, switchUsedBy } from '../../../../network/radius/switch-record.ts'
import { Switch } from '../../../../platform/storage/entities/network.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel } from './fields.ts'
import { homeModel } from './homes.ts'

/** Switches. They serve the subscribers of every organization. */
export const switchDictionary: Dictionary = {
  model: dictionaryModel({
    name: 'switches',
    doc: 'Switches',
    entity: Switch,
    audit: 'SWITCH',
    rights: recordRights.common,
    fields: switchFields(() => homeModel),
    usedBy: switchUsedBy,
  }),
  order: 'this.name',
  searched: `this.name || ' ' || host(this.ip) || ' ' || coalesce(this.model, '')`,
}
