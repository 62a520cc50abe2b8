/**
 * The value of a cookie in a Cookie header, or ''. Our cookies contain only letters and digits, so nothing is decoded.
 */
export function readCookie(header: string, name: string): string {
  if (header === '') return ''
  let from = 0
  for (;;) {
    const at = header.indexOf(`${name}=`, from)
    if (at < 0) return ''
    // `xsessionid=` contains `sessionid=`, so the match must start the header or follow a separator.
    if (at === 0 || header[at - 1] === ' ' || header[at - 1] === ';') {
      const end = header.indexOf(';', at)
      return header.slice(at + name.length + 1, end < 0 ? undefined : end).trim()
    }
    from = at + 1
  }
}

type CookieTerms = { secure: boolean; httpOnly: boolean; maxAgeSeconds: number }

/**
 * A Set-Cookie header for the whole site. With SameSite=Lax, browsers do not send the cookie with writes from other
 * sites.
 */
export function setCookie(name: string, value: string, terms: CookieTerms): readonly [string, string] {
  const flags = `${terms.httpOnly ? '; HttpOnly' : ''}${terms.secure ? '; Secure' : ''}`
  return ['Set-Cookie', `${name}=${value}; Path=/; Max-Age=${terms.maxAgeSeconds}; SameSite=Lax${flags}`]
}

/** A Set-Cookie header that makes the browser delete the cookie. */
export const dropCookie = (name: string, secure: boolean): readonly [string, string] =>
  setCookie(name, '', { secure, httpOnly: true, maxAgeSeconds: 0 })
