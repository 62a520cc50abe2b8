import { type ChosenTransport, chooseTransport } from '../../src/platform/http/choose-transport.ts'
import { type TransportChoice, transportKinds } from '../../src/platform/http/transport.ts'

/** What tests serve HTTP by: that of `TOLLGATE_HTTP_SERVER`, as the programs that they start do. */
export const transportOfRun = (): Promise<ChosenTransport> => chooseTransport(choiceOfRun())

function choiceOfRun(): TransportChoice {
  const chosen = process.env.TOLLGATE_HTTP_SERVER
  return transportKinds.find((kind) => kind === chosen) ?? 'auto'
}
