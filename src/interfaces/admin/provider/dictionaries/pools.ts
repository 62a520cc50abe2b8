import { recordRights } from '../../../../domain/record-rights.ts'
import { poolFields, poolUsedBy } from '../../../../network/radius/pool-record.ts'
import { IpPull } from '../../../../platform/storage/entities/network.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel } from './fields.ts'

/** Pools of addresses. They serve the subscribers of every organization. RADIUS follows a change at once. */
export const poolDictionary: Dictionary = {
  model: dictionaryModel({
    name: 'ip_pulls',
    doc: 'Pools of addresses',
    entity: IpPull,
    audit: 'IP_PULL',
    access: true,
    rights: recordRights.common,
    fields: poolFields,
    usedBy: poolUsedBy,
  }),
  order: 'this.name',
  searched: `this.name || ' ' || this.network::text`,
}
