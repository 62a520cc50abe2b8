import type { Parts } from '../app/program.ts'
import { type GatewayProgram, startGatewayProgram } from './gateways/program.ts'

const shop = { id: '100500', key: 'test_demo_shop_of_tollgate' }

/**
 * Starts both simulated payment gateways and sets the settings that lead to them, so that a visitor can pay from end to
 * end.
 */
export async function startGateways(http: string, { settings, log }: Parts): Promise<GatewayProgram[]> {
  const options = { webhook: `${http}/lk/payments/webhook/`, ...shop }
  const [a, b] = await Promise.all([startGatewayProgram('a', options), startGatewayProgram('b', options)])
  const outcome = await settings.set({
    LK_GWA_API_URL: a.api,
    LK_GWA_FORM_URL: a.form,
    LK_GWA_SHOP_ID: shop.id,
    LK_GWA_SECRET_KEY: shop.key,
    LK_GWA_SCID: '57',
    LK_GWB_FORM_URL: b.form,
    LK_GWB_MERCHANT_ID: shop.id,
    LK_GWB_SECRET_KEY: shop.key,
  })
  if ('errors' in outcome) log.warn('the demo could not set its gateways', outcome.errors)
  return [a, b]
}
