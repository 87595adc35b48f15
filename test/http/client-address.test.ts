import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddress } from '../../src/http/client-address.ts';

function request(peer: string | undefined, forwarded?: string): Request {
  const made = new Request(
    'http://node.test/',
    forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } },
  );
  // srvx puts the address of the peer on its requests; in process there is none.
  return peer === undefined ? made : Object.defineProperty(made, 'ip', { value: peer });
}

describe("the client's address", () => {
  const proxies = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8'];
  const direct = clientAddress({ trustedProxies: [] }, 'unknown');
  const proxied = clientAddress({ trustedProxies: proxies }, 'unknown');
  const local = clientAddress({ trustedProxies: proxies }, 'local');

  it.each([
    ['the peer', direct, '203.0.113.7', undefined, '203.0.113.7'],
    ['in process', local, undefined, undefined, 'local'],
    ['where the connection is gone', direct, undefined, undefined, 'unknown'],
    ['whatever a client that is no proxy claims', direct, '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['whatever a client claims in process', local, undefined, '198.51.100.1', 'local'],
    ['whatever a client claims whose connection is gone', proxied, undefined, '198.51.100.1', 'unknown'],
    ['never the local one', proxied, '10.1.2.3', 'local', '10.1.2.3'],
    ['what a proxy says', proxied, '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['what an application gateway says, with the port', proxied, '10.1.2.3', '198.51.100.1:50512', '198.51.100.1'],
    ['what a load balancer says, with the port', proxied, '10.1.2.3', '[2001:db8::5]:443', '2001:db8::5'],
    ['IPv6 in brackets', proxied, '10.1.2.3', '[2001:db8::5]', '2001:db8::5'],
    [
      'the last that is no proxy, with ports',
      proxied,
      '10.1.2.3',
      '1.1.1.1:1, 198.51.100.1:2, 10.9.9.9:3',
      '198.51.100.1',
    ],
    ['the proxy, where a port is no number', proxied, '10.1.2.3', '198.51.100.1:http', '10.1.2.3'],
    ['the proxy, where brackets hold no address', proxied, '10.1.2.3', '[home]:443', '10.1.2.3'],
    ['what a proxy says over IPv6', proxied, 'fd00::1', '2001:db8::5', '2001:db8::5'],
    ['what a proxy over IPv4 in IPv6 says', proxied, '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['the last that is no proxy', proxied, '10.1.2.3', '1.1.1.1, 198.51.100.1, 10.9.9.9, 192.0.2.1', '198.51.100.1'],
    ['the first proxy of a chain of proxies', proxied, '10.1.2.3', '10.4.4.4, 10.9.9.9', '10.4.4.4'],
    ['the proxy, where it says nothing', proxied, '10.1.2.3', undefined, '10.1.2.3'],
    ['the proxy, where it says nonsense', proxied, '10.1.2.3', 'unknown', '10.1.2.3'],
    ['the last that is an address', proxied, '10.1.2.3', '<script>, 10.2.2.2', '10.2.2.2'],
    ['IPv4, in whatever clothes', proxied, '10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['a peer just outside the range', proxied, '11.0.0.0', '198.51.100.1', '11.0.0.0'],
  ])('is %s', (_, addressOf, peer, forwarded, wanted) => {
    expect(addressOf(request(peer, forwarded))).toBe(wanted);
  });

  it('is that of other proxies as soon as others are configured', () => {
    const config = { trustedProxies: ['10.0.0.0/8'] };
    const addressOf = clientAddress(config, 'unknown');
    expect(addressOf(request('192.0.2.1', '198.51.100.1'))).toBe('192.0.2.1');
    config.trustedProxies = ['192.0.2.1'];
    expect(addressOf(request('192.0.2.1', '198.51.100.1'))).toBe('198.51.100.1');
    expect(addressOf(request('10.1.2.3', '198.51.100.1'))).toBe('10.1.2.3');
    config.trustedProxies = [];
    expect(addressOf(request('192.0.2.1', '198.51.100.1'))).toBe('192.0.2.1');
  });

  it('is never what a client wrote, however it writes it', () => {
    const header = fc.string({ unit: 'grapheme-ascii' }).filter((value) => !/[^\x20-\x7e]/.test(value));
    fc.assert(
      fc.property(fc.array(fc.oneof(header, fc.ipV4(), fc.ipV6()), { maxLength: 5 }), fc.ipV4(), (claims, client) => {
        const real = client.startsWith('10.') || client === '192.0.2.1' ? '203.0.113.7' : client;
        expect(proxied(request('10.1.2.3', [...claims, real].join(', ')))).toBe(real);
        expect(direct(request(real, claims.join(',')))).toBe(real);
      }),
    );
  });
});
