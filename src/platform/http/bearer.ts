const form = /^bearer +(\S+) *$/i

/** The token after `Bearer` in an Authorization header; null when the header is absent or has another scheme. */
export const readBearer = (authorization: string): string | null => form.exec(authorization)?.[1] ?? null
