import { escapeXml } from '../../../platform/formats/xml.ts'

/**
 * A JSON value as XML: members are elements, members of a list are `<item>`s, null is an empty element that says
 * `nil="true"`. The root is `<response>` (contract section 5).
 */
export const writeXml = (value: unknown): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n${element('response', value)}\n`

function element(name: string, value: unknown): string {
  const [open, close] = elementName.test(name) ? [name, name] : [`item name="${escapeXml(name)}"`, 'item']
  if (value === null || value === undefined) return `<${open} nil="true"/>`
  if (typeof value !== 'object') return `<${open}>${escapeXml(String(value))}</${close}>`
  const content = Array.isArray(value)
    ? value.map((member) => element('item', member)).join('')
    : Object.entries(value)
        .map(([member, inner]) => element(member, inner))
        .join('')
  return `<${open}>${content}</${close}>`
}

/** Codes of attributes are words of the operators, and not each of them can be the name of an element. */
const elementName = /^[A-Za-z_][\w.-]{0,99}$/
