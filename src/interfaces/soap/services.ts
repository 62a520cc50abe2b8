/** The two services of specification 4.5. Both the WSDL and the reader of calls are derived from these descriptions. */
type Parameter = { readonly name: string; readonly required: boolean }

export type Operation = {
  readonly name: OperationName
  /** The parameters in the order of the WSDL. All of them are texts. */
  readonly parameters: readonly Parameter[]
  /** The result: a text, or an element whose children have these names. */
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

const required = (name: string): Parameter => ({ name, required: true })
const optional = (name: string): Parameter => ({ name, required: false })

const userService: Service = {
  name: 'UserService',
  namespace: 'billing.users',
  paths: ['/api/', '/api/v2/', '/api/1c/', '/api/userside/', '/api/collector/', '/api/cabinet/'],
  operations: [{ name: 'get_user_hash', parameters: [required('username'), required('hash')], result: ['hash'] }],
}

const fiscalService: Service = {
  name: 'FiscalService',
  namespace: 'rpc.view.fiscal',
  paths: ['/api/fiscal/'],
  operations: [
    {
      name: 'pay_usr_act2',
      parameters: [
        required('hash_key'),
        required('ACT'),
        required('CONTRACT_NUMBER'),
        // Required for PAY only.
        optional('SUM_IN'),
        required('PAY_OPERATOR'),
        optional('COMMENT_IN'),
        optional('PAY_ID_STR'),
      ],
      result: 'text',
    },
    {
      name: 'pay_usr_act_import',
      parameters: [required('hash_key'), required('ACT_LIST'), required('PAY_OPERATOR')],
      result: 'text',
    },
  ],
}

export const services = [userService, fiscalService] as const

/** The service of an operation, for a hint to callers that use the wrong address. */
export const serviceOf = (operation: string): Service | null =>
  services.find(({ operations }) => operations.some(({ name }) => name === operation)) ?? null
