// Templates of answers, and the test of a NAS. Everything from outside is set as text, never as HTML.
// `?edit=` opens a template by its id, or the built-in one of a type; `?copy=` begins a new one from it, or from nothing.

import { byId, h, may, row, server } from '/admin/house.js'

const dictionary = '/admin/dictionary/nas_templates_crud/'
const { dataset } = document.body
const words = JSON.parse(dataset.words)
const { get, post, remove: erase } = server((_, body) => body?.error ?? words.noConnection)
const form = byId('template')
const parts = ['accept', 'coa', 'garden']
const listOf = (part) => form.querySelector(`[data-part="${part}"] ol`)

/** The template in the editor: `id` is null before it is saved; `written` is what is stored of it. */
const edited = { id: null, written: '' }

function say(id, text, isBad = false) {
  byId(id).textContent = text
  byId(id).classList.toggle('bad', isBad)
}

const badge = (text) => h('span', { class: 'badge' }, text)

// ---- The list

async function showList() {
  const [own, { built_in, nas }] = await Promise.all([
    may('settings') ? get(`${dictionary}?per_page=1000`) : { items: [] },
    get('/admin/radius/templates_json/'),
  ])
  const entry = (key, text, mark) => {
    const isOpen = String(key) === String(edited.id)
    return h('li', h('a', { href: `?edit=${key}`, 'aria-current': isOpen && 'page' }, text, badge(mark)))
  }
  const entries = own.items.map(({ id, name, nas_type }) => entry(id, name, nas_type))
  byId('own').replaceChildren(...(entries.length > 0 ? entries : [h('li', { class: 'quiet' }, words.none)]))
  byId('built-in').replaceChildren(...built_in.map(({ nas_type }) => entry(nas_type, nas_type, words.builtIn)))
  return { own: own.items, builtIn: built_in, nas }
}

// ---- The editor

function show(template, { isBuiltIn, users }) {
  const { name = '', nas_type, comment } = template
  form.elements.name.value = name
  form.elements.nas_type.value = nas_type
  form.elements.comment.value = comment ?? ''
  for (const part of parts) listOf(part).replaceChildren(...template[part].map(lineOf))
  for (const field of form.querySelectorAll('input, textarea')) field.readOnly = isBuiltIn
  form.elements.nas_type.disabled = isBuiltIn
  for (const button of form.querySelectorAll('button')) button.hidden = isBuiltIn
  for (const part of ['head', 'comment']) byId(part).hidden = isBuiltIn
  byId('copy').hidden = edited.id === null
  byId('copy').href = `?copy=${edited.id}`
  byId('remove').hidden = isBuiltIn || edited.id === null
  const title = isBuiltIn ? nas_type : edited.id === null ? words.newTitle : name
  byId('editor-title').replaceChildren(title, ...(isBuiltIn ? [' ', badge(words.builtIn)] : []))
  const names = users.map((nas) => nas.name).join(', ')
  byId('used').textContent = edited.id === null ? '' : names ? words.usedBy + names : words.nobody
  edited.written = JSON.stringify(written())
  byId('editor').hidden = false
}

let linesMade = 0

function lineOf({ name, value }) {
  const line = byId('line').content.cloneNode(true).firstElementChild
  const fault = line.querySelector('.fault')
  fault.id = `fault-${++linesMade}`
  line.querySelector('.name').setAttribute('aria-describedby', fault.id)
  line.querySelector('.name').value = name
  line.querySelector('.value').value = value
  return line
}

/** The lines of a part that are not empty. */
const usedLines = (part) =>
  [...listOf(part).children].filter((line) => [...line.querySelectorAll('input')].some((field) => field.value.trim()))

const valueIn = (line, field) => line.querySelector(field).value.trim()

/** The fields as the dictionary takes them. */
function written() {
  const { name, nas_type, comment } = form.elements
  const lists = parts.map((part) => [
    part,
    usedLines(part).map((line) => ({ name: valueIn(line, '.name'), value: valueIn(line, '.value') })),
  ])
  const texts = { name: name.value.trim(), nas_type: nas_type.value, comment: comment.value.trim() || null }
  return { ...texts, ...Object.fromEntries(lists) }
}

async function save() {
  for (const wrong of form.querySelectorAll('[aria-invalid]')) wrong.removeAttribute('aria-invalid')
  for (const fault of form.querySelectorAll('.fault')) fault.textContent = ''
  say('result', '')
  try {
    const saved = await post(edited.id === null ? dictionary : `${dictionary}${edited.id}/`, written())
    edited.id = saved.id
    history.replaceState(null, '', `?edit=${saved.id}`)
    const { nas } = await showList()
    show(saved, { isBuiltIn: false, users: nas.filter(({ template }) => template === saved.id) })
    say('result', words.saved)
  } catch (error) {
    refuse(error)
  }
}

/** Shows a refusal beside the line or the field that it is about. */
function refuse({ message, body: { part, line, errors } = {} }) {
  const wrong = part === undefined ? undefined : usedLines(part)[line]
  if (wrong) point(wrong.querySelector('.name'), wrong.querySelector('.fault'), message)
  else if (errors?.name) point(form.elements.name, byId('name-fault'), errors.name)
  else say('result', message, true)
}

function point(field, place, text) {
  place.textContent = text
  field.setAttribute('aria-invalid', 'true')
  field.focus()
}

async function remove() {
  if (!confirm(words.confirmDelete)) return
  try {
    await erase(`${dictionary}${edited.id}/`)
    edited.written = JSON.stringify(written())
    location.assign(location.pathname)
  } catch (error) {
    say('result', error.message, true)
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  save()
})
form.addEventListener('click', ({ target }) => {
  if (target.id === 'remove') remove()
  else if (target.matches('[data-add]')) {
    const list = listOf(target.closest('fieldset').dataset.part)
    list.append(lineOf({ name: '', value: '' }))
    list.lastElementChild.querySelector('.name').focus()
  } else if (target.matches('li button')) {
    const add = target.closest('fieldset').querySelector('[data-add]')
    target.closest('li').remove()
    add.focus()
  }
})
addEventListener('beforeunload', (event) => {
  if (!byId('editor').hidden && JSON.stringify(written()) !== edited.written) event.preventDefault()
})

// ---- The test of a NAS

async function tryNas({ nas, login }) {
  say('answer', words.asking)
  try {
    const { probe, decision } = await post(`/admin/radius/nas/${nas.value}/test/`, { login: login.value.trim() })
    const cause = probe.error_cause === null ? '' : ` (Error-Cause ${probe.error_cause})`
    const isHeard = probe.result === 'answered'
    byId('answer').replaceChildren(
      h('p', { class: isHeard ? 'good' : 'bad' }, `${words.probe[probe.result]}${cause}`),
      ...(decision ? decisionOf(decision) : []),
    )
  } catch (error) {
    say('answer', error.message, true)
  }
}

function decisionOf({ result, reason, attributes }) {
  const rows = attributes.map(({ name, value }) => row({}, [name, value]))
  const head = h('tr', h('th', words.attribute), h('th', words.value))
  return [
    h('h3', { class: result === 'accept' ? 'good' : 'bad' }, words.result[result]),
    ...(reason === null ? [] : [h('p', { lang: 'en' }, reason)]),
    ...(rows.length > 0 ? [h('table', h('thead', head), h('tbody', ...rows))] : []),
  ]
}

byId('question').addEventListener('submit', (event) => {
  event.preventDefault()
  tryNas(event.currentTarget.elements)
})

// ---- Start

async function start() {
  const asked = new URLSearchParams(location.search)
  const [copied, wanted] = [asked.get('copy'), asked.get('edit')]
  if (copied === null) edited.id = wanted
  const { own, builtIn, nas } = await showList()
  form.elements.nas_type.append(...builtIn.map(({ nas_type }) => new Option(nas_type)))
  const option = ({ id, name, nas_type, enabled }) =>
    new Option(`${name} · ${nas_type}${enabled ? '' : ` · ${words.disabled}`}`, id)
  byId('question').elements.nas.append(...nas.map(option))
  byId('try').hidden = !may('change') || nas.length === 0
  if (!may('settings')) return
  byId('list').hidden = false
  const key = copied ?? wanted ?? String(own[0]?.id ?? builtIn[0].nas_type)
  const ofType = builtIn.find(({ nas_type }) => nas_type === key)
  const found = own.find(({ id }) => String(id) === key) ?? ofType
  if (copied !== null) {
    const blank = { nas_type: builtIn[0].nas_type, accept: [], coa: [], garden: [] }
    const name = found ? `${found.name ?? found.nas_type} (${words.copyOf})` : ''
    show({ ...(found ?? blank), name }, { isBuiltIn: false, users: [] })
    form.elements.name.focus()
  } else if (found) {
    edited.id = found.id ?? found.nas_type
    if (wanted === null) await showList()
    const isUser = ({ template, nas_type }) => (ofType ? template === null && nas_type === key : template === found.id)
    show(found, { isBuiltIn: ofType !== undefined, users: nas.filter(isUser) })
  } else say('state', words.missing, true)
}

start().catch((error) => say('state', error.message, true))
