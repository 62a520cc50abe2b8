import { LRUCache } from 'lru-cache'
import type { CompiledTemplate, TemplatePart } from '../wire/answer-template.ts'
import { renderLine } from '../wire/template-line.ts'
import { type AttributeBlock, blockOf } from './attribute-block.ts'

/** There are few tariffs, so this many encoded blocks of each part suffice. */
const rememberedMax = 1000

/** The encoded attributes of one template by speed. */
export class TemplateBlocks {
  readonly #template: CompiledTemplate
  readonly #remembered: Readonly<Record<TemplatePart, LRUCache<number, AttributeBlock>>> = {
    accept: new LRUCache({ max: rememberedMax }),
    coa: new LRUCache({ max: rememberedMax }),
    garden: new LRUCache({ max: rememberedMax }),
  }
  #list = ''

  constructor(template: CompiledTemplate) {
    this.#template = template
  }

  /** Speeds are in kbit/s; `list` is that of the walled garden. */
  block(part: TemplatePart, downKbit: number, upKbit: number, list: string): AttributeBlock {
    if (list !== this.#list) {
      for (const blocks of Object.values(this.#remembered)) blocks.clear()
      this.#list = list
    }
    const key = downKbit * 0x400_0000 + upKbit
    const known = this.#remembered[part].get(key)
    if (known) return known
    const attributes = this.#template[part].flatMap((line) => {
      const bytes = renderLine(line, { downKbit, upKbit, list })
      // Lines were tried when the template was saved; one that does not fit a speed after all is left out.
      return bytes === null || 'fault' in bytes ? [] : [{ key: line.key, bytes }]
    })
    const block = blockOf(attributes)
    this.#remembered[part].set(key, block)
    return block
  }
}

const known = new WeakMap<CompiledTemplate, TemplateBlocks>()

/** NAS with the same template share what is encoded. */
export function blocksOf(template: CompiledTemplate): TemplateBlocks {
  const blocks = known.get(template) ?? new TemplateBlocks(template)
  known.set(template, blocks)
  return blocks
}
