import type { VlanChange } from '../../domain/effects.ts'
import type { AccessRecord } from '../access/record.ts'
import { attributesInForce } from './worker/attribute-block.ts'
import type { TemplateBlocks } from './worker/template-blocks.ts'

/**
 * What a live session is told after a change of speed or VLAN: encoded attributes, `nothing` where its NAS is not told
 * of VLANs, or null where only a new sign-in tells it. Attributes cannot say that there is no VLAN any more.
 */
export function speedChangeOf(
  template: TemplateBlocks,
  record: AccessRecord,
  list: string,
  vlan: VlanChange | undefined,
): Uint8Array | 'nothing' | null {
  const isMoved = template.hasVlan('accept') && (vlan === 'ofLogin' || (vlan === 'ofTariff' && !record.hasOwnVlan))
  if (isMoved && (record.vlan === 0 || !template.hasVlan('coa'))) return null
  if (!isMoved && vlan === 'ofLogin') return 'nothing'
  return attributesInForce(template.block('coa', record.downKbit, record.upKbit, list, record.vlan), record)
}
