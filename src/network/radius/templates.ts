import type { NasId } from '../../domain/ids.ts'
import type { AnswerTemplate, NasEntry, NasType, TemplateLine } from '../../domain/nas.ts'
import { type CompiledTemplate, compileTemplate } from './wire/answer-template.ts'

const toList: TemplateLine[] = [{ name: 'Filter-Id', value: '{list}' }]

/** RFC 3580 section 3.31. A session gets another VLAN by a new sign-in, because hardly any NAS takes one by CoA. */
const toVlan: TemplateLine[] = [
  { name: 'Tunnel-Type', value: 'VLAN' },
  { name: 'Tunnel-Medium-Type', value: 'IEEE-802' },
  { name: 'Tunnel-Private-Group-Id', value: '{vlan}' },
]

/** A template whose speed is changed by the same attributes that set it. */
const template = (speed: readonly TemplateLine[], garden: readonly TemplateLine[] = toList): AnswerTemplate => ({
  accept: [...speed, ...toVlan],
  coa: speed,
  garden,
})

const ciscoRate = (direction: 'input' | 'output', way: 'up' | 'down') =>
  `rate-limit ${direction} {${way}_bit} {${way}_burst} {${way}_burst_max} conform-action transmit exceed-action drop`

const accelSpeed: TemplateLine[] = [{ name: 'Filter-Id', value: '{down_kbit}/{up_kbit}' }]

/** What a NAS of a type is told where it names no template of its own. */
export const builtInTemplates: Readonly<Record<NasType, AnswerTemplate>> = {
  // The router's view: what it receives from the client first.
  mikrotik: template(
    [{ name: 'Mikrotik-Rate-Limit', value: '{up_rate}/{down_rate}' }],
    [{ name: 'Mikrotik-Address-List', value: '{list}' }],
  ),
  cisco: template([
    { name: 'Cisco-AVPair', value: `lcp:interface-config#1=${ciscoRate('input', 'up')}` },
    { name: 'Cisco-AVPair', value: `lcp:interface-config#2=${ciscoRate('output', 'down')}` },
  ]),
  huawei: template([
    { name: 'Huawei-Input-Average-Rate', value: '{up_bit}' },
    { name: 'Huawei-Output-Average-Rate', value: '{down_bit}' },
  ]),
  juniper: template([{ name: 'ERX-Cos-Parameter-Type', value: 'T02 {down_kbit}k' }]),
  // accel-ppp's shaper reads Filter-Id as download/upload in kbit/s, so its garden is a redirection and an ipset. Its
  // sessions come in a VLAN and are put into none.
  accel: {
    accept: accelSpeed,
    coa: accelSpeed,
    garden: [
      { name: 'L4-Redirect', value: 1 },
      { name: 'L4-Redirect-ipset', value: '{list}' },
    ],
  },
  generic: {
    accept: [
      { name: 'WISPr-Bandwidth-Max-Up', value: '{up_bit}' },
      { name: 'WISPr-Bandwidth-Max-Down', value: '{down_bit}' },
      ...toVlan,
    ],
    coa: [],
    garden: toList,
  },
}

const compiled = new WeakMap<AnswerTemplate, CompiledTemplate>()

/** The template of a NAS, looked up in the dictionary once. */
export function templateOf({ template, type }: Pick<NasEntry, 'template' | 'type'>): CompiledTemplate {
  const own = template ?? builtInTemplates[type]
  const known = compiled.get(own)
  if (known) return known
  const made = compileTemplate(own)
  if ('fault' in made) throw new Error(made.fault)
  compiled.set(own, made)
  return made
}

export const templatesOf = (list: readonly NasEntry[]): ReadonlyMap<NasId, CompiledTemplate> =>
  new Map(list.map((nas) => [nas.id, templateOf(nas)]))
