import type { SoapCall, SoapChild } from './envelope.ts'
import { fault, type SoapFault } from './fault.ts'
import { type Operation, type Service, serviceOf } from './services.ts'

/** The trimmed values of a call by parameter; '' for a parameter that was left out, empty or nil. */
export type Parameters = Readonly<Record<string, string>>

/** The operation that the first element of the Body names (contract section 5). SOAPAction is ignored. */
export function operationOf(service: Service, call: SoapCall): Operation | SoapFault {
  const { operation, namespace } = call
  const found = service.operations.find(({ name }) => name === operation)
  const shown = operation.slice(0, 100)
  if (!found) {
    const path = serviceOf(operation)?.paths[0]
    const hint = path === undefined ? '' : ` It is at ${path}.`
    return fault('Client.UnknownOperation', `${service.name} has no operation ${shown}.${hint}`)
  }
  if (namespace === '' || namespace === service.namespace) return found
  return fault('Client.UnknownOperation', `The namespace of ${shown} is ${service.namespace}.`)
}

/**
 * Reads the parameters of a call. The namespace of the children is optional, their order is free, unknown ones are
 * ignored.
 */
export function parametersOf(service: Service, operation: Operation, call: SoapCall): Parameters | SoapFault {
  const { parameters } = operation
  const children = childrenOf(service, operation, call)
  const values: Record<string, string> = {}
  for (const { name, required } of parameters) {
    const named = children.filter((child) => child.name === name)
    if (named.length > 1) return fault('Client.BadParameter', `${name} is named more than once.`)
    if (named[0]?.isText === false) return fault('Client.BadParameter', `${name} must be text.`)
    const value = named[0]?.value?.trim() ?? ''
    if (value === '' && required) return fault('Client.MissingParameter', `${name} is missing or empty.`)
    if (value.length > (lengthMax[name] ?? defaultLengthMax))
      return fault('Client.BadParameter', `${name} is longer than ${lengthMax[name] ?? defaultLengthMax} characters.`)
    values[name] = value
  }
  return values
}

/** The hash_key of a call that has not been read to its end; null when it has not come yet. */
export function hashKeyOf(service: Service, operation: Operation, begun: SoapCall): string | null {
  const children = childrenOf(service, operation, begun)
  return children.find(({ name }) => name === 'hash_key')?.value?.trim() ?? null
}

const childrenOf = (service: Service, operation: Operation, { children }: SoapCall): readonly SoapChild[] =>
  named(
    operation,
    children.filter(({ namespace }) => namespace === '' || namespace === service.namespace),
  )

const defaultLengthMax = 255
const lengthMax: Readonly<Record<string, number>> = { COMMENT_IN: 1_000, ACT_LIST: 1_048_576 }

const numberedForm = /^param(\d{1,2})$/

/**
 * PHP without a WSDL names unnamed arguments param0, param1 and so on. They get the names of the parameters in the
 * order of the WSDL.
 */
function named({ parameters }: Operation, children: readonly SoapChild[]): readonly SoapChild[] {
  if (!children.every(({ name }) => numberedForm.test(name))) return children
  return children.map((child) => ({ ...child, name: parameters[Number(child.name.slice(5))]?.name ?? child.name }))
}
