import Type from 'typebox'
import { faultCodes } from '../../../billing/messages/faults.ts'
import { schemas } from '../../../platform/http/schemas.ts'

/** One reason why a message was not sent. */
export const faultSchema = Type.Object({
  code: Type.Enum([...faultCodes]),
  detail: Type.With(schemas.text, { description: 'What another program said, or what is missing' }),
})
