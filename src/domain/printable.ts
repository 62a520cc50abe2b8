/**
 * Makes text from another program safe to store and show: PostgreSQL accepts no NUL, jsonb no lone surrogate, and a
 * screen no control characters. Each of them becomes U+FFFD; line feeds are kept.
 */
export const printable = (text: string): string => text.toWellFormed().replace(unprintable, '\ufffd')

const unprintable = /(?!\n)\p{Cc}/gu
