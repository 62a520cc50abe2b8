import type { Call, Reply, Route } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'
import { stylesheet, submitScript } from './assets.ts'
import { showBlock, takeBlock } from './block.ts'
import { showHistory } from './history.ts'
import { showHome } from './home.ts'
import { showMailings, showUnsubscribe, takeMailings, takeUnsubscribe } from './mailings.ts'
import type { PortalParts } from './parts.ts'
import { showPassword, takePassword } from './password.ts'
import { showPay, takePay } from './pay.ts'
import { showPromise, takePromise } from './promise.ts'
import { returnByGet, showResult } from './result.ts'
import { showServices, takeServices } from './services.ts'
import { showSignIn, signOut, takeSignIn } from './sign-in.ts'
import { showTariff, takeTariff } from './tariff.ts'
import { showTickets, takeTickets } from './tickets.ts'

type PortalHandler = (parts: PortalParts, call: Call) => Reply | Promise<Reply>

/**
 * The portal, the web pages of clients (specification 4.4, contract section 5). A form is handled by POST, and a
 * redirect to a GET then shows the outcome, so that reloading the page does not repeat the action.
 */
export function portalRoutes(parts: PortalParts): Route[] {
  const show = (path: string, handler: PortalHandler): Route => ({
    method: 'GET',
    path,
    door: 'client',
    handler: (call) => handler(parts, call),
  })
  const take = (path: string, handler: PortalHandler): Route => ({ ...show(path, handler), method: 'POST' })
  const open = { door: 'guest', allowedReadOnly: true } as const
  return [
    show('/lk', showHome),
    { ...show('/lk/login', showSignIn), ...open },
    { ...take('/lk/login', takeSignIn), ...open },
    { ...take('/lk/logout', signOut), allowedReadOnly: true },
    show('/lk/logout', () => redirect('/lk/')),
    show('/lk/payments', showHistory),
    show('/lk/payments/pay', showPay),
    take('/lk/payments/pay', takePay),
    { ...show('/lk/payments/result', showResult), ...open },
    { ...take('/lk/payments/result', (_, call) => returnByGet(call)), ...open },
    show('/lk/promise', showPromise),
    take('/lk/promise', takePromise),
    show('/lk/block', showBlock),
    take('/lk/block', takeBlock),
    show('/lk/password', showPassword),
    take('/lk/password', takePassword),
    show('/lk/tariff', showTariff),
    take('/lk/tariff', takeTariff),
    show('/lk/services', showServices),
    take('/lk/services', takeServices),
    show('/lk/tickets', showTickets),
    take('/lk/tickets', takeTickets),
    show('/lk/mailings', showMailings),
    take('/lk/mailings', takeMailings),
    { ...show('/lk/unsubscribe', showUnsubscribe), door: 'guest' },
    { ...take('/lk/unsubscribe', takeUnsubscribe), door: 'guest' },
    stylesheet.route,
    submitScript.route,
  ]
}
