/** What the text of a mailing may say of its recipient, as `{name}`. */
export const mailingFields = ['name', 'contract', 'balance', 'debt', 'tariff', 'address'] as const
export type MailingField = (typeof mailingFields)[number]

/** The names in braces that a text has and that are none of the fields, each once. */
export const unknownFields = (text: string, fields: readonly string[]): readonly string[] => [
  ...new Set([...text.matchAll(/\{([^{}]*)\}/g)].map((found) => found[1]!).filter((name) => !fields.includes(name))),
]

/**
 * The signs of GSM 03.38, without those of its extension table, which count twice. A text with any other sign is sent
 * in UCS-2, with 70 letters to an SMS.
 */
const plainSigns = /^[\w @£$¥èéùìòÇØøÅå\nΔΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà]*$/

/** How many SMS a text takes. The parts of a long text hold less than a single SMS, because each carries its number. */
export function smsCount(text: string): number {
  const [one, part] = plainSigns.test(text) ? [160, 153] : [70, 67]
  return text.length <= one ? 1 : Math.ceil(text.length / part)
}
