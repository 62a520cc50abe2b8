/**
 * The two services of specification 4.5 as they describe themselves: what the WSDL says and what the reader asks for.
 */
type Parameter = { readonly name: string; readonly required: boolean }

export type Operation = {
  readonly name: OperationName
  /** In the order of the WSDL. All are texts. */
  readonly parameters: readonly Parameter[]
  /** What the result is: a text, or an element with texts of these names. */
  readonly result: 'text' | readonly string[]
}

export type OperationName = 'get_user_hash' | 'pay_usr_act2' | 'pay_usr_act_import'

export type Service = {
  readonly name: string
  readonly namespace: string
  /** The first one is the address that the WSDL names. */
  readonly paths: readonly string[]
  readonly operations: readonly Operation[]
}

const needed = (name: string): Parameter => ({ name, required: true })
const optional = (name: string): Parameter => ({ name, required: false })

const userService: Service = {
  name: 'UserService',
  namespace: 'billing.users',
  paths: ['/api/', '/api/v2/', '/api/1c/', '/api/userside/', '/api/collector/', '/api/cabinet/'],
  operations: [{ name: 'get_user_hash', parameters: [needed('username'), needed('hash')], result: ['hash'] }],
}

const fiscalService: Service = {
  name: 'FiscalService',
  namespace: 'rpc.view.fiscal',
  paths: ['/api/fiscal/'],
  operations: [
    {
      name: 'pay_usr_act2',
      parameters: [
        needed('hash_key'),
        needed('ACT'),
        needed('CONTRACT_NUMBER'),
        // Needed to PAY only.
        optional('SUM_IN'),
        needed('PAY_OPERATOR'),
        optional('COMMENT_IN'),
        optional('PAY_ID_STR'),
      ],
      result: 'text',
    },
    {
      name: 'pay_usr_act_import',
      parameters: [needed('hash_key'), needed('ACT_LIST'), needed('PAY_OPERATOR')],
      result: 'text',
    },
  ],
}

export const services = [userService, fiscalService] as const

/** Where an operation is at home, for who asks at the wrong address. */
export const serviceOf = (operation: string): Service | null =>
  services.find(({ operations }) => operations.some(({ name }) => name === operation)) ?? null
