// The button of the second step of the sign-in that asks the browser for a passkey.

const form = document.getElementById('passkey')

/** The browser asks about one passkey at a time, and says of a second press in its own words that it is busy. */
let isAsking = false

form.hidden = !window.PublicKeyCredential?.parseRequestOptionsFromJSON
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (isAsking) return
  isAsking = true
  const fault = form.querySelector('.error')
  fault.textContent = ''
  try {
    const { passkey, challenge, csrfmiddlewaretoken } = form.elements
    const response = await fetch('/admin/second_factor/options/', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRFToken': csrfmiddlewaretoken.value },
      body: JSON.stringify({ challenge: challenge.value }),
    })
    const { ok, options } = await response.json()
    if (!ok) throw new Error('Вход просрочен, начните заново.')
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    passkey.value = JSON.stringify(await navigator.credentials.get({ publicKey }))
    form.submit()
  } catch (error) {
    fault.textContent =
      error.name === 'SecurityError'
        ? 'Ключ доступа работает только по тому адресу, для которого он создан.'
        : error.name === 'NotAllowedError'
          ? 'Ключ доступа не подтверждён.'
          : error.message
  } finally {
    isAsking = false
  }
})
