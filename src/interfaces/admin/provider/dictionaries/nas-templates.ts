import Type from 'typebox'
import { type AnswerTemplate, nasTypes, type TemplateLine } from '../../../../domain/nas.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import { compileTemplate, isTemplatePart, templateParts } from '../../../../network/radius/wire/answer-template.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import { choice, json, required } from '../../../../platform/records/fields.ts'
import type { FieldSpec } from '../../../../platform/records/model.ts'
import { plainValues } from '../../../../platform/records/values.ts'
import { NasTemplate } from '../../../../platform/storage/entities/network.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, line, note } from './fields.ts'

/** The lines of a part, as the dictionary and the preview of a template take them. */
export const templateLines = {
  must: 'be a list of {"name": text, "value": text or number}',
  schema: {
    type: 'array',
    items: {
      type: 'object',
      required: ['name', 'value'],
      properties: { name: { type: 'string' }, value: { type: ['string', 'number'] } },
    },
  },
  read: (sent: unknown): TemplateLine[] | null =>
    isTemplatePart(sent) ? sent.map(({ name, value }) => ({ name, value })) : null,
}

const part = (name: string, doc: string): FieldSpec =>
  json(name, doc, {
    must: templateLines.must,
    schema: templateLines.schema,
    read: (sent) => {
      const value = templateLines.read(sent)
      return value ? { value } : { wrong: 'Not a list.' }
    },
  })

/** How NAS that name it are told speeds and the walled garden. A change is followed by the next packet. */
export const nasTemplates: Dictionary = {
  model: dictionaryModel({
    name: 'nas_templates',
    doc: 'Templates of answers to NAS',
    entity: NasTemplate,
    access: true,
    rights: recordRights.nasTemplate,
    fields: [
      line('name', 'Name', 200, required),
      choice('nas_type', 'The type of NAS it is made for', nasTypes, required),
      part('accept', 'Attributes of every Access-Accept, with places such as {down_kbit} and {up_kbit}'),
      part('coa', 'Attributes of a CoA-Request after a change of the tariff; without any the session is disconnected'),
      part('garden', 'Attributes that an Access-Accept into the walled garden has besides, with the place {list}'),
      note('comment', 'Comment'),
    ],
    usedBy: [{ table: 'nas', column: 'template_id', noun: 'NAS' }],
  }),
  order: 'this.name',
  searched: 'this.name',
  steps: {
    derive: async ({ before, values }) => {
      const template = { accept: [], coa: [], garden: [], ...before, ...plainValues(values) } as AnswerTemplate
      const compiled = compileTemplate(template)
      if (!('fault' in compiled)) return []
      const { fault, part, line } = compiled
      return { kind: 'refused', status: 400, detail: fault, more: { part, line } }
    },
  },
  refusalSchemas: {
    part: Type.Optional(Type.Enum([...templateParts], { description: 'Where the line stands that is wrong.' })),
    line: Type.Optional(Type.With(schemas.integer, { description: 'Which of its lines, counted from 0.' })),
  },
}
