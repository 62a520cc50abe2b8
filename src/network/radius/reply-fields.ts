import { encodeReplyAttributes, replyOperators } from './wire/dictionary.ts'
import * as field from '../../platform/records/fields.ts'
import { drf, pythonType } from '../../platform/records/refusals.ts'

/** Attributes that an operator gives to Access-Accept. They are checked by the codec that encodes them later. */
export const radiusReply = field.json(
  'radius_reply',
  'Attributes of Access-Accept: a list of {name, value, op}. `=` replaces what the program and, for a login, the tariff would send; `+=` adds. Without `op` an attribute that may stand once replaces, and any other is added.',
  {
    schema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'value'],
        properties: {
          name: { type: 'string' },
          value: { type: ['string', 'number'] },
          op: { enum: [...replyOperators] },
        },
      },
    },
    read: (sent) => {
      if (!Array.isArray(sent)) return { wrong: drf.notAList(pythonType(sent)) }
      const encoded = encodeReplyAttributes(sent)
      return 'fault' in encoded
        ? { wrong: encoded.fault }
        : { value: sent.map(({ name, value, op }) => ({ name, value, ...(op !== undefined && { op }) })) }
    },
  },
)
