// The live page, which shows the topics of /admin/live/. Everything shown is set as text, never as HTML: logins come from the network.

import { byId, h, number, row } from '/admin/house.js'

const topics = ['system', 'radius', 'sessions', 'blocks', 'finance']
const sessionsKeptMax = 2000
const sessionsShownMax = 200
const feedMax = 50
const chartSeconds = 60
const pingMs = 25_000
const silenceMaxMs = 60_000
const snapshotPauseMs = 5000
const retryMs = { first: 1000, most: 30_000 }

// ---- Connection: one socket at a time, reconnected with growing pauses

let retries = 0
let lastSeq = 0
let heardAt = 0
let askedAt = 0
let askLater = 0
let countLater = 0

function connect() {
  const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/admin/live/`)
  let wasOpen = false
  const watchdog = setInterval(() => {
    if (Date.now() - heardAt > silenceMaxMs) socket.close()
    else if (socket.readyState === WebSocket.OPEN) say(socket, { type: 'ping' })
  }, pingMs)
  heardAt = Date.now()
  socket.onopen = () => {
    wasOpen = true
    lastSeq = 0
    showConnection('open', 'соединено')
    say(socket, { type: 'subscribe', topics })
  }
  socket.onmessage = ({ data }) => {
    heardAt = Date.now()
    retries = 0
    take(socket, JSON.parse(data))
  }
  socket.onclose = ({ code }) => {
    clearInterval(watchdog)
    clearTimeout(askLater)
    clearTimeout(countLater)
    askLater = countLater = 0
    if (code === 4401) location.reload()
    else retry(wasOpen)
  }
}

async function retry(wasOpen) {
  // A refused upgrade looks like any other failure, so ask whether we are still signed in; reloading leads to the sign-in.
  if (!wasOpen && (await isSignedOut())) return location.reload()
  const pauseMs = Math.min(retryMs.most, retryMs.first * 2 ** retries++) * (0.7 + 0.6 * Math.random())
  showConnection('lost', `связь потеряна, снова через ${Math.ceil(pauseMs / 1000)} с`)
  setTimeout(connect, pauseMs)
}

const isSignedOut = () =>
  fetch('/admin/watch/', { method: 'HEAD', redirect: 'manual' }).then(
    ({ type, status }) => type === 'opaqueredirect' || status === 401,
    () => false,
  )

const say = (socket, message) => socket.send(JSON.stringify(message))

function showConnection(state, text) {
  byId('connection').dataset.state = state
  byId('connection').textContent = text
}

/** A gap in seq means that frames were replaced or dropped. A snapshot repairs that, and there is at most one in a while. */
function askAgain(socket) {
  if (askLater) return
  askLater = setTimeout(
    () => {
      askLater = 0
      askedAt = Date.now()
      if (socket.readyState === WebSocket.OPEN) say(socket, { type: 'snapshot' })
    },
    Math.max(0, askedAt + snapshotPauseMs - Date.now()),
  )
}

/** Only a snapshot has the number of blocked subscribers. */
function countAgain(socket) {
  countLater ||= setTimeout(() => {
    countLater = 0
    if (socket.readyState === WebSocket.OPEN) say(socket, { type: 'snapshot', topics: ['blocks'] })
  }, snapshotPauseMs)
}

// ---- Frames

function take(socket, frame) {
  if (lastSeq > 0 && frame.seq > lastSeq + 1) askAgain(socket)
  lastSeq = frame.seq
  if (frame.type === 'snapshot') snapshots[frame.topic]?.(frame)
  else events[frame.type]?.(frame)
  if (frame.type === 'block.changed') countAgain(socket)
}

const snapshots = {
  system: showSystem,
  radius({ rates, rejected, coa }) {
    showRates(rates)
    fill('feed-rejections', rejected, rejectionLine)
    fill('feed-coa', coa, coaLine)
  },
  sessions(frame) {
    sessions.clear()
    total = frame.total
    for (const session of frame.sessions.reverse()) sessions.set(session.id, session)
    plan()
  },
  blocks({ counts, recent }) {
    byId('blocked-total').textContent = counts ? number(counts.blocked) : '–'
    fill('feed-blocks', recent, blockLine)
  },
  finance: ({ recent }) => fill('feed-payments', recent, paymentLine),
}

const events = {
  system: showSystem,
  'radius.rates': (frame) => {
    showRates(frame)
    for (const name of rateNames) draw(name, frame[name])
  },
  'access.rejected': (frame) => prepend('feed-rejections', rejectionLine(frame)),
  'coa.answered': (frame) => prepend('feed-coa', coaLine(frame)),
  'block.changed': (frame) => prepend('feed-blocks', blockLine(frame)),
  'payment.credited': (frame) => prepend('feed-payments', paymentLine(frame)),
  'session.started'({ session }) {
    if (!sessions.has(session.id)) total++
    keep(session)
  },
  'session.updated': ({ session }) => keep(session),
  'session.stopped'({ session }) {
    sessions.delete(session.id)
    total = Math.max(0, total - 1)
    plan()
  },
}

// ---- RADIUS

const rateNames = ['accept', 'reject', 'accounting', 'dropped']
const history = Object.fromEntries(rateNames.map((name) => [name, []]))

function showRates(rates) {
  for (const name of rateNames) byId(`rate-${name}`).textContent = number(rates[name])
  byId('rejections-hidden').textContent = rates.rejections_hidden ? `и ещё ${number(rates.rejections_hidden)}` : ''
  byId('nas').replaceChildren(
    ...rates.nas.map((nas) =>
      row({}, [nas.name ?? 'неизвестный адрес', ...rateNames.map((name) => ['number', number(nas[name])])]),
    ),
  )
}

function draw(name, value) {
  const points = history[name]
  points.push(value)
  if (points.length > chartSeconds) points.shift()
  const most = Math.max(1, ...points)
  const at = (index) => 120 - ((points.length - 1 - index) * 120) / (chartSeconds - 1)
  byId(`chart-${name}`)
    .querySelector('polyline')
    .setAttribute('points', points.map((point, index) => `${at(index)},${29 - (28 * point) / most}`).join(' '))
}

function showSystem({ ready, reason, database_up, read_only, spool_bytes, unanswered_nas }) {
  const words = [ready ? 'работает' : (reason ?? 'не готово')]
  if (!database_up) words.push('база недоступна')
  if (read_only) words.push('только чтение')
  if (spool_bytes > 0) words.push(`учёт ждёт базу: ${bytes(spool_bytes)}`)
  for (const { nas, disconnects } of unanswered_nas)
    words.push(`${nas} не отвечает на Disconnect: ${number(disconnects)}`)
  byId('system').textContent = words.join(' · ')
  byId('system').className = ready && database_up ? 'good' : 'bad'
}

// ---- Sessions: kept in a map, drawn at most once a frame

const sessions = new Map()
let total = 0
let planned = false

function keep(session) {
  sessions.set(session.id, session)
  if (sessions.size > sessionsKeptMax) sessions.delete(sessions.keys().next().value)
  plan()
}

function plan() {
  if (planned) return
  planned = true
  requestAnimationFrame(() => {
    planned = false
    showSessions()
  })
}

function showSessions() {
  const wanted = byId('filter').value.trim().toLowerCase()
  const isWanted = (session) =>
    [session.login, session.ip, session.ipv6_prefix, session.mac, session.abonent_id].some((value) =>
      String(value ?? '')
        .toLowerCase()
        .includes(wanted),
    )
  const newest = [...sessions.values()]
    .filter((session) => wanted === '' || isWanted(session))
    .sort((a, b) => (a.started_at < b.started_at ? 1 : -1))
    .slice(0, sessionsShownMax)
  byId('sessions').replaceChildren(...newest.map(sessionRow))
  byId('sessions-total').textContent = number(total)
  byId('sessions-shown').textContent = `показано ${number(newest.length)} из ${number(total)}`
}

/** The address of the record, and how the NAS names itself where that says more: several may be behind one proxy. */
function nasText({ nas_ip, nas_ip_address, nas_ipv6_address, nas_identifier }) {
  const names = [nas_identifier, nas_ip_address ?? nas_ipv6_address].filter((name) => name && name !== nas_ip)
  return names.length === 0 ? nas_ip : `${nas_ip} (${names.join(', ')})`
}

const sessionRow = (session) =>
  row({}, [
    session.login,
    ['number', session.abonent_id],
    nasText(session),
    session.ip ?? session.ipv6_prefix,
    session.mac,
    clock(session.started_at),
    ['number', duration(session.session_time)],
    ['number', bytes(session.input_octets)],
    ['number', bytes(session.output_octets)],
  ])

// ---- Feeds

const reasonText = { debt: 'долг', operator: 'оператор', client: 'по заявке', system: 'система' }
const answerText = { ack: 'ACK', nak: 'NAK', no_answer: 'нет ответа' }

const who = ({ abonent_id, login, logins }) =>
  [login ?? logins?.slice(0, 3).join(', '), abonent_id ? `№ ${abonent_id}` : ''].filter(Boolean).join(' ') || '–'

const blockLine = (frame) =>
  line(
    frame,
    frame.enabled ? 'открыт' : 'закрыт',
    frame.enabled,
    `${who(frame)} ${frame.reasons.map((reason) => reasonText[reason] ?? reason).join(', ')}`,
  )
const paymentLine = (frame) =>
  line(frame, `+${frame.amount} ₽`, true, `${who(frame)} счёт ${frame.account_id}, теперь ${frame.balance} ₽`)
const rejectionLine = (frame) =>
  line(frame, who(frame), false, `${frame.reason}${frame.station ? ` · ${frame.station}` : ''}`)
const coaLine = (frame) =>
  line(
    frame,
    answerText[frame.result] ?? frame.result,
    frame.result === 'ack',
    `${frame.request} ${who(frame)}${frame.error_cause ? `, причина ${frame.error_cause}` : ''}, ${Math.round(frame.took_ms)} мс`,
  )

const line = ({ at }, head, isGood, rest) =>
  h('li', h('time', { datetime: at }, clock(at)), ' ', h('strong', { class: isGood ? 'good' : 'bad' }, head), ' ', rest)

function prepend(id, item) {
  const list = byId(id)
  list.prepend(item)
  while (list.children.length > feedMax) list.lastChild.remove()
}

const fill = (id, frames, lineOf) => byId(id).replaceChildren(...frames.map(lineOf))

// ---- Text

const clock = (at) => new Date(at).toLocaleTimeString('ru')

function duration(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  return `${hours}:${String(minutes).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`
}

function bytes(octets) {
  const units = ['Б', 'КБ', 'МБ', 'ГБ', 'ТБ']
  let value = octets
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value.toLocaleString('ru', { maximumFractionDigits: unit === 0 ? 0 : 1 })} ${units[unit]}`
}

byId('filter').addEventListener('input', plan)
connect()
