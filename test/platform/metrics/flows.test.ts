import t from 'tap'
import { operationId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { operationTypes } from '../../../src/domain/operation.ts'
import { flowOf, roughRubles } from '../../../src/platform/metrics/flows.ts'

t.test('every movement flows one way', async (t) => {
  const flow = (typeId: number, amount: number, reversal = false) =>
    flowOf({ typeId, amount: rubles(amount), reversalOf: reversal ? operationId(1) : null })
  t.equal(flow(operationTypes.gatewayB, 100), 'receipt')
  t.equal(flow(operationTypes.manualReceipt, 100), 'receipt')
  t.equal(flow(operationTypes.manualReceipt, -100, true), 'reversal')
  t.equal(flow(operationTypes.manualExpense, 100, true), 'reversal', 'an expense undone is no receipt')
  t.equal(flow(operationTypes.tariffCharge, -600), 'charge')
  t.equal(flow(operationTypes.monthlyService, -50), 'charge')
  t.equal(flow(operationTypes.manualExpense, -50), 'writeOff')
  t.equal(flow(operationTypes.recalculation, 20), 'givenBack')
  t.equal(flow(operationTypes.promise, 500), 'promise')
  t.equal(flow(operationTypes.promise, -500, true), 'promise', 'its return is none either')
  t.equal(flow(operationTypes.tariffChange, 0), null)
})

t.test('rubles for a graph have no sign', async (t) => {
  t.equal(roughRubles(rubles(-600)), 600)
})
