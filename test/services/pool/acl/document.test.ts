import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../../src/crypto/bytes.ts';
import { canonicalJson } from '../../../../src/crypto/canonical-json.ts';
import { keyPairFromSecret } from '../../../../src/crypto/key-pair.ts';
import { memberIdOf, nodeIdOf, uncompressPublicKey } from '../../../../src/crypto/public-key.ts';
import {
  readList,
  signList,
  validSignatures,
  verifyChain,
  verifyGenesis,
  verifySuccessor,
  verifyWhole,
  wireOf,
  type SignedList,
} from '../../../../src/services/pool/acl/chain.ts';
import { aclHash, aclText, parseAcl, poolIdOf, type AclDocument } from '../../../../src/services/pool/acl/document.ts';
import { countingBranch } from '../../../../src/services/pool/acl/receive.ts';
import { runs } from '../../../support/stage.ts';

const person = (seed: number) => {
  const keys = keyPairFromSecret(new Uint8Array(32).fill(seed), 'test');
  const publicKey = toHex(keys.publicKey);
  return { ...keys, memberId: memberIdOf(keys.publicKey), nodeId: nodeIdOf(keys.publicKey), hex: publicKey };
};
const [alice, bob, carol] = [person(1), person(2), person(3)];
const at = '2026-01-15T12:00:00.000Z';

const adminOf = (who: typeof alice) => ({ memberId: who.memberId, publicKey: who.hex });
const writerOf = (who: typeof alice, more: { mailDomain?: string } = {}) => ({
  nodeId: who.nodeId,
  publicKey: who.hex,
  addedAt: at,
  addedBy: alice.memberId,
  expiresAt: null,
  ...more,
});

function genesisOf(change: Partial<AclDocument> = {}): AclDocument {
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

const signed = (document: AclDocument, who = alice) => signList(document, who.memberId, who.privateKey);
const after = (list: SignedList, change: Partial<AclDocument>, who = alice) =>
  signed({ ...list.document, version: list.document.version + 1, prev: list.hash, ...change }, who);
const refused = expect.objectContaining({ code: 'ACCESS_LIST_REFUSED' });
const because = (why: string) =>
  expect.objectContaining({ code: 'ACCESS_LIST_REFUSED', message: `The access list is refused: ${why}.` });

describe('an access list', () => {
  const genesis = genesisOf();
  const text = aclText(genesis);

  it('is read back as it was written', () => {
    expect(parseAcl(text)).toEqual(genesis);
    expect(aclHash(text)).toMatch(/^[0-9a-f]{64}$/);
  });

  /** Sealed again, as whoever founds a pool on such a list does it: what refuses it is the check of what is wrong with it. */
  const sealed = (change: (document: AclDocument) => object): string => {
    const draft = { poolId: '', ...change({ ...genesis, poolId: '' }) } as AclDocument;
    return canonicalJson({ ...draft, poolId: poolIdOf(draft) });
  };
  const [writer, admin] = [writerOf(alice), adminOf(alice)];
  const writers = (...list: object[]) => sealed((d) => ({ ...d, writers: list }));
  const admins = (...list: object[]) => sealed((d) => ({ ...d, admins: list }));
  const wrongForm = (path: string) => `it is not of the right form at ${path}`;

  it('is taken when it is sealed again, so that what follows is refused for what was changed', () => {
    expect(parseAcl(sealed((d) => d))).toEqual(genesis);
    expect(parseAcl(writers(writer, writerOf(bob, { mailDomain: 'a.example' }))).writers).toHaveLength(2);
    expect(parseAcl(admins(admin, adminOf(bob))).admins).toHaveLength(2);
  });

  it.each([
    ['an unknown key', sealed((d) => ({ ...d, extra: 1 })), wrongForm('extra')],
    ['an unknown key of a writer', writers({ ...writer, admin: true }), wrongForm('writers.0.admin')],
    ['an unknown key of an administrator', admins({ ...admin, role: 'x' }), wrongForm('admins.0.role')],
    [
      'a missing key',
      sealed((d) => Object.fromEntries(Object.entries(d).filter(([name]) => name !== 'scope'))),
      wrongForm('scope'),
    ],
    ['no administrator', admins(), wrongForm('admins')],
    [
      'a threshold that nobody reaches',
      sealed((d) => ({ ...d, threshold: 2 })),
      'its threshold is higher than the number of its administrators',
    ],
    ['a threshold of nothing', sealed((d) => ({ ...d, threshold: 0 })), wrongForm('threshold')],
    ['half a threshold', sealed((d) => ({ ...d, threshold: 0.5 })), wrongForm('threshold')],
    ['version nothing', sealed((d) => ({ ...d, version: 0 })), wrongForm('version')],
    ['half a version', sealed((d) => ({ ...d, version: 1.5 })), wrongForm('version')],
    [
      'a first version with a previous one',
      sealed((d) => ({ ...d, prev: 'ab'.repeat(32) })),
      'only the first version has no previous one',
    ],
    ['a second version without', sealed((d) => ({ ...d, version: 2 })), 'only the first version has no previous one'],
    ['another kind', sealed((d) => ({ ...d, t: 'pool-bcl' })), wrongForm('t')],
    ['another layout', sealed((d) => ({ ...d, v: 2 })), wrongForm('v')],
    ['another mode', sealed((d) => ({ ...d, mode: 'free' })), wrongForm('mode')],
    ['a time that is none', sealed((d) => ({ ...d, issuedAt: '2026-13-15T12:00:00.000Z' })), wrongForm('issuedAt')],
    [
      'a time of another zone',
      sealed((d) => ({ ...d, issuedAt: '2026-01-15T12:00:00.000+01:00' })),
      wrongForm('issuedAt'),
    ],
    ['an end that is no time', writers({ ...writer, expiresAt: 'never' }), wrongForm('writers.0.expiresAt')],
    ['a node twice', writers(writer, writer), 'it names a node twice'],
    [
      'a node twice, with two mail domains',
      writers(writerOf(alice, { mailDomain: 'a.example' }), writerOf(alice, { mailDomain: 'b.example' })),
      'it names a node twice',
    ],
    ['an administrator twice', admins(admin, admin), 'it names an administrator twice'],
    [
      'a node id of another key',
      writers({ ...writer, nodeId: bob.nodeId }),
      'an id in it does not belong to its public key',
    ],
    [
      'a member id of another key',
      admins({ ...admin, memberId: bob.memberId }),
      'an id in it does not belong to its public key',
    ],
    [
      'a key off the curve',
      writers({ ...writer, publicKey: `02${'ff'.repeat(32)}` }),
      'a public key in it is not a point of the curve',
    ],
    [
      "an administrator's key off the curve",
      admins({ ...admin, publicKey: `02${'ff'.repeat(32)}` }),
      'a public key in it is not a point of the curve',
    ],
    [
      'an uncompressed key',
      writers({ ...writer, publicKey: toHex(uncompressPublicKey(alice.publicKey)) }),
      wrongForm('writers.0.publicKey'),
    ],
    [
      'a mail domain in capitals',
      writers(writerOf(alice, { mailDomain: 'Mail.Example' })),
      wrongForm('writers.0.mailDomain'),
    ],
    [
      'a mail domain twice',
      writers(writerOf(alice, { mailDomain: 'a.example' }), writerOf(bob, { mailDomain: 'a.example' })),
      'it names a mail domain twice',
    ],
    [
      'the name of another pool',
      canonicalJson({ ...genesis, poolId: 'cd'.repeat(32) }),
      'it is not the first of its pool',
    ],
    ['a list instead of an object', canonicalJson([genesis]), wrongForm('t')],
  ])('with %s is refused for that', (_, wrong, why) => {
    expect(() => parseAcl(wrong)).toThrow(because(why));
  });

  it.each([
    ['spaces', ` ${text}`, 'it is not canonical JSON'],
    ['a key twice', text.replace('"t":', '"mode":"open","t":'), 'it is not canonical JSON'],
    ['keys in another order', JSON.stringify(genesis), 'it is not canonical JSON'],
    [
      'an escape that is not needed',
      text.replace('"approval"', String.raw`"approv\u0061l"`),
      'it is not canonical JSON',
    ],
    ['a number in another spelling', text.replace('"version":1', '"version":1.0'), 'it is not canonical JSON'],
    ['no JSON', 'pool', 'it is not JSON'],
    ['too much', `"${'x'.repeat(1_048_576)}"`, 'it is too large'],
    ['very deep lists', '['.repeat(100_000) + ']'.repeat(100_000), wrongForm('t')],
  ])('with %s is refused for that', (_, wrong, why) => {
    expect(wrong).not.toBe(text);
    expect(() => parseAcl(wrong)).toThrow(because(why));
  });

  it('holds nothing against any change of a byte but refusal or another hash', () => {
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (index, letter) => {
        const changed = text.slice(0, index) + letter + text.slice(index + 1);
        if (changed === text) return;
        expect(aclHash(changed)).not.toBe(aclHash(text));
        const list = { document: changed, signatures: [...signed(genesis).signatures] };
        expect(() => verifyGenesis(readList(list))).toThrow(refused);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a chain of access lists', () => {
  const first = signed(genesisOf());
  const second = after(first, { writers: [writerOf(alice), writerOf(bob)], admins: [adminOf(alice), adminOf(bob)] });
  const third = after(second, { admins: [adminOf(bob)] }, bob);

  it('is verified from the first list on, by the administrators of the list before', () => {
    const lists = [first, second, third].map((list) => readList(JSON.parse(JSON.stringify(wireOf(list)))));
    expect(verifyWhole(lists).map(({ hash }) => hash)).toEqual([first.hash, second.hash, third.hash]);
  });

  const nobody = '0 of 1 administrators signed it who may';
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
      'it follows another list than ours',
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
    ['no list at all', () => verifyWhole([]), 'there is none'],
    ['a signature of other bytes', () => verifySuccessor(first, { ...second, signatures: first.signatures }), nobody],
  ])('refuses %s for that', (_, verify, why) => {
    expect(verify).toThrow(because(why));
  });

  it('wants as many administrators as the previous list says, each once', () => {
    const two = signed(genesisOf({ admins: [adminOf(alice), adminOf(bob)], threshold: 2 }));
    const byBob = signed(two.document, bob);
    const one = because('1 of 2 administrators signed it who may');
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

describe('two branches of one list', () => {
  const common = signed(genesisOf({ admins: [adminOf(alice), adminOf(bob)] }));
  const byAlice = after(common, { writers: [writerOf(alice), writerOf(bob)] });
  const byBob = after(common, { writers: [writerOf(alice), writerOf(carol)] }, bob);

  it('are decided alike by both sides: the lower hash counts', () => {
    const lower = byAlice.hash < byBob.hash ? 'ours' : 'theirs';
    expect(countingBranch(common, [byAlice], [byBob])).toBe(lower);
    expect(countingBranch(common, [byBob], [byAlice])).toBe(lower === 'ours' ? 'theirs' : 'ours');
  });

  it('a former administrator cannot undo the removal by signing another past, however low its hash', () => {
    const without = after(common, { admins: [adminOf(alice)] });
    for (let second = 0; second < 20; second += 1) {
      const grind = after(common, { issuedAt: `2026-01-15T12:00:${String(second).padStart(2, '0')}.000Z` }, bob);
      expect(countingBranch(common, [without], [grind])).toBe('ours');
      expect(countingBranch(common, [grind], [without])).toBe('theirs');
      const later = after(byAlice, { admins: [adminOf(alice)] });
      expect(countingBranch(common, [byAlice, later], [grind])).toBe('ours');
    }
  });

  it('where each has removed the other nobody changes anything', () => {
    const noBob = after(common, { admins: [adminOf(alice)] });
    const noAlice = after(common, { admins: [adminOf(bob)] }, bob);
    expect(countingBranch(common, [noBob], [noAlice])).toBe('neither');
    expect(countingBranch(common, [noAlice], [noBob])).toBe('neither');
  });
});
