import { page } from '../../../platform/http/assets.ts'
import type { Route } from '../../../platform/http/call.ts'
import { redirect } from '../../../platform/http/reply.ts'

/** The address of the live page before the console had a screen for it. */
export const watchRoutes = (): Route[] => [page('/admin/watch', () => redirect('/admin/network/now/'))]
