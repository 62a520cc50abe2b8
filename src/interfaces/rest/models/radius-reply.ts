import { encodeReplyAttributes } from '../../../network/radius/wire/dictionary.ts'
import { json } from '../../../platform/records/model.ts'
import { drf, pythonType } from '../../../platform/records/refusals.ts'

/** Attributes that an operator adds to Access-Accept. They are checked by the codec that encodes them later. */
export const radiusReply = json('radius_reply', 'Attributes added to Access-Accept: a list of {name, value}.', {
  schema: {
    type: 'array',
    items: {
      type: 'object',
      required: ['name', 'value'],
      properties: { name: { type: 'string' }, value: { type: ['string', 'number'] } },
    },
  },
  read: (sent) => {
    if (!Array.isArray(sent)) return { wrong: drf.notAList(pythonType(sent)) }
    const encoded = encodeReplyAttributes(sent)
    return 'fault' in encoded ? { wrong: encoded.fault } : { value: sent.map(({ name, value }) => ({ name, value })) }
  },
})
