import t from 'tap'
import { Published } from '../support/published.ts'

const item = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } }
const published = new Published({
  paths: {
    '/items/{id}/': {
      get: {
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } }, 'text/html': {} } },
          204: { description: 'Nothing.' },
        },
      },
    },
  },
  components: { schemas: { Item: item } },
})

const json = 'application/json; charset=utf-8'
const seen = (status: number, text: string, contentType = json) =>
  published.check('GET', '/items/7', { status, contentType, text })

t.test('an answer matches the document exactly', async (t) => {
  seen(200, '{"id":7,"name":"seven"}')
  seen(200, '<p>7</p>', 'text/html; charset=utf-8')
  seen(204, '', '')
  t.throws(() => seen(200, '{"name":"seven"}'), /GET \/items\/\{id\}\/ 200: .*required property 'id'/)
  t.throws(() => seen(200, '{"id":"7"}'), /\/id must be integer/)
  t.throws(() => seen(200, '{"id":7,"more":1}'), /additional properties/)
  t.throws(() => seen(200, 'id,7', 'text/csv'), /text\/csv in place of application\/json/)
  t.throws(() => seen(418, '{}'), /418 is not in the document/)
  t.throws(() => seen(204, '{}'), /in place of no body/)
})

t.test('JSON of a route that is not documented fails; a refusal of the router and a page do not', async (t) => {
  const check = (status: number, contentType: string) =>
    published.check('GET', '/elsewhere/', { status, contentType, text: '{}' })
  t.throws(() => check(200, json), /is not in the document/)
  check(404, json)
  check(200, 'text/html')
})
