import { provideNewerGlobals } from '../../src/platform/network/newer-globals.ts';
import { privateKeyFromRaw } from '@libp2p/crypto/keys';
import { peerIdFromPrivateKey } from '@libp2p/peer-id';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../src/crypto/public-key.ts';
import { addressesFor, asMultiaddr, isAddress } from '../../src/crypto/multiaddr.ts';
import { keyOfPeerId, nodeIdOfAddress, peerIdOf } from '../../src/crypto/peer-id.ts';

describe('peer ids', () => {
  it('are those of libp2p, and hold the key', () => {
    provideNewerGlobals();
    for (let round = 0; round < 10; round += 1) {
      const { privateKey, publicKey } = generateKeyPair();
      const peerId = peerIdOf(publicKey);
      expect(peerId).toBe(peerIdFromPrivateKey(privateKeyFromRaw(privateKey)).toString());
      expect(keyOfPeerId(peerId)).toEqual(publicKey);
      expect(nodeIdOfAddress(`/ip4/127.0.0.1/tcp/1/p2p/${peerId}`)).toBe(nodeIdOf(publicKey));
    }
  });

  it('of other kinds, or garbage, hold none', () => {
    expect(keyOfPeerId('12D3KooWGC6TvWhfapngX6wvJHMYvKpDMXPb3ZnCZ6dMoaMtimQ5')).toBeUndefined();
    expect(keyOfPeerId(`16Uiu2${'z'.repeat(47)}`)).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(keyOfPeerId(text)).toBeUndefined();
      }),
    );
  });
});

describe('addresses', () => {
  it.each([
    ['127.0.0.1:7879', '/ip4/127.0.0.1/tcp/7879'],
    ['node.example:443', '/dns/node.example/tcp/443'],
    ['[::1]:7879', '/ip6/::1/tcp/7879'],
    ['/dns4/node.example/tcp/443/wss', '/dns4/node.example/tcp/443/wss'],
    ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/tcp/0'],
    ['127.0.0.1', undefined],
    ['127.0.0.1:70000', undefined],
    ['/ip4/300.0.0.1/tcp/1', undefined],
    ['/ip4/127.0.0.1/udp/1', undefined],
    ['/unix/tmp/socket', undefined],
    ['/ip4/127.0.0.1/tcp/1/p2p/nobody', undefined],
    ['http://127.0.0.1:1', undefined],
    ['', undefined],
  ])('%s is %s', (text, address) => expect(asMultiaddr(text)).toBe(address));

  it('of a node leave out those that name another one, or nowhere', () => {
    const [one, other] = [generateKeyPair().publicKey, generateKeyPair().publicKey];
    const own = `/ip4/10.0.0.1/tcp/1/p2p/${peerIdOf(one)}`;
    const heard = [
      '/ip4/10.0.0.1/tcp/1',
      own,
      own,
      `/ip4/10.0.0.1/tcp/1/p2p/${peerIdOf(other)}`,
      '/ip4/10.0.0.1/tcp/0',
    ];
    expect(addressesFor(nodeIdOf(one), heard)).toEqual(['/ip4/10.0.0.1/tcp/1', own]);
    expect(isAddress('10.0.0.1:1')).toBe(false);
  });
});
