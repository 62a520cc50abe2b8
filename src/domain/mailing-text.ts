/** What the text of a mailing may say of its recipient, as `{name}`. */
export const mailingFields = ['name', 'contract', 'balance', 'debt', 'tariff', 'address'] as const
export type MailingField = (typeof mailingFields)[number]

/** The names in braces that a text has and that are none of the fields, each once. */
export const unknownFields = (text: string, fields: readonly string[]): readonly string[] => [
  ...new Set([...text.matchAll(/\{([^{}]*)\}/g)].map((found) => found[1]!).filter((name) => !fields.includes(name))),
]

/** Any sign beyond these makes an SMS of 70 letters (GSM 03.38; its extension signs count twice and are left out). */
const plainSigns = /^[\w @£$¥èéùìòÇØøÅå\nΔΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà]*$/

/** How many SMS a text takes: parts of a long one are shorter, because each carries its number. */
export function smsCount(text: string): number {
  const [one, part] = plainSigns.test(text) ? [160, 153] : [70, 67]
  return text.length <= one ? 1 : Math.ceil(text.length / part)
}
