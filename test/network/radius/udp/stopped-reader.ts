import { udpOpener, type UdpPreference } from '../../../../src/network/radius/udp/open-port.ts'
import { datagramWord, datagramWords, type UdpPort } from '../../../../src/network/radius/udp/udp-port.ts'

/** A process that tells the number of its port, and then of each datagram its text and when it arrived. */
const [, , preference, host] = process.argv as [string, string, UdpPreference, string]

function datagrams({ bytes, received, arrivedMs }: UdpPort, count: number): void {
  for (let index = 0; index < count; index++) {
    const at = index * datagramWords
    const from = received[at + datagramWord.offset]!
    const text = bytes.toString('latin1', from, from + received[at + datagramWord.length]!)
    process.send!({ text, arrivedMs: arrivedMs[index] })
  }
}

const port = await udpOpener(preference).open({
  host,
  port: 0,
  sharesPort: false,
  output: Buffer.alloc(64),
  stamps: true,
  listener: { datagrams, notSent: () => {} },
})
process.send!(port.number)
