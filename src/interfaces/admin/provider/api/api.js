// Shows /admin/api/openapi.json. Everything is set as text, never as HTML.

import { byId, h, row } from '/admin/house.js'

const methods = ['get', 'post', 'put', 'patch', 'delete', 'options']

try {
  const answer = await fetch('/admin/api/openapi.json', { headers: { Accept: 'application/json' } })
  if (!answer.ok) throw new Error(`the document was answered with ${answer.status}`)
  show(await answer.json())
} catch (error) {
  byId('status').textContent = `The document cannot be shown: ${error.message}.`
}

function show(api) {
  byId('about').textContent = api.info.description ?? ''
  const chapters = new Map((api.tags ?? []).map((tag) => [tag.name, { ...tag, operations: [] }]))
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of methods) {
      const operation = item[method]
      if (!operation) continue
      const name = operation.tags?.[0] ?? 'Others'
      if (!chapters.has(name)) chapters.set(name, { name, operations: [] })
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
      chapters.get(name).operations.push({ method, path, ...operation, parameters })
    }
  }
  const shown = [...chapters.values()].filter(({ operations }) => operations.length > 0)
  byId('chapters').append(...shown.map((chapter) => chapterOf(chapter, api)))
  byId('filter').addEventListener('input', filter)
  filter()
}

function chapterOf({ name, description, operations }, api) {
  const about = description && h('p', { class: 'quiet' }, description)
  return h('section', h('h2', name), about, ...operations.map((operation) => operationOf(operation, api)))
}

function operationOf(operation, api) {
  const { method, path, summary = '', description = '' } = operation
  const details = h(
    'details',
    { 'data-words': `${method} ${path} ${summary} ${description}`.toLowerCase() },
    h(
      'summary',
      h('span', { class: 'method' }, method.toUpperCase()),
      h('code', path),
      h('span', { class: 'quiet' }, summary && ` ${summary}`),
    ),
  )
  // A list has some hundred parameters, which are created when they are looked at.
  details.addEventListener('toggle', () => details.append(bodyOf(operation, api)), { once: true })
  return details
}

function bodyOf({ description, parameters, requestBody, responses }, api) {
  const body = h('div')
  if (description) body.append(h('p', description))
  if (parameters.length > 0) body.append(h('h3', 'Parameters'), parameterTable(parameters))
  if (requestBody) body.append(h('h3', 'Body'), ...contentOf(requestBody, api))
  body.append(h('h3', 'Answers'))
  for (const [status, answer] of Object.entries(responses)) {
    const found = resolved(answer, api)
    body.append(h('p', h('strong', status), ` ${found.description ?? ''}`))
    if (status < '300') body.append(...contentOf(found, api))
  }
  return body
}

function parameterTable(parameters) {
  const head = h('tr', ...['Name', 'In', 'Type', 'Meaning'].map((text) => h('th', text)))
  const rows = parameters.map(({ name, in: place, schema = {}, description = '', required }) =>
    row({}, [h('span', h('code', name), required && ' *'), place, typeOf(schema), description]),
  )
  return h('table', h('thead', head), h('tbody', ...rows))
}

const typeOf = ({ type, enum: choices, default: standard }) =>
  [choices ? choices.join(', ') : [type ?? ''].flat().join(' or '), standard === undefined ? '' : `(${standard})`]
    .filter(Boolean)
    .join(' ')

const contentOf = ({ content = {} }, api) =>
  Object.entries(content).flatMap(([type, { schema = {} }]) => [
    h('p', { class: 'quiet' }, type),
    h('pre', JSON.stringify(resolved(schema, api), null, 2)),
  ])

/** Resolves a reference. References inside it stay as they are, which keeps a schema readable. */
function resolved(value, api) {
  const steps = value?.$ref?.split('/').slice(1)
  return steps ? steps.reduce((found, step) => found?.[step], api) : value
}

function filter() {
  const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  for (const section of byId('chapters').children) {
    let seen = 0
    for (const details of section.querySelectorAll('details')) {
      const isShown = words.every((word) => details.dataset.words.includes(word))
      details.hidden = !isShown
      if (isShown) seen++
    }
    section.hidden = seen === 0
    count += seen
  }
  byId('status').textContent = `${count} operations`
}
