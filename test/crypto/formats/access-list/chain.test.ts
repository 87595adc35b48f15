import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../../src/crypto/bytes.ts';
import {
  readList,
  validSignatures,
  verifyChain,
  verifyGenesis,
  verifySuccessor,
  verifyWhole,
  wireOf,
} from '../../../../src/crypto/formats/access-list/chain.ts';
import {
  alice,
  bob,
  carol,
  adminOf,
  writerOf,
  genesisOf,
  signed,
  after,
  because,
} from '../../../services/pool/acl/signed-lists.ts';

describe('a chain of access lists', () => {
  const first = signed(genesisOf());
  const second = after(first, { writers: [writerOf(alice), writerOf(bob)], admins: [adminOf(alice), adminOf(bob)] });
  const third = after(second, { admins: [adminOf(bob)] }, bob);

  it('is verified from the first list on, by the administrators of the list before', () => {
    const lists = [first, second, third].map((list) => readList(JSON.parse(JSON.stringify(wireOf(list)))));
    expect(verifyWhole(lists).map(({ hash }) => hash)).toEqual([first.hash, second.hash, third.hash]);
  });

  const nobody = 'it has 0 of the 1 signatures that it needs';
  it.each<[string, () => unknown, string]>([
    ['a first list that somebody else signed', () => verifyGenesis(signed(genesisOf(), bob)), nobody],
    ['a second one as the first', () => verifyGenesis(second), 'it is not the first of its pool'],
    ['a list by a former administrator', () => verifySuccessor(third, after(third, {}, alice)), nobody],
    [
      'a list by somebody whom it makes an administrator itself',
      () => verifySuccessor(first, after(first, { admins: [adminOf(carol)] }, carol)),
      nobody,
    ],
    ['a list that leaves out a version', () => verifySuccessor(first, third), 'a version is missing before it'],
    [
      'a list that leaves out a version and names ours as the one before',
      () => verifySuccessor(first, after(first, { version: 3 })),
      'a version is missing before it',
    ],
    [
      'a list of the same version',
      () => verifySuccessor(second, after(second, { version: 2 })),
      'a version is missing before it',
    ],
    [
      'a list that follows another',
      () => verifySuccessor(first, after({ ...first, hash: 'ee'.repeat(32) }, {})),
      'its previous version is not ours',
    ],
    [
      'a list of another pool',
      () => verifySuccessor(signed(genesisOf({ mode: 'open' })), second),
      'it is of another pool',
    ],
    [
      'a list of another pool that follows ours',
      () => verifySuccessor(first, after(first, { poolId: 'cd'.repeat(32) })),
      'it is of another pool',
    ],
    ['a chain with a gap', () => verifyChain(first, [third]), 'a version is missing before it'],
    ['no list at all', () => verifyWhole([]), 'there is no list'],
    ['a signature of other bytes', () => verifySuccessor(first, { ...second, signatures: first.signatures }), nobody],
  ])('refuses %s for that', (_, verify, why) => {
    expect(verify).toThrow(because(why));
  });

  it('wants as many administrators as the previous list says, each once', () => {
    const two = signed(genesisOf({ admins: [adminOf(alice), adminOf(bob)], threshold: 2 }));
    const byBob = signed(two.document, bob);
    const one = because('it has 1 of the 2 signatures that it needs');
    expect(() => verifyGenesis(two)).toThrow(one);
    const both = { ...two, signatures: [...two.signatures, ...byBob.signatures] };
    expect(verifyGenesis(both).signatures).toHaveLength(2);
    const next = after(both, { mode: 'open', threshold: 1 });
    const twice = { ...next, signatures: [...next.signatures, ...next.signatures] };
    expect(() => verifySuccessor(both, twice)).toThrow(one);
    const byCarol = { ...next, signatures: [...next.signatures, ...signed(next.document, carol).signatures] };
    expect(() => verifySuccessor(both, byCarol)).toThrow(one);
  });

  it('drops signatures that do not count', () => {
    const extra = { ...second, signatures: [...signed(second.document, carol).signatures, ...second.signatures] };
    expect(verifySuccessor(first, extra).signatures).toEqual(second.signatures);
    expect(validSignatures(extra, [adminOf(carol)])).toHaveLength(1);
  });

  it('takes no high-S twin of a signature', () => {
    const order = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
    const [{ memberId, signature } = { memberId: '', signature: '' }] = second.signatures;
    const s = order - BigInt(`0x${signature.slice(64)}`);
    const twin = signature.slice(0, 64) + s.toString(16).padStart(64, '0');
    expect(fromHex(twin)).toHaveLength(64);
    expect(() => verifySuccessor(first, { ...second, signatures: [{ memberId, signature: twin }] })).toThrow(
      because(nobody),
    );
  });
});
