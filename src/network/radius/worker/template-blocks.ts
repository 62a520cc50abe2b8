import type { LRUCache } from 'lru-cache'
import { growingCache } from '../../../platform/growing-cache.ts'
import type { CompiledTemplate, TemplatePart } from '../wire/answer-template.ts'
import { type CompiledLine, hasPlace, renderLines, withoutTunnelsOf } from '../wire/template-line.ts'
import { type AttributeBlock, blockOf } from './attribute-block.ts'

/** There are few tariffs, so this many encoded blocks of each part suffice, also with a VLAN for each login. */
const rememberedMax = 4096

/** An Access-Accept to the walled garden has what is said in `acceptInGarden` in place of `accept`, and the garden. */
type Block = TemplatePart | 'acceptInGarden'

/** A block with what it was encoded for. */
type Remembered = {
  readonly downKbit: number
  readonly upKbit: number
  readonly vlan: number
  readonly block: AttributeBlock
}

/** The encoded attributes of one template by speed and VLAN. */
export class TemplateBlocks {
  readonly #lines: Readonly<Record<Block, readonly CompiledLine[]>>
  readonly #remembered: Readonly<Record<Block, LRUCache<number, Remembered>>> = {
    accept: growingCache(rememberedMax),
    acceptInGarden: growingCache(rememberedMax),
    coa: growingCache(rememberedMax),
    garden: growingCache(rememberedMax),
  }
  #list = ''

  constructor(template: CompiledTemplate) {
    this.#lines = { ...template, acceptInGarden: withoutTunnelsOf(template.accept, template.garden) }
  }

  /** Speeds are in kbit/s; `list` is that of the walled garden; `vlan` is 0 for none. */
  block(part: Block, downKbit: number, upKbit: number, list: string, vlan = 0): AttributeBlock {
    if (list !== this.#list) {
      for (const blocks of Object.values(this.#remembered)) blocks.clear()
      this.#list = list
    }
    const key = hashOf(downKbit, upKbit, vlan)
    const known = this.#remembered[part].get(key)
    if (known && known.downKbit === downKbit && known.upKbit === upKbit && known.vlan === vlan) return known.block
    const block = blockOf(renderLines(this.#lines[part], { downKbit, upKbit, vlan, list }))
    this.#remembered[part].set(key, { downKbit, upKbit, vlan, block })
    return block
  }

  /** Whether a part tells the NAS the VLAN of a login. */
  hasVlan(part: TemplatePart): boolean {
    return this.#lines[part].some((line) => hasPlace(line, 'vlan'))
  }
}

/** Two tariffs with the same hash would only take each other's place. */
const hashOf = (downKbit: number, upKbit: number, vlan: number): number =>
  (Math.imul(downKbit, 0x9e37_79b1) ^ Math.imul(upKbit, 0x85eb_ca6b) ^ Math.imul(vlan, 0xc2b2_ae35)) | 0

const known = new WeakMap<CompiledTemplate, TemplateBlocks>()

/** NAS with the same template share what is encoded. */
export function blocksOf(template: CompiledTemplate): TemplateBlocks {
  const blocks = known.get(template) ?? new TemplateBlocks(template)
  known.set(template, blocks)
  return blocks
}
