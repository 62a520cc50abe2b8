import { recordRights } from '../../../../domain/record-rights.ts'
import { required } from '../../../../platform/records/fields.ts'
import { wrongField } from '../../../../platform/records/refusals.ts'
import { plainValues } from '../../../../platform/records/values.ts'
import { HdskTemplate } from '../../../../platform/storage/entities/subscribers.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, line, note } from './fields.ts'

const textMax = 10_000

/** Answers to tickets that are often given. Whoever answers takes one and changes it as it needs. */
export const ticketTemplates: Dictionary = {
  model: dictionaryModel({
    name: 'ticket_templates',
    doc: 'Templates of answers to tickets',
    entity: HdskTemplate,
    audit: 'TICKET_TEMPLATES',
    rights: recordRights.common,
    fields: [
      line('name', 'Name, by which the staff chooses it', 200, required),
      note('text_ru', 'The answer in Russian; one of the two texts is needed', textMax),
      note('text_en', 'The answer in English', textMax),
    ],
  }),
  order: 'lower(this.name)',
  searched: `concat_ws(' ', this.name, this.text_ru, this.text_en)`,
  steps: {
    derive: async ({ before, values }) => {
      const { text_ru, text_en } = { ...before, ...plainValues(values) } as Record<'text_ru' | 'text_en', unknown>
      return text_ru || text_en ? [] : wrongField('text_ru', 'An answer is needed in one of the languages.', 'required')
    },
  },
}
