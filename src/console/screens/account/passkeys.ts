import { ask, Refused } from '../../api/client.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountTexts } from './texts.ts'

/** Makes a passkey on this device and adds it. Rejects with Refused, or with what the browser says. */
export async function addPasskey(name: string, password: string) {
  const { options } = await ask('POST /admin/account/passkeys/options/', { body: { current_password: password } })
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never)
  const response = (await navigator.credentials.create({ publicKey })) as object
  return ask('POST /admin/account/passkeys/', { body: { name, response: response as never } })
}

type Proven = { readonly current_password: string; readonly code?: string; readonly response?: never }

type Removal = {
  readonly remove: (sent: Proven) => Promise<unknown>
  readonly password: string
  readonly code: string
  /** Whether there is one to show where no code was typed. */
  readonly hasPasskeys: boolean
}

/** Takes a second factor away; the last one is shown by a passkey where no code was typed. */
export async function takeAway({ remove, password, code, hasPasskeys }: Removal): Promise<void> {
  const sent = { current_password: password, ...(code.trim() !== '' && { code: code.trim() }) }
  try {
    await remove(sent)
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'unproven' || !hasPasskeys) throw error
    const found = await ask('POST /admin/account/passkeys/confirm/', {})
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(found.options as never)
    const response = (await navigator.credentials.get({ publicKey })) as never
    await remove({ ...sent, response })
  }
}

/** Says why the server, or the browser, has refused a passkey. */
export function useSayPasskey(): (error: unknown) => string {
  const t = useTexts(accountTexts)
  const say = useSayRefusal()
  return (error) => {
    if (!(error instanceof DOMException)) return say(error)
    if (error.name === 'NotAllowedError') return t.passkeyUnconfirmed
    return error.name === 'InvalidStateError' ? t.passkeyKnown : t.noPasskeyHere
  }
}
