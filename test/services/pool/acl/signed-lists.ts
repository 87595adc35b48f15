import { expect } from 'vitest';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { keyPairFromSecret } from '../../../../src/crypto/key-pair.ts';
import { memberIdOf, nodeIdOf } from '../../../../src/crypto/public-key.ts';
import { signList, type SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import { poolIdOf, type AclDocument } from '../../../../src/crypto/formats/access-list/document.ts';

const person = (seed: number) => {
  const keys = keyPairFromSecret(new Uint8Array(32).fill(seed), 'test');
  const publicKey = toHex(keys.publicKey);
  return { ...keys, memberId: memberIdOf(keys.publicKey), nodeId: nodeIdOf(keys.publicKey), hex: publicKey };
};
export const [alice, bob, carol] = [person(1), person(2), person(3)];
const at = '2026-01-15T12:00:00.000Z';

export const adminOf = (who: typeof alice) => ({ memberId: who.memberId, publicKey: who.hex });
export const writerOf = (who: typeof alice, more: { mailDomain?: string } = {}) => ({
  nodeId: who.nodeId,
  publicKey: who.hex,
  addedAt: at,
  addedBy: alice.memberId,
  expiresAt: null,
  ...more,
});

export function genesisOf(change: Partial<AclDocument> = {}): AclDocument {
  const draft: AclDocument = {
    t: 'pool-acl',
    v: 1,
    poolId: '',
    version: 1,
    prev: null,
    mode: 'approval',
    scope: { database: 'conclave' },
    writers: [writerOf(alice)],
    admins: [adminOf(alice)],
    threshold: 1,
    issuedAt: at,
    ...change,
  };
  return { ...draft, poolId: poolIdOf(draft) };
}

export const signed = (document: AclDocument, who = alice) => signList(document, who.memberId, who.privateKey);
export const after = (list: SignedList, change: Partial<AclDocument>, who = alice) =>
  signed({ ...list.document, version: list.document.version + 1, prev: list.hash, ...change }, who);
export const refused = expect.objectContaining({ code: 'ACCESS_LIST_REFUSED' });
export const because = (why: string) =>
  expect.objectContaining({ code: 'ACCESS_LIST_REFUSED', message: `The access list is refused: ${why}.` });
