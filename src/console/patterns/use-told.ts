import { type Outcome, useSend } from '../api/use-endpoint.ts'
import { useSayRefusal } from '../texts/refusals.ts'
import { told } from './told.ts'

type Writing = Parameters<typeof useSend>[0]

/**
 * A write by a press of which nothing on the screen is left to say what became of it: the head tells
 * why it was refused, and that it is done by `done`, which is that text or else follows the answer.
 */
export function useTold<D extends Writing>(...[endpoint, outdated]: Parameters<typeof useSend<D>>) {
  const say = useSayRefusal()
  const { mutate, ...send } = useSend(endpoint, outdated)
  const run = (sent: Parameters<typeof mutate>[0], done: string | NonNullable<Outcome<D>['onSuccess']> = () => {}) =>
    mutate(sent, {
      onSuccess: typeof done === 'string' ? () => told.done(done) : done,
      onError: (error) => told.failed(say(error)),
    })
  return { ...send, run }
}
