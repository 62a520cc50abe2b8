/**
 * What somebody else's program said, as a column and a screen can hold it: PostgreSQL takes no NUL, jsonb no half of a surrogate
 * pair, and a screen no control characters. What cannot be shown becomes U+FFFD; line feeds stay.
 */
export const printable = (text: string): string => text.toWellFormed().replace(unprintable, '\ufffd')

const unprintable = /(?!\n)\p{Cc}/gu
