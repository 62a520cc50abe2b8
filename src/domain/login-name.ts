/** The longest value of a RADIUS attribute (RFC 2865 section 5), and so of a User-Name. */
export const loginBytesMax = 253

/** Completes "It must …". */
export const loginNameRule = `have at most ${loginBytesMax} bytes, of which a Latin letter takes one and a Cyrillic letter two`

/** Whether a User-Name can carry it. */
export const isLoginName = (text: string): boolean => Buffer.byteLength(text) <= loginBytesMax

/** The same for a field that itself refuses more than `loginBytesMax` letters, so that one fault is reported once. */
export const fitsLoginName = (text: string): boolean => text.length > loginBytesMax || isLoginName(text)
