/** Value of one cookie of a Cookie header, '' where there is none. Ours hold only letters and digits, so nothing is decoded. */
export function readCookie(header: string, name: string): string {
  if (header === '') return ''
  let from = 0
  for (;;) {
    const at = header.indexOf(`${name}=`, from)
    if (at < 0) return ''
    // `xsessionid=` contains `sessionid=`: a name starts the header or follows a separator.
    if (at === 0 || header[at - 1] === ' ' || header[at - 1] === ';') {
      const end = header.indexOf(';', at)
      return header.slice(at + name.length + 1, end < 0 ? undefined : end).trim()
    }
    from = at + 1
  }
}

type CookieTerms = { secure: boolean; httpOnly: boolean; maxAgeSeconds: number }

/** A Set-Cookie header for the whole site. SameSite=Lax: a page of another site cannot make a browser send it with a write. */
export function setCookie(name: string, value: string, terms: CookieTerms): readonly [string, string] {
  const flags = `${terms.httpOnly ? '; HttpOnly' : ''}${terms.secure ? '; Secure' : ''}`
  return ['Set-Cookie', `${name}=${value}; Path=/; Max-Age=${terms.maxAgeSeconds}; SameSite=Lax${flags}`]
}

export const dropCookie = (name: string, secure: boolean): readonly [string, string] =>
  setCookie(name, '', { secure, httpOnly: true, maxAgeSeconds: 0 })
