import { escapeXml } from '../../platform/formats/xml.ts'
import type { Operation, Service } from './services.ts'

/**
 * The WSDL of a service as Spyne writes it, document/literal wrapped. Every parameter is optional, so that a client
 * sends incomplete calls and gets our own fault for them. `address` is the URL of the service.
 */
export function wsdlOf(service: Service, address: string): string {
  const { name, namespace, operations } = service
  const lines = [
    `<?xml version='1.0' encoding='UTF-8'?>`,
    `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:wsdlsoap11="http://schemas.xmlsoap.org/wsdl/soap/"` +
      ` xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:tns="${namespace}" targetNamespace="${namespace}" name="${name}">`,
    `  <wsdl:types>`,
    `    <xs:schema targetNamespace="${namespace}" elementFormDefault="qualified">`,
    ...operations.flatMap(typesOf),
    ...operations.flatMap(({ name }) => [element(name), element(`${name}Response`)]),
    `    </xs:schema>`,
    `  </wsdl:types>`,
    ...operations.flatMap(({ name }) => [...message(name), ...message(`${name}Response`)]),
    `  <wsdl:portType name="${name}">`,
    ...operations.flatMap(portOperation),
    `  </wsdl:portType>`,
    `  <wsdl:binding name="${name}" type="tns:${name}">`,
    `    <wsdlsoap11:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>`,
    ...operations.flatMap(bindingOperation),
    `  </wsdl:binding>`,
    `  <wsdl:service name="${name}">`,
    `    <wsdl:port name="${name}" binding="tns:${name}">`,
    `      <wsdlsoap11:address location="${escapeXml(address)}"/>`,
    `    </wsdl:port>`,
    `  </wsdl:service>`,
    `</wsdl:definitions>`,
  ]
  return `${lines.join('\n')}\n`
}

function typesOf({ name, parameters, result }: Operation): string[] {
  const resultType = result === 'text' ? 'xs:string' : `tns:${name}ResultType`
  return [
    ...complexType(name, textsNamed(parameters.map((parameter) => parameter.name))),
    ...complexType(`${name}Response`, [[`${name}Result`, resultType]]),
    ...(result === 'text' ? [] : complexType(`${name}ResultType`, textsNamed(result))),
  ]
}

type Child = readonly [name: string, type: string]

const textsNamed = (names: readonly string[]): Child[] => names.map((name) => [name, 'xs:string'])

const complexType = (name: string, children: readonly Child[]): string[] => [
  `      <xs:complexType name="${name}">`,
  `        <xs:sequence>`,
  ...children.map(
    ([child, type]) => `          <xs:element name="${child}" type="${type}" minOccurs="0" nillable="true"/>`,
  ),
  `        </xs:sequence>`,
  `      </xs:complexType>`,
]

const element = (name: string): string => `      <xs:element name="${name}" type="tns:${name}"/>`

const message = (name: string): string[] => [
  `  <wsdl:message name="${name}">`,
  `    <wsdl:part name="${name}" element="tns:${name}"/>`,
  `  </wsdl:message>`,
]

const portOperation = ({ name }: Operation): string[] => [
  `    <wsdl:operation name="${name}" parameterOrder="${name}">`,
  `      <wsdl:input name="${name}" message="tns:${name}"/>`,
  `      <wsdl:output name="${name}Response" message="tns:${name}Response"/>`,
  `    </wsdl:operation>`,
]

const bindingOperation = ({ name }: Operation): string[] => [
  `    <wsdl:operation name="${name}">`,
  `      <wsdlsoap11:operation soapAction="${name}" style="document"/>`,
  `      <wsdl:input name="${name}">`,
  `        <wsdlsoap11:body use="literal"/>`,
  `      </wsdl:input>`,
  `      <wsdl:output name="${name}Response">`,
  `        <wsdlsoap11:body use="literal"/>`,
  `      </wsdl:output>`,
  `    </wsdl:operation>`,
]
