import { byId, h, moment, server } from '/admin/house.js'

const words = {
  wrong_password: 'Нынешний пароль неверен.',
  wrong_code: 'Код или ключ доступа не принят.',
  unproven: 'Это последний второй фактор: подтвердите его.',
  refused_passkey: 'Ключ доступа не принят. У одного сотрудника их не больше двадцати.',
}
const wordsOf = (status, body) =>
  words[body?.code] ??
  (status === 429 ? 'Слишком много неверных попыток. Попробуйте позже.' : (body?.error ?? 'Сервер не отвечает.'))
const { get, post, remove } = server(wordsOf)

const reasonOf = (error) =>
  ({
    SecurityError: 'Ключи доступа работают только по HTTPS и по доменному имени (TOLLGATE_PUBLIC_URL).',
    NotAllowedError: 'Ключ доступа не подтверждён.',
    InvalidStateError: 'Этот ключ доступа уже добавлен.',
  })[error.name] ?? error.message

/** A section with a list of records, a form that makes one, and a line that says what came of it. */
function section(id, path, { describe, make, removal }) {
  const place = byId(id)
  if (!place) return
  const [list, form, outcome] = ['ul', 'form', '.outcome'].map((name) => place.querySelector(name))

  /** Runs a step, shows why it failed, and lists what is there afterwards. */
  const attempt = async (button, work) => {
    button.disabled = true
    outcome.replaceChildren()
    try {
      outcome.className = 'outcome good'
      outcome.replaceChildren(...((await work()) ?? []))
      await refresh()
    } catch (error) {
      outcome.className = 'outcome bad'
      outcome.textContent = reasonOf(error)
    } finally {
      button.disabled = false
    }
  }
  const refresh = async () => {
    const { items } = await get(path)
    list.replaceChildren(...items.filter(isOwn).map((item) => h('li', ...describe(item), removal(item, attempt))))
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(form.querySelector('button'), async () => {
      const shown = await make(new FormData(form))
      form.reset()
      return shown
    })
  })
  refresh().catch((error) => {
    outcome.className = 'outcome bad'
    outcome.textContent = reasonOf(error)
  })
}

/** A superuser is shown the tokens of all. */
const isOwn = ({ user }) => user === undefined || user === document.body.dataset.username

const used = (at) => h('small', at ? ` · последнее использование ${moment(at)}` : ' · ещё не использован')

// ---- Passkeys

const passkeys = '/admin/account/passkeys/'

async function addPasskey(fields) {
  const { options } = await post(`${passkeys}options/`, { current_password: fields.get('current_password') })
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const response = await navigator.credentials.create({ publicKey })
  const { recovery_codes: codes } = await post(passkeys, { name: fields.get('name'), response })
  if (codes.length === 0) return ['Ключ доступа добавлен.']
  return [
    'Ключ доступа добавлен. Сохраните коды восстановления: каждый один раз заменит его, и больше они не будут показаны.',
    h('span', { class: 'codes' }, ...codes.map((code) => h('code', code))),
  ]
}

/** The last second factor is shown to take it away: by a code, where one is typed, else by the passkey. */
async function removePasskey(id, fields) {
  const sent = { current_password: fields.get('current_password'), code: fields.get('code') }
  try {
    await remove(`${passkeys}${id}/`, sent)
  } catch (error) {
    if (error.body?.code !== 'unproven') throw error
    const { options } = await post(`${passkeys}confirm/`, {})
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    await remove(`${passkeys}${id}/`, { ...sent, response: await navigator.credentials.get({ publicKey }) })
    location.assign('/admin/account/')
  }
}

function passkeyRemoval({ id }, attempt) {
  const button = h('button', 'Удалить')
  const form = h(
    'form',
    h('label', 'Нынешний пароль', h('input', { name: 'current_password', type: 'password', required: true })),
    h('label', 'Код из приложения или восстановления, если ключа нет под рукой', h('input', { name: 'code' })),
    button,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(button, () => removePasskey(id, new FormData(form)))
  })
  return h('details', h('summary', 'Удалить'), form)
}

section('passkeys', passkeys, {
  describe: ({ name, created_at: made, used_at: at }) => [
    h('b', name),
    h('small', ` · добавлен ${moment(made)}`),
    used(at),
  ],
  make: addPasskey,
  removal: passkeyRemoval,
})

// ---- API tokens

const tokens = '/admin/settings/tokens/'

section('tokens', tokens, {
  describe: ({ name, scopes, expires, used_at: at }) => [
    h('b', name),
    h('small', ` · ${scopes.join(', ')}${expires ? ` · до ${moment(expires)}` : ''}`),
    used(at),
  ],
  make: async (fields) => {
    const { token } = await post(tokens, {
      name: fields.get('name'),
      scopes: fields.getAll('scopes'),
      expires: fields.get('expires') || null,
      current_password: fields.get('current_password'),
    })
    return ['Токен показан только сейчас: ', h('code', token)]
  },
  removal: ({ id }, attempt) =>
    h(
      'button',
      {
        type: 'button',
        onclick: (event) => attempt(event.target, () => remove(`${tokens}${id}/`).then(() => ['Токен отозван.'])),
      },
      'Отозвать',
    ),
})
