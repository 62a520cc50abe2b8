import type { Door, Route } from '../../../../platform/http/call.ts'
import {
  type ApiSection,
  addressOf,
  isDescribed,
  operationOf,
  securitySchemes,
  staffSecurity,
  systemRefusalSchema,
} from '../../../../platform/http/openapi.ts'
import { errorSchema } from '../../../../platform/http/schemas.ts'
import { webhooksSection } from '../../webhooks/events.ts'

type Json = Record<string, unknown>

export type DocumentParts = {
  readonly routes: readonly Route[]
  /** Interfaces that describe their routes by models. */
  readonly sections: readonly ApiSection[]
  readonly publicUrl: string
  readonly version: string
}

/** OpenAPI 3.1 of every JSON endpoint: the given sections, and all other routes by their own descriptions. */
export function wholeDocument({ routes, sections, publicUrl, version }: DocumentParts): Json {
  const described = routes.filter(isDescribed)
  const paths: Record<string, Json> = Object.assign({}, ...sections.map((section) => section.paths))
  for (const route of described) {
    const path = addressOf(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  const undescribed = routes.filter(
    (route) => isJson(route) && !paths[addressOf(route.path)]?.[route.method.toLowerCase()],
  )
  const chapters = [...new Set(described.map(({ doc }) => doc.tag))].sort()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version,
      description: [...sections.map(({ description }) => description), adminDoc].join(' '),
    },
    servers: [{ url: publicUrl }],
    security: staffSecurity,
    tags: [...chapters.map((name) => ({ name })), ...sections.flatMap((section) => section.tags)],
    paths,
    webhooks: webhooksSection(),
    ...(undescribed.length > 0 && { 'x-undescribed': undescribed.map(({ method, path }) => `${method} ${path}`) }),
    components: {
      securitySchemes,
      schemas: {
        ...Object.assign({}, ...sections.map(({ schemas }) => schemas)),
        Refusal: errorSchema,
        SystemRefusal: systemRefusalSchema,
      },
      responses: Object.assign({}, ...sections.map(({ responses }) => responses)),
    },
  }
}

/**
 * Whether a route answers with JSON. Routes of clients are pages, and so are public routes without a description, such
 * as the sign-in form. `*` takes every address without a route.
 */
const isJson = ({ door, path }: Route): boolean =>
  !pageDoors.includes(door) && door !== 'public' && door !== 'soap' && !path.includes('*')

const pageDoors: readonly Door[] = ['page', 'client', 'guest']

const adminDoc =
  'Endpoints under /admin carry rubles as decimal strings and refuse with {ok: false, error, code}. A write that carries the session cookie needs the ' +
  'header X-CSRFToken and a Referer or Origin of our own.'
