import { escapeXml } from '../../../platform/formats/xml.ts'

/**
 * Writes a JSON value as XML (contract section 5). Members become elements, entries of a list become `<item>` elements,
 * and null becomes an empty element with `nil="true"`. The root is `<response>`.
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

/** Names that can be element names. Operators choose the codes of attributes freely, so others occur. */
const elementName = /^[A-Za-z_][\w.-]{0,99}$/
