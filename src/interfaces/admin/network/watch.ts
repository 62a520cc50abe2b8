import type { Route } from '../../../platform/http/call.ts'
import { AdminPage } from '../pages.ts'

/** `/admin/watch/`: the page that shows operators live what is happening. Its data comes from `/admin/live/`. */
export const watchRoutes = (): Route[] => page.routes('/admin/watch')

const page = new AdminPage(new URL('./watch/', import.meta.url), 'watch')
