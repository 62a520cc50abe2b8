const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: signs that XML 1.0 section 2.2 has no way to say
const unsayable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Text for an element or an attribute of XML 1.0; what XML cannot say becomes U+FFFD. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(unsayable, '\ufffd')
    .replace(/[&<>"\r]/g, (sign) => entities[sign]!)
