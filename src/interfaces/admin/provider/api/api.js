// Shows /admin/api/openapi.json. Everything is set as text, never as HTML.

const byId = (id) => document.getElementById(id)

const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

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
  const section = make('section', {}, make('h2', {}, name))
  if (description) section.append(make('p', { class: 'quiet' }, description))
  section.append(...operations.map((operation) => operationOf(operation, api)))
  return section
}

function operationOf(operation, api) {
  const { method, path, summary = '', description = '' } = operation
  const details = make(
    'details',
    { 'data-words': `${method} ${path} ${summary} ${description}`.toLowerCase() },
    make(
      'summary',
      {},
      make('span', { class: 'method' }, method.toUpperCase()),
      make('code', {}, path),
      make('span', { class: 'quiet' }, summary ? ` ${summary}` : ''),
    ),
  )
  // A list has some hundred parameters, which are created when they are looked at.
  details.addEventListener('toggle', () => details.append(bodyOf(operation, api)), { once: true })
  return details
}

function bodyOf({ description, parameters, requestBody, responses }, api) {
  const body = make('div')
  if (description) body.append(make('p', {}, description))
  if (parameters.length > 0) body.append(make('h3', {}, 'Parameters'), parameterTable(parameters))
  if (requestBody) body.append(make('h3', {}, 'Body'), ...contentOf(requestBody, api))
  body.append(make('h3', {}, 'Answers'))
  for (const [status, answer] of Object.entries(responses)) {
    const found = resolved(answer, api)
    body.append(make('p', {}, make('strong', {}, status), ` ${found.description ?? ''}`))
    if (status < '300') body.append(...contentOf(found, api))
  }
  return body
}

function parameterTable(parameters) {
  const head = make('tr', {}, ...['Name', 'In', 'Type', 'Meaning'].map((text) => make('th', {}, text)))
  const rows = parameters.map(({ name, in: place, schema = {}, description = '', required }) =>
    make(
      'tr',
      {},
      make('td', {}, make('code', {}, name), required ? ' *' : ''),
      make('td', {}, place),
      make('td', {}, typeOf(schema)),
      make('td', {}, description),
    ),
  )
  return make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows))
}

const typeOf = ({ type, enum: choices, default: standard }) =>
  [choices ? choices.join(', ') : [type ?? ''].flat().join(' or '), standard === undefined ? '' : `(${standard})`]
    .filter(Boolean)
    .join(' ')

const contentOf = ({ content = {} }, api) =>
  Object.entries(content).flatMap(([type, { schema = {} }]) => [
    make('p', { class: 'quiet' }, type),
    make('pre', {}, JSON.stringify(resolved(schema, api), null, 2)),
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
