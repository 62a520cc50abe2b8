import { type TrustedProxies, trustedProxies } from '../../platform/http/address.ts'
import type { Reply } from '../../platform/http/call.ts'
import { refusal, refusalText } from '../../platform/http/errors.ts'
import type { Arrival } from '../../platform/http/gate.ts'
import type { PasswordTries } from '../../platform/passwords/tries.ts'
import { isSameText } from '../../platform/same-text.ts'
import type { Settings } from '../../platform/settings/settings.ts'

const throughProxy =
  'A proxy has passed this request on, and nobody knows for whom: name the proxy in TOLLGATE_TRUST_PROXY and let it send X-Forwarded-For, or ask without it.'
const throttled = 'Too many wrong passwords; try again later.'

/**
 * Who may use the System API (contract section 5): an address of SYSTEM_API_ALLOW that knows SYSTEM_API_PASSWORD. The
 * answer is the refusal of everybody else; null: the caller is admitted.
 */
export function systemAdmission(
  settings: Pick<Settings, 'get'>,
  tries: PasswordTries,
): (caller: Arrival) => Promise<Reply | null> {
  let allowText = ''
  let allowed: TrustedProxies = trustedProxies([])
  const isAllowed = (address: string): boolean => {
    const text = settings.get('SYSTEM_API_ALLOW')
    if (text !== allowText) {
      allowed = trustedProxies(text.split(',').flatMap((part) => part.trim() || []))
      allowText = text
    }
    return allowed.has(address)
  }
  return async (caller) => {
    const { address } = caller
    if (caller.isForStranger) return refusal('system', 403, throughProxy)
    const password = settings.get('SYSTEM_API_PASSWORD')
    const sent = caller.header('x-system-password')
    if (password === '' || sent === '' || !isAllowed(address)) return closed()
    const tried = { entrance: 'system', address, owners: ['system'], name: '' } as const
    const made = await tries.attempt(tried, async () => (isSameText(sent, password) ? true : null))
    if (made.kind === 'throttled')
      return refusal('system', 429, throttled, [['Retry-After', String(made.retryAfterSeconds)]])
    return made.result ? null : closed()
  }
}

const closed = (): Reply => refusal('system', 403, refusalText.noSystemAccess)
