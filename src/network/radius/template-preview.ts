import type { AnswerTemplate } from '../../domain/nas.ts'
import { compileTemplate, type TemplateFault, type TemplatePart } from './wire/answer-template.ts'
import { type AttributeText, attributeTexts } from './wire/attribute-text.ts'
import { type CompiledLine, type PlaceValues, renderLines, withoutTunnelsOf } from './wire/template-line.ts'

/** What a template says, by the packets that a NAS gets; or the line that is wrong, counted from 0. */
export type TemplatePreview =
  | {
      readonly kind: 'shown'
      /** The whole of an Access-Accept, of one into the walled garden, and of a CoA-Request. */
      readonly packets: Readonly<Record<TemplatePart, AttributeText[]>>
    }
  | ({ readonly kind: 'wrong' } & TemplateFault)

/**
 * Shows a template that need not be saved, by the functions that answer in the workers, without what the program, the
 * login and its tariff write themselves.
 */
export function previewTemplate(template: AnswerTemplate, values: PlaceValues): TemplatePreview {
  const compiled = compileTemplate(template)
  if ('fault' in compiled) return { kind: 'wrong', ...compiled }
  const { accept, coa, garden } = compiled
  const shown = (lines: readonly CompiledLine[]) =>
    attributeTexts(Buffer.concat(renderLines(lines, values).map(({ bytes }) => bytes)))
  const packets = {
    accept: shown(accept),
    garden: [...shown(withoutTunnelsOf(accept, garden)), ...shown(garden)],
    coa: shown(coa),
  }
  return { kind: 'shown', packets }
}
