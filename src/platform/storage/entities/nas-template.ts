import { type NasType, nasTypes, type TemplateLine } from '../../../domain/nas.ts'
import { id, json, text } from '../columns.ts'
import { entity } from '../entity.ts'

const lines = () => json<readonly TemplateLine[]>().defaultSql(`'[]'`)

/** How NAS that name it are told speeds and the walled garden (AnswerTemplate in domain/nas.ts). */
export const NasTemplate = entity('nas_templates', {
  columns: {
    id: id(),
    name: text().unique('nas_templates_name'),
    /** The type it is made for. */
    nas_type: text<NasType>(),
    accept: lines(),
    coa: lines(),
    garden: lines(),
    comment: text().nullable(),
  },
  checks: [
    { name: 'nas_templates_type', expression: `nas_type IN (${nasTypes.map((type) => `'${type}'`).join(', ')})` },
  ],
})
