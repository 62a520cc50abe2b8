import type { Route } from '../../platform/http/call.ts'
import { isDescribed, operationOf, systemRefusalSchema } from '../../platform/http/openapi.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { base, tags } from './docs.ts'

const path = `${base}/openapi.json`

/**
 * The OpenAPI document of the mobile API only, for developers of applications; `/admin/api/openapi.json` has all
 * interfaces.
 */
export function openApiRoute(
  routes: readonly Route[],
  { publicUrl, version }: { readonly publicUrl: () => string; readonly version: string },
): Route {
  const route: Route = {
    method: 'GET',
    path,
    door: 'app',
    doc,
    handler: () =>
      json(documentOf([...routes, route], publicUrl(), version), 200, [['Cache-Control', 'public, max-age=300']]),
  }
  return route
}

function documentOf(routes: readonly Route[], publicUrl: string, version: string) {
  const described = routes.filter(isDescribed)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of described) {
    const address = route.path.slice(base.length).replace(/:(\w+)/g, '{$1}')
    paths[address] = { ...paths[address], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tollgate Mobile API', version, description: about },
    servers: [{ url: `${publicUrl}${base}` }],
    security: [{ phone: [] }],
    tags: Object.values(tags).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        phone: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'access of /auth/login' },
      },
      schemas: { SystemRefusal: systemRefusalSchema },
    },
  }
}

const about =
  'Amounts are rubles as decimal strings with two places, moments ISO 8601. Errors are {status: "error", error, message}: error is stable, ' +
  'message is for people, Russian or English by Accept-Language. 30 requests a minute for each subscriber; X-RateLimit-Limit, ' +
  'X-RateLimit-Remaining and X-RateLimit-Reset (seconds since 1970) tell how many are left. A WebSocket at /live pushes the account ' +
  'status as {type: "status", at, seq, status}; its token goes as the sub-protocols "bearer, <access>" or as the first message ' +
  '{type: "auth", token}; a bad one closes with 4401. A message of more than 8 KiB closes with 1009, and one of more than 256 KiB is cut ' +
  'off before its end, which is 1006 at the client; 4408 says that it was silent for too long, 1012 and 1001 that it should connect again.'

const doc: RouteDoc = {
  tag: tags.start,
  summary: 'This document',
  answers: { 200: { doc: 'OpenAPI 3.1', schema: schemas.any } },
}
