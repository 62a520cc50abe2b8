import { recordRights } from '../../../../domain/record-rights.ts'
import { deriveNas, nasFields, nasUsedBy } from '../../../../network/radius/nas-record.ts'
import { Nas } from '../../../../platform/storage/entities/network.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel } from './fields.ts'
import { nasTemplates } from './nas-templates.ts'

/** Access servers. They serve the subscribers of every organization. A change is followed by the next packet. */
export const nasDictionary: Dictionary = {
  model: dictionaryModel({
    name: 'nas',
    doc: 'NAS',
    entity: Nas,
    access: true,
    rights: recordRights.common,
    fields: nasFields(() => nasTemplates.model),
    usedBy: nasUsedBy,
  }),
  order: 'this.name',
  searched: `this.name || ' ' || coalesce(host(this.ip), this.network::text) || ' ' || coalesce(this.identifier, '')`,
  steps: { derive: async (step) => deriveNas(step) },
}
