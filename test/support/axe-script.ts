import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Elements in which axe-core would find what it finds in another: of rows beside each other that differ in their words
 * alone, all but the first.
 */
const alikeRows = `const alikeRows = () => {
  const isWords = (text) => (text.trim() === '' ? '' : 'words')
  const words = /^(id|href|name|value|title|data-index|aria-label)$/
  const references = /^(for|aria-(labelledby|describedby|controls))$/
  const meaningOf = ({ name, value }) => {
    if (words.test(name)) return name + isWords(value)
    if (!references.test(name)) return name + '=' + value
    return name + value.split(' ').every((id) => document.getElementById(id) !== null)
  }
  const lookOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return isWords(node.data)
    if (node.nodeType !== Node.ELEMENT_NODE) return ''
    const own = [node.tagName, node.checked, ...Array.from(node.attributes, meaningOf)]
    return '<' + own.join(' ') + '>' + Array.from(node.childNodes, lookOf).join('') + '</>'
  }
  const looks = new Map()
  return [...document.querySelectorAll('tr, li, [role=option]')].filter((row) => {
    const known = looks.get(row.parentNode) ?? new Set()
    const look = lookOf(row) + row.matches(':hover, :focus-within')
    if (known.has(look)) return true
    looks.set(row.parentNode, known.add(look))
    return false
  })
}`

/**
 * Leaves those rows, and what the selectors mean, out of the tree that axe-core makes of the page: their parents do not
 * name them until the function is called that this answers. What axe-core is told to exclude is in its tree all the
 * same, and each rule then compares each element with all that is excluded, which takes twice as long on a list.
 */
const leaveOut = `globalThis.leaveOut = (selectors) => {
  const left = new Set([...selectors.flatMap((one) => [...document.querySelectorAll(one)]), ...alikeRows()])
  const parents = new Set(Array.from(left, ({ parentNode }) => parentNode))
  for (const parent of parents) {
    const others = [...parent.childNodes].filter((one) => !left.has(one))
    Object.defineProperty(parent, 'childNodes', { configurable: true, get: () => others })
  }
  return () => {
    for (const parent of parents) delete parent.childNodes
  }
}`

/**
 * The contrast of words follows from how they and everything that they are in are drawn, so of what is drawn alike it
 * is computed once, on whatever screen that is: what was enough is in `globalThis.legible`, and what a run of axe-core
 * finds so goes into `globalThis.newlyLegible` as well. What is too faint is computed again each time. `forgetLooks`
 * is called before each run, because meanwhile anything may be drawn otherwise.
 */
const contrastOnce = `(() => {
  globalThis.newlyLegible = []
  let looks
  globalThis.forgetLooks = () => void (looks = new Map())
  const numbered = (text) => {
    let [one, other] = [7, 11]
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      one = Math.imul(one ^ code, 0x01000193)
      other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 15)
    }
    return one + '.' + other
  }
  const lookOf = (element) => {
    if (element === null) return ''
    const known = looks.get(element)
    if (known !== undefined) return known
    const style = getComputedStyle(element)
    const { color, fontSize, fontWeight, textShadow, backgroundColor, backgroundImage, filter, opacity, position } = style
    const drawn = [color, fontSize, fontWeight, textShadow, backgroundColor, backgroundImage, filter, opacity, position]
    // Where it stands, and what is drawn before and after it, is a matter of its classes.
    const classes = String(element.getAttribute('class')).replace(/__m__\\S+/g, '')
    const look = numbered([lookOf(element.parentElement), element.tagName, classes, ...drawn].join('|'))
    looks.set(element, look)
    return look
  }
  const { rules, checks } = axe._audit
  const rule = rules.find(({ id }) => id === 'color-contrast')
  const { matches } = rule
  rule.matches = (element, ...rest) =>
    !legible.has(lookOf(element)) && matches.call(rule, element, ...rest)
  const check = checks['color-contrast']
  const { evaluate } = check
  check.evaluate = function (element, ...rest) {
    let computed
    const { data } = this
    this.data = (told) => data.call(this, (computed = told))
    const isEnough = evaluate.call(this, element, ...rest)
    // It is also answered that there is nothing to see, or that it cannot be told.
    if (isEnough === true && computed?.contrastRatio) {
      legible.add(lookOf(element))
      newlyLegible.push(lookOf(element))
    }
    return isEnough
  }
})()`

/** axe-core, to be evaluated in a page. */
export const axeScript = [axe, `(() => { ${alikeRows}; ${leaveOut} })()`, contrastOnce].join(';')

/** To be evaluated after it. */
export const knownLegible = (looks: Iterable<string>): string =>
  `globalThis.legible = new Set(${JSON.stringify([...looks])})`
