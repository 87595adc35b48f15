import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { canonicalJson } from '../../../../src/crypto/canonical-json.ts';
import { toHex, utf8 } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { nodeIdOf, uncompressPublicKey } from '../../../../src/crypto/public-key.ts';
import { sign } from '../../../../src/crypto/signature.ts';
import {
  readRequest,
  type JoinRequest,
  type SignedRequest,
} from '../../../../src/services/pool/joining/join-request.ts';
import { readList } from '../../../../src/crypto/formats/access-list/chain.ts';
import { requestOf, takeRelayedRequest } from '../../../../src/services/pool/joining/queue.ts';
import { openScene, requestBy } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

const identity = generateKeyPair();
const other = generateKeyPair();
const poolId = 'ab'.repeat(32);
const now = Date.UTC(2026, 0, 15, 12);

/** Any text, rightly signed: what refuses it is the check of what is wrong with it. */
function sealed(text: string, by = identity): SignedRequest {
  return { request: text, signature: toHex(sign(by.privateKey, utf8(`conclave/pool-join/v1\n${text}`))) };
}
const good = requestBy(identity, poolId, now);
const request = JSON.parse(good.request) as JoinRequest;
const changed = (change: object, by = identity) => sealed(canonicalJson({ ...request, ...change }), by);
const because = (why: string) =>
  expect.objectContaining({ code: 'JOIN_REQUEST_REFUSED', message: `The join request is refused: ${why}.` });

describe('a request to join', () => {
  it('is taken as it was signed, also when it is sealed again', () => {
    expect(readRequest(good)).toMatchObject({ ...request, ...good });
    expect(readRequest(sealed(good.request))).toMatchObject(request);
  });

  it.each<[string, unknown, string]>([
    [
      'an id of another key',
      changed({ nodeId: nodeIdOf(other.publicKey) }),
      'the id does not belong to the public key',
    ],
    [
      'a key of somebody else',
      changed({ publicKey: toHex(other.publicKey) }),
      'the id does not belong to the public key',
    ],
    [
      'a key off the curve',
      changed({ publicKey: `02${'ff'.repeat(32)}` }),
      'the public key is not a point of the curve',
    ],
    ['the signature of somebody else', changed({}, other), 'the signature is not from the node'],
    [
      'the signature of other bytes',
      { ...good, signature: changed({ message: 'x' }).signature },
      'the signature is not from the node',
    ],
    ['spaces', sealed(` ${good.request}`), 'it is not canonical JSON'],
    ['a key twice', sealed(good.request.replace('{', '{"addresses":[],')), 'it is not canonical JSON'],
    ['no JSON', sealed('pool'), 'it is not JSON'],
    ['more than belongs there', changed({ more: 1 }), 'its format is not valid'],
    [
      'an uncompressed key',
      changed({ publicKey: toHex(uncompressPublicKey(identity.publicKey)) }),
      'its format is not valid',
    ],
    ['a time that is none', changed({ timestamp: '2026-01-15 12:00' }), 'its format is not valid'],
    ['something beside it', { ...good, more: 1 }, 'its format is not valid'],
  ])('with %s is refused for that', (_, wrong, why) => {
    expect(() => readRequest(wrong)).toThrow(because(why));
  });
});

describe.each(engines)('a request that another node of the pool tells of on %s', (engine) => {
  it('may have been on its way for a week, and no longer', async () => {
    await using scene = openScene(engine);
    const { house, boss } = await scene.open('a');
    const { document, signatures } = (await house.perform(pool.acl, {}, boss.token)).body;
    const list = readList({ document, signatures });
    const tell = async (ageMs: number) => {
      const by = generateKeyPair();
      const wire = requestBy(by, list.document.poolId, house.clock.now() - ageMs);
      await takeRelayedRequest(house.ctx, list, wire, 'ab'.repeat(20));
      return nodeIdOf(by.publicKey);
    };
    const week = 7 * 86_400_000;
    const tenMinutes = 600_000;
    for (const age of [week, -tenMinutes])
      expect((await requestOf(house.ctx, await tell(age)))?.status).toBe('pending');
    for (const age of [week + 1, -tenMinutes - 1])
      await expect(tell(age)).rejects.toEqual(because('it has expired, or its time is in the future'));
  });
});
