import Type, { type TProperties, type TSchema } from 'typebox'
import { spelled } from '../../domain/text.ts'
import { field } from '../../platform/http/fields.ts'
import { systemRefusalSchema } from '../../platform/http/openapi.ts'
import type { AnswerDoc, RouteDoc } from '../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../platform/http/schemas.ts'
import * as kinds from '../../platform/settings/kinds.ts'
import { limitDefault, limitMax } from './session-list.ts'

/** The descriptions of the operations of the System API in the OpenAPI document. */
const { integer, text, boolean, moment } = schemas

const okBody = <P extends TProperties>(properties: P = {} as P) =>
  Type.Object({ status: Type.Literal('ok'), ...properties })

const answer = (doc: string, schema: TSchema): AnswerDoc => ({ doc, schema })

const refusal = (doc: string): AnswerDoc => answer(doc, systemRefusalSchema)

const tag = 'System API'

const password = {
  'X-System-Password': {
    doc: 'SYSTEM_API_PASSWORD; the caller also needs an address of SYSTEM_API_ALLOW.',
    required: true,
  },
} as const

const doc = <const D extends Omit<RouteDoc, 'tag' | 'headers'>>(rest: D) => ({ tag, headers: password, ...rest })

/** Characters of the text of an SMS. */
const smsMax = 1000

const sessionSchema = Type.Object({
  id: integer,
  login: text,
  abonent_id: nullable(integer),
  nas_id: integer,
  nas_ip: nullable(text),
  acct_session_id: text,
  ip: nullable(text),
  ipv6_prefix: nullable(text),
  mac: nullable(text),
  started_at: moment,
  updated_at: moment,
  session_time: integer,
  input_octets: integer,
  output_octets: integer,
  ended_at: nullable(moment),
  end_reason: nullable(text),
})

const jobSchema = Type.Object({
  name: text,
  last_run: nullable(Type.Object({ started_at: moment, ended_at: nullable(moment), ok: nullable(boolean) })),
})

export const docs = {
  status: doc({
    summary: 'What the program does and how it is',
    description: 'Answers while the database is away too; what only the database knows is null then.',
    answers: {
      200: answer(
        'The status.',
        okBody({
          ready: boolean,
          reason: nullable(text),
          started_at: moment,
          uptime: Type.Integer({ description: 'Seconds.' }),
          read_only: boolean,
          database: Type.Object({ up: boolean, outbox_waiting: nullable(integer) }),
          radius: Type.Object({ ready: boolean, workers: integer, auth_port: integer, acct_port: integer }),
          sessions: Type.Object({ live: integer }),
          spool: Type.Object({ bytes: integer }),
          unanswered_nas: Type.Array(Type.Object({ nas: text, disconnects: integer }), {
            description: 'The NAS that have left their last Disconnects unanswered, and how many of them in a row.',
          }),
          jobs: Type.Array(jobSchema),
          versions: Type.Object({ tollgate: text, node: text, postgresql: nullable(text) }),
        }),
      ),
    },
  }),
  sessions: doc({
    summary: 'RADIUS sessions',
    query: {
      login: { doc: 'Only of this login.' },
      nas: {
        doc: 'Only of this NAS, by the id of its record or by its address in any spelling, also one in the network of a record.',
      },
      all: { doc: '1: the ended ones too, the newest first; otherwise only live ones.' },
      limit: {
        doc: 'Sessions of a page.',
        schema: Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault }),
      },
      after: { doc: '`next` of the page before.', schema: integer },
    },
    answers: {
      200: answer(
        'One page; `next` is there when another one follows.',
        okBody({ sessions: Type.Array(sessionSchema), next: Type.Optional(integer) }),
      ),
      400: refusal('A parameter is wrong.'),
    },
  }),
  disconnect: doc({
    summary: 'Cut sessions by Disconnect-Request',
    description:
      'Of a login or a subscriber on every enabled NAS, of a session on the NAS that holds it. Waits for the answers of the NAS for some seconds at most.',
    body: Type.With(Type.Partial(Type.Object({ login: text, abonent_id: integer, session_id: integer })), {
      minProperties: 1,
      maxProperties: 1,
    }),
    answers: {
      200: answer('How many requests were sent.', okBody({ sent: integer })),
      400: refusal('Not exactly one was named.'),
      404: refusal('There is no such login, subscriber or session.'),
    },
  }),
  runJob: doc({
    summary: 'Run a job now and wait for its end',
    params: { name: { doc: 'As listed by the status.' } },
    answers: {
      200: answer('What the job did.', okBody({ result: schemas.object })),
      404: refusal('There is no such job.'),
      409: refusal('Another program on this database is running it.'),
      500: answer(
        'The job failed.',
        Type.Object({
          status: Type.Literal('error'),
          error: Type.Literal('job_failed'),
          message: text,
          result: schemas.object,
        }),
      ),
    },
  }),
  readOnly: doc({
    summary: 'Switch READ_ONLY_MODE',
    body: Type.Object({ enable: field(boolean, kinds.boolean.must, kinds.boolean.read) }),
    answers: { 200: answer('As it is now.', okBody({ read_only: boolean })), 400: refusal('The body is wrong.') },
  }),
  reload: doc({
    summary: 'Read settings, NAS, pools, logins and accounts from the tables again',
    answers: { 200: answer('Everything was read.', okBody()) },
  }),
  sms: doc({
    summary: 'A command a subscriber has sent by SMS',
    description:
      'ОП asks for the conditions of a promise payment, ДА within ten minutes takes it; ВЫКЛ suspends the access, ВКЛ resumes it; any other text is answered with help.',
    body: Type.Object({
      phone: field(text, 'be a phone number', (sent) => {
        const phone = typeof sent === 'boolean' ? '' : spelled(sent)
        return /\d{5}/.test(phone.replace(/\D/g, '')) ? phone : null
      }),
      text: field(text, `be text of at most ${smsMax} characters`, (sent) =>
        typeof sent === 'string' && sent.length <= smsMax ? sent : null,
      ),
    }),
    answers: {
      200: answer(
        'Whether the command was carried out, and the text to send back.',
        Type.Object({ status: Type.Enum(['ok', 'error']), reply: text }),
      ),
      400: refusal('The body is wrong.'),
    },
  }),
} as const satisfies Record<string, RouteDoc>
