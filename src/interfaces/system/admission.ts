import { type TrustedProxies, trustedProxies } from '../../platform/http/address.ts'
import type { Call } from '../../platform/http/call.ts'
import { isSameText } from '../../platform/same-text.ts'
import type { Settings } from '../../platform/settings/settings.ts'

/** Who may use the System API (contract section 5): an address of SYSTEM_API_ALLOW that knows SYSTEM_API_PASSWORD. */
export function systemAdmission(
  settings: Pick<Settings, 'get'>,
): (caller: Pick<Call, 'address' | 'header'>) => boolean {
  let allowText = ''
  let allowed: TrustedProxies = trustedProxies([])
  return (caller) => {
    const password = settings.get('SYSTEM_API_PASSWORD')
    if (password === '') return false
    const text = settings.get('SYSTEM_API_ALLOW')
    if (text !== allowText) {
      allowed = trustedProxies(text.split(',').flatMap((part) => part.trim() || []))
      allowText = text
    }
    // Both are always checked, so that the response time does not reveal which one was wrong.
    const rightPassword = isSameText(caller.header('x-system-password'), password)
    return allowed.has(caller.address) && rightPassword
  }
}
