import Type, { type TProperties } from 'typebox'
import { missingFor, protocolOf } from '../../billing/payments/gateways.ts'
import type { Call, Handler, Reply, Route } from '../../platform/http/call.ts'
import { choice, someText } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../platform/http/schemas.ts'
import { readQuery } from './body.ts'
import { base, refusalAnswer, tags } from './docs.ts'
import { languageOf } from './door.ts'
import type { MobileParts } from './parts.ts'

/** Applications may cache what they read at their start for five minutes (specification 8). */
const cached: NonNullable<Reply['headers']> = [['Cache-Control', 'public, max-age=300']]

/** The routes that an application reads before anybody has signed in. */
export const startRoutes = (parts: MobileParts): Route[] => {
  const open = (path: string, doc: RouteDoc, handler: Handler) =>
    ({ method: 'GET', path: `${base}${path}`, door: 'app', doc, handler }) as const satisfies Route
  return [
    open('/branding', docs.branding, () => json(branding(parts), 200, cached)),
    open('/features', docs.features, () => json(features(parts), 200, cached)),
    open('/version/check', docs.version, (call) => checkVersion(parts, call)),
    open('/auth/methods', docs.methods, () => json(methods, 200, cached)),
  ]
}

const branding = ({ settings }: MobileParts) => ({
  name: settings.get('MOBILE_BRAND_NAME'),
  logo_url: settings.get('MOBILE_BRAND_LOGO_URL') || null,
  support_phone: settings.get('MOBILE_SUPPORT_PHONE') || null,
  support_email: settings.get('MOBILE_SUPPORT_EMAIL') || null,
  colors: {
    primary: settings.get('MOBILE_BRAND_COLOR_PRIMARY'),
    accent: settings.get('MOBILE_BRAND_COLOR_ACCENT'),
  },
  currency: 'RUB',
  time_zone: settings.get('TIME_ZONE'),
  languages: ['ru', 'en'],
})

/** The features that an application should show. A client may still be refused one, with a reason. */
function features({ settings, hasPush, isReadOnly }: MobileParts) {
  const canPay = missingFor(protocolOf(settings.get('LK_PAYMENT_SYSTEM'), settings), settings).length === 0
  return {
    payments: canPay,
    promise_pay: true,
    voluntary_block: true,
    tariff_change: settings.get('TARIFF_CHANGE'),
    services: true,
    tickets: true,
    push: hasPush(),
    live: true,
    read_only: isReadOnly(),
  }
}

const platforms = ['android', 'ios'] as const

function versionsOf({ settings }: MobileParts) {
  return {
    android: {
      minimum: settings.get('MOBILE_ANDROID_VERSION_MIN'),
      latest: settings.get('MOBILE_ANDROID_VERSION_LATEST'),
      store_url: settings.get('MOBILE_ANDROID_STORE_URL') || null,
    },
    ios: {
      minimum: settings.get('MOBILE_IOS_VERSION_MIN'),
      latest: settings.get('MOBILE_IOS_VERSION_LATEST'),
      store_url: settings.get('MOBILE_IOS_STORE_URL') || null,
    },
  }
}

function checkVersion(parts: MobileParts, call: Call): Reply {
  const read = readQuery({ call, language: languageOf(call) }, docs.version.query)
  if ('refusal' in read) return read.refusal
  const { platform, version } = read.query
  const versions = versionsOf(parts)
  const isBefore = (which: 'minimum' | 'latest') =>
    platform && version ? isOlder(version, versions[platform][which]) : null
  const update = { update_required: isBefore('minimum'), update_available: isBefore('latest') }
  return json({ api: 'v1', server: parts.version, platforms: versions, ...update }, 200, cached)
}

/** Whether version `a` is older than `b`, for example `1.9.2` than `1.10`. Suffixes such as `-beta` are ignored. */
function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => text.split(/[-+]/, 1)[0]!.split('.').map(Number))
  for (let at = 0; at < Math.max(left!.length, right!.length); at++) {
    const [ofA, ofB] = [left![at] || 0, right![at] || 0]
    if (ofA !== ofB) return ofA < ofB
  }
  return false
}

const methods = {
  methods: [
    { type: 'password', fields: ['contract', 'password'], path: `${base}/auth/login`, login_by: ['contract', 'login'] },
  ],
}

const textOrNull = nullable(schemas.text)
const versionSchema = Type.Object({ minimum: schemas.text, latest: schemas.text, store_url: textOrNull })

const kept = (properties: TProperties) => ({
  200: { doc: 'To be kept for five minutes', schema: Type.Object(properties) },
})

const docs = {
  branding: {
    tag: tags.start,
    summary: 'How the application looks, and where its users find help',
    answers: kept({
      name: schemas.text,
      logo_url: textOrNull,
      support_phone: textOrNull,
      support_email: textOrNull,
      colors: Type.Object({ primary: schemas.text, accent: schemas.text }),
      currency: schemas.text,
      time_zone: schemas.text,
      languages: Type.Array(schemas.text),
    }),
  },
  features: {
    tag: tags.start,
    summary: 'What there is to be shown',
    answers: kept({
      payments: Type.Boolean({ description: 'A gateway is set up' }),
      promise_pay: schemas.boolean,
      voluntary_block: schemas.boolean,
      tariff_change: Type.Enum(['immediate', 'next_period']),
      services: schemas.boolean,
      tickets: schemas.boolean,
      push: Type.Boolean({ description: 'Somebody sends pushes' }),
      live: schemas.boolean,
      read_only: Type.Boolean({ description: 'Nothing can be changed now' }),
    }),
  },
  version: {
    tag: tags.start,
    summary: 'Whether this version of the application still works',
    query: {
      platform: { doc: 'With version: whether to update', schema: choice(platforms) },
      version: { doc: 'Of the application: 1.4.0', schema: someText(40) },
    },
    answers: {
      ...kept({
        api: schemas.text,
        server: schemas.text,
        platforms: Type.Object({ android: versionSchema, ios: versionSchema }),
        update_required: nullable(schemas.boolean),
        update_available: nullable(schemas.boolean),
      }),
      400: refusalAnswer('bad_request'),
    },
  },
  methods: {
    tag: tags.start,
    summary: 'Ways to sign in',
    answers: kept({
      methods: Type.Array(
        Type.Object({
          type: schemas.text,
          fields: Type.Array(schemas.text),
          path: schemas.text,
          login_by: Type.Array(schemas.text),
        }),
      ),
    }),
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
