import { nasTypes } from '../../../domain/nas.ts'
import { choice, key, type Model, modelOf, text } from '../../../platform/records/model.ts'
import { NasTemplate } from '../../../platform/storage/entities/network.ts'

/** As much of a template as a NAS record leads to; it is edited in the web admin. */
export const nasTemplate: Model = modelOf({
  name: 'NasTemplate',
  entity: NasTemplate,
  label: 'nas templates',
  audit: 'NAS_TEMPLATES',
  doc: 'How a NAS is told speeds and the walled garden.',
  fields: [key(), text('name', 'Name.'), choice('nas_type', 'The type of NAS it is made for.', nasTypes)],
})
