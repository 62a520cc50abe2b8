import {
  type AnswerDoc,
  type JsonSchema,
  listSchema,
  nullableSchema,
  objectSchema,
  type RouteDoc,
  schemas,
} from '../../platform/http/route-doc.ts'
import { limitDefault, limitMax } from './session-list.ts'

/** What the OpenAPI document says about each operation of the System API. */
const { integer, text, boolean, moment } = schemas

const okSchema = (
  properties: Readonly<Record<string, JsonSchema>> = {},
  optional: readonly string[] = [],
): JsonSchema => objectSchema({ status: { const: 'ok' }, ...properties }, optional)

const answer = (doc: string, schema: JsonSchema): AnswerDoc => ({ doc, schema })

const refusal = (doc: string): AnswerDoc =>
  answer(doc, objectSchema({ status: { const: 'error' }, error: text, message: text }))

const tag = 'System API'

const password = {
  'X-System-Password': {
    doc: 'SYSTEM_API_PASSWORD; the caller also needs an address of SYSTEM_API_ALLOW.',
    required: true,
  },
} as const

const doc = (rest: Omit<RouteDoc, 'tag' | 'headers'>): RouteDoc => ({ tag, headers: password, ...rest })

const sessionSchema = objectSchema({
  id: integer,
  login: text,
  abonent_id: nullableSchema(integer),
  nas_id: integer,
  nas_ip: nullableSchema(text),
  acct_session_id: text,
  ip: nullableSchema(text),
  ipv6_prefix: nullableSchema(text),
  mac: nullableSchema(text),
  started_at: moment,
  updated_at: moment,
  session_time: integer,
  input_octets: integer,
  output_octets: integer,
  ended_at: nullableSchema(moment),
  end_reason: nullableSchema(text),
})

const jobSchema = objectSchema({
  name: text,
  last_run: nullableSchema(
    objectSchema({ started_at: moment, ended_at: nullableSchema(moment), ok: nullableSchema(boolean) }),
  ),
})

export const docs = {
  status: doc({
    summary: 'What the program does and how it is',
    description: 'Answers while the database is away too; what only the database knows is null then.',
    answers: {
      200: answer(
        'The status.',
        okSchema({
          ready: boolean,
          reason: nullableSchema(text),
          started_at: moment,
          uptime: { ...integer, description: 'Seconds.' },
          read_only: boolean,
          database: objectSchema({ up: boolean, outbox_waiting: nullableSchema(integer) }),
          radius: objectSchema({ ready: boolean, workers: integer, auth_port: integer, acct_port: integer }),
          sessions: objectSchema({ live: integer }),
          spool: objectSchema({ bytes: integer }),
          jobs: listSchema(jobSchema),
          versions: objectSchema({ tollgate: text, node: text, postgresql: nullableSchema(text) }),
        }),
      ),
    },
  }),
  sessions: doc({
    summary: 'RADIUS sessions',
    query: {
      login: { doc: 'Only of this login.' },
      nas: { doc: 'Only of this NAS, by id or address.' },
      all: { doc: '1: the ended ones too, the newest first; otherwise only live ones.' },
      limit: {
        doc: 'Sessions of a page.',
        schema: { ...integer, minimum: 1, maximum: limitMax, default: limitDefault },
      },
      after: { doc: '`next` of the page before.', schema: integer },
    },
    answers: {
      200: answer(
        'One page; `next` is there when another one follows.',
        okSchema({ sessions: listSchema(sessionSchema), next: integer }, ['next']),
      ),
      400: refusal('A parameter is wrong.'),
    },
  }),
  disconnect: doc({
    summary: 'Cut sessions by Disconnect-Request',
    description:
      'Of a login or a subscriber on every enabled NAS, of a session on the NAS that holds it. Waits for the answers of the NAS for some seconds at most.',
    body: {
      ...objectSchema({ login: text, abonent_id: integer, session_id: integer }, ['login', 'abonent_id', 'session_id']),
      minProperties: 1,
      maxProperties: 1,
    },
    answers: {
      200: answer('How many requests were sent.', okSchema({ sent: integer })),
      400: refusal('Not exactly one was named.'),
      404: refusal('There is no such login, subscriber or session.'),
    },
  }),
  runJob: doc({
    summary: 'Run a job now and wait for its end',
    params: { name: { doc: 'As listed by the status.' } },
    answers: {
      200: answer('What the job did.', okSchema({ result: { type: 'object' } })),
      404: refusal('There is no such job.'),
      409: refusal('Another program on this database is running it.'),
      500: answer(
        'The job failed.',
        objectSchema({
          status: { const: 'error' },
          error: { const: 'job_failed' },
          message: text,
          result: { type: 'object' },
        }),
      ),
    },
  }),
  readOnly: doc({
    summary: 'Switch READ_ONLY_MODE',
    body: objectSchema({ enable: boolean }),
    answers: { 200: answer('As it is now.', okSchema({ read_only: boolean })), 400: refusal('The body is wrong.') },
  }),
  reload: doc({
    summary: 'Read settings, NAS, pools, logins and accounts from the tables again',
    answers: { 200: answer('Everything was read.', okSchema()) },
  }),
  sms: doc({
    summary: 'A command a subscriber has sent by SMS',
    description:
      'ОП asks for the conditions of a promise payment, ДА within ten minutes takes it; ВЫКЛ suspends the access, ВКЛ resumes it; any other text is answered with help.',
    body: objectSchema({ phone: text, text }),
    answers: {
      200: answer(
        'Whether the command was carried out, and the text to send back.',
        objectSchema({ status: { enum: ['ok', 'error'] }, reply: text }),
      ),
      400: refusal('The body is wrong.'),
    },
  }),
} as const satisfies Record<string, RouteDoc>
