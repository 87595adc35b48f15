import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/crypto/bytes.ts';
import { canonicalJson } from '../../src/crypto/canonical-json.ts';
import { keyPairFromSecret } from '../../src/crypto/key-pair.ts';
import { memberIdOf, nodeIdOf, uncompressPublicKey } from '../../src/crypto/public-key.ts';
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
} from '../../src/pool/acl-chain.ts';
import { aclHash, aclText, parseAcl, poolIdOf, type AclDocument } from '../../src/pool/acl-document.ts';
import { countingBranch } from '../../src/pool/fork.ts';

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

describe('an access list', () => {
  const genesis = genesisOf();
  const text = aclText(genesis);

  it('is read back as it was written', () => {
    expect(parseAcl(text)).toEqual(genesis);
    expect(aclHash(text)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['an unknown key', (d: AclDocument) => ({ ...d, extra: 1 })],
    ['an unknown key of a writer', (d: AclDocument) => ({ ...d, writers: [{ ...d.writers[0], admin: true }] })],
    ['a missing key', (d: AclDocument) => Object.fromEntries(Object.entries(d).filter(([name]) => name !== 'scope'))],
    ['no administrator', (d: AclDocument) => ({ ...d, admins: [] })],
    ['a threshold that nobody reaches', (d: AclDocument) => ({ ...d, threshold: 2 })],
    ['a threshold of nothing', (d: AclDocument) => ({ ...d, threshold: 0 })],
    ['half a version', (d: AclDocument) => ({ ...d, version: 1.5 })],
    ['a first version with a previous one', (d: AclDocument) => ({ ...d, prev: 'ab'.repeat(32) })],
    ['a second version without', (d: AclDocument) => ({ ...d, version: 2 })],
    ['another mode', (d: AclDocument) => ({ ...d, mode: 'free' })],
    ['a time that is none', (d: AclDocument) => ({ ...d, issuedAt: '2026-13-15T12:00:00.000Z' })],
    ['a time of another zone', (d: AclDocument) => ({ ...d, issuedAt: '2026-01-15T12:00:00.000+01:00' })],
    ['a node twice', (d: AclDocument) => ({ ...d, writers: [d.writers[0], d.writers[0]] })],
    ['an administrator twice', (d: AclDocument) => ({ ...d, admins: [d.admins[0], d.admins[0]] })],
    ['a node id of another key', (d: AclDocument) => ({ ...d, writers: [{ ...d.writers[0], nodeId: bob.nodeId }] })],
    [
      'a member id of another key',
      (d: AclDocument) => ({ ...d, admins: [{ ...d.admins[0], memberId: bob.memberId }] }),
    ],
    [
      'a key off the curve',
      (d: AclDocument) => ({ ...d, writers: [{ ...d.writers[0], publicKey: `02${'ff'.repeat(32)}` }] }),
    ],
    [
      'an uncompressed key',
      (d: AclDocument) => ({
        ...d,
        writers: [{ ...d.writers[0], publicKey: toHex(uncompressPublicKey(alice.publicKey)) }],
      }),
    ],
    [
      'a mail domain in capitals',
      (d: AclDocument) => ({ ...d, writers: [writerOf(alice, { mailDomain: 'Mail.Example' })] }),
    ],
    [
      'a mail domain twice',
      (d: AclDocument) => ({
        ...d,
        writers: [writerOf(alice, { mailDomain: 'a.example' }), writerOf(bob, { mailDomain: 'a.example' })],
      }),
    ],
    ['the name of another pool', (d: AclDocument) => ({ ...d, poolId: 'cd'.repeat(32) })],
    ['a list instead of an object', (d: AclDocument) => [d]],
  ])('with %s is refused', (_, change) => {
    expect(() => parseAcl(canonicalJson(change(genesis)))).toThrow(refused);
  });

  it.each([
    ['spaces', ` ${text}`],
    ['a key twice', text.replace('"t":', '"mode":"open","t":')],
    ['keys in another order', JSON.stringify(genesis)],
    ['an escape that is not needed', text.replace('"approval"', '"approv\\u0061l"')],
    ['a number in another spelling', text.replace('"version":1', '"version":1.0')],
    ['no JSON', 'pool'],
    ['too much', `"${'x'.repeat(1_048_576)}"`],
    ['very deep lists', '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('with %s is refused', (_, wrong) => {
    expect(() => parseAcl(wrong)).toThrow(refused);
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
      { numRuns: 300 },
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

  it.each<[string, () => unknown]>([
    ['a first list that somebody else signed', () => verifyGenesis(signed(genesisOf(), bob))],
    ['a second one as the first', () => verifyGenesis(second)],
    ['a list by a former administrator', () => verifySuccessor(third, after(third, {}, alice))],
    [
      'a list by somebody whom it makes an administrator itself',
      () => verifySuccessor(first, after(first, { admins: [adminOf(carol)] }, carol)),
    ],
    ['a list that leaves out a version', () => verifySuccessor(first, third)],
    ['a list that follows another', () => verifySuccessor(first, after({ ...first, hash: 'ee'.repeat(32) }, {}))],
    ['a list of another pool', () => verifySuccessor(signed(genesisOf({ mode: 'open' })), second)],
    ['a chain with a gap', () => verifyChain(first, [third])],
    ['no list at all', () => verifyWhole([])],
    ['a signature of other bytes', () => verifySuccessor(first, { ...second, signatures: first.signatures })],
  ])('refuses %s', (_, verify) => {
    expect(verify).toThrow(refused);
  });

  it('wants as many administrators as the previous list says, each once', () => {
    const two = signed(genesisOf({ admins: [adminOf(alice), adminOf(bob)], threshold: 2 }));
    const byBob = signed(two.document, bob);
    expect(() => verifyGenesis(two)).toThrow(refused);
    const both = { ...two, signatures: [...two.signatures, ...byBob.signatures] };
    expect(verifyGenesis(both).signatures).toHaveLength(2);
    const next = after(both, { mode: 'open', threshold: 1 });
    const twice = { ...next, signatures: [...next.signatures, ...next.signatures] };
    expect(() => verifySuccessor(both, twice)).toThrow(refused);
    const byCarol = { ...next, signatures: [...next.signatures, ...signed(next.document, carol).signatures] };
    expect(() => verifySuccessor(both, byCarol)).toThrow(refused);
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
    expect(() => verifySuccessor(first, { ...second, signatures: [{ memberId, signature: twin }] })).toThrow(refused);
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
