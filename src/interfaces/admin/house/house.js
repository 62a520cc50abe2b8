// What the scripts of the pages of the web admin share. Everything from outside is set as text, never as HTML.

export const byId = (id) => document.getElementById(id)

/**
 * An element: its attributes, which may be left out, and its children. An attribute that is a function becomes a
 * property; attributes and children that are false, null or undefined are left out.
 */
export function h(tag, ...content) {
  const element = document.createElement(tag)
  const [attributes, ...children] = content[0]?.constructor === Object ? content : [{}, ...content]
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element[name] = value
    else if (value === true) element.setAttribute(name, '')
    else if (isPresent(value)) element.setAttribute(name, value)
  }
  element.append(...children.flat().filter(isPresent))
  return element
}

const isPresent = (value) => value !== false && value !== null && value !== undefined

/** A row of a table: each cell is its content, or its class and its content. */
export const row = (attributes, cells) =>
  h(
    'tr',
    attributes,
    ...cells.map((cell) => (Array.isArray(cell) ? h('td', { class: cell[0] }, cell[1]) : h('td', cell))),
  )

/** What the server refused, with the members of its answer. */
class Refused extends Error {
  constructor(message, body) {
    super(message)
    this.body = body ?? {}
  }
}

/**
 * Calls to JSON doors. `wordsOf` says a refusal in words for the operator, by its status, which is 0 when there was no
 * answer, and its body.
 */
export function server(wordsOf) {
  async function call(path, init) {
    let status = 0
    let body = null
    try {
      const response = await fetch(path, init)
      status = response.status
      // The session is over: loading the page again leads to the sign-in.
      if (status === 401) location.reload()
      body = await response.json()
    } catch (error) {
      if (error.name === 'AbortError') throw error
    }
    if (!body?.ok) throw new Refused(wordsOf(status, body), body)
    return body
  }
  const headers = () => ({ 'Content-Type': 'application/json', 'X-CSRFToken': csrfToken() })
  return {
    get: (path, signal) => call(path, { signal }),
    /** With a `key` a repeat of the same request does not move money a second time. */
    post: (path, fields, key) =>
      call(path, {
        method: 'POST',
        headers: { ...headers(), ...(key && { 'Idempotency-Key': key }) },
        body: JSON.stringify(fields),
      }),
    remove: (path, fields) =>
      call(path, { method: 'DELETE', headers: headers(), ...(fields && { body: JSON.stringify(fields) }) }),
  }
}

const csrfToken = () => /(?:^|;\s*)csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? ''

/** Whether the role of the operator has this right. */
export const may = (right) => document.body.dataset.rights.split(' ').includes(right)

/** Calls `work` whenever the end of a list, the element `id`, has come near the screen. */
export function whenNear(id, work) {
  // While the page was busy the end may have gone and come back, which is reported at once, oldest first.
  const look = (entries) => entries.at(-1).isIntersecting && work()
  new IntersectionObserver(look, { rootMargin: '400px' }).observe(byId(id))
}

/** The end of a list is still near: the screen has room for more, and an observer does not say so again. */
export const isNear = (id) => byId(id).getBoundingClientRect().top < innerHeight + 400

/** Decimal rubles with spaces between thousands, from the text as sent: no floating point. */
export function rubles(text) {
  if (text === null || text === undefined) return '–'
  const [whole, fraction] = text.replace('-', '').split('.')
  return `${text.startsWith('-') ? '−' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0')},${fraction ?? '00'}`
}

export const number = (value) => Number(value).toLocaleString('ru')

/** The server writes moments in TIME_ZONE, so the text itself is the local time of the provider. */
export const moment = (text, hasSeconds = false) =>
  text ? `${text.slice(8, 10)}.${text.slice(5, 7)}.${text.slice(0, 4)} ${text.slice(11, hasSeconds ? 19 : 16)}` : '–'
