import t from 'tap'
import { endpointTypes } from '../../src/app/endpoint-types.ts'

const answer = (schema: object) => ({ content: { 'application/json': { schema } } })

t.test('an endpoint has the types of its path, query, body and answers', async (t) => {
  const types = endpointTypes({
    components: {
      schemas: { Thing: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, 'odd-name': {} } } },
      responses: { Things: answer({ type: 'array', items: { $ref: '#/components/schemas/Thing' } }) },
    },
    paths: {
      '/things/{id}/': {
        parameters: [],
        get: {
          parameters: [
            { in: 'path', name: 'id', required: true, schema: { type: 'integer' } },
            { in: 'query', name: 'sort', schema: { enum: ['name', '-name'] } },
            { in: 'header', name: 'Idempotency-Key', schema: { type: 'string' } },
          ],
          responses: { 200: { $ref: '#/components/responses/Things' }, 204: {}, 404: answer({ type: 'string' }) },
        },
        post: {
          requestBody: answer({
            type: 'object',
            properties: { a: { type: ['string', 'null'] }, b: { type: 'array', items: { anyOf: [{ const: 1 }, {}] } } },
          }),
          responses: { 200: answer({ type: 'object', additionalProperties: { type: 'number' } }) },
        },
      },
    },
  })
  const lines = types.split('\n').map((line) => line.trim())
  t.ok(lines.includes(`'Thing': { id: number; "odd-name"?: unknown }`))
  t.ok(
    lines.includes(
      `'GET /things/{id}/': { path: { id: number }; query: { sort?: "name" | "-name" | undefined }; body: never; answer: readonly Schemas['Thing'][] }`,
    ),
  )
  t.ok(
    lines.includes(
      `'POST /things/{id}/': { path: {}; query: {}; body: { a?: string | null; b?: readonly (1 | unknown)[] }; answer: { [name: string]: number } }`,
    ),
  )
})
