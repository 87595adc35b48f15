import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { canonicalJson } from '../../../../src/crypto/canonical-json.ts';
import { uncompressPublicKey } from '../../../../src/crypto/public-key.ts';
import { readList, verifyGenesis } from '../../../../src/crypto/formats/access-list/chain.ts';
import {
  aclHash,
  aclText,
  parseAcl,
  poolIdOf,
  type AclDocument,
} from '../../../../src/crypto/formats/access-list/document.ts';
import { runs } from '../../../support/stage.ts';
import {
  alice,
  bob,
  adminOf,
  writerOf,
  genesisOf,
  refused,
  because,
  signed,
} from '../../../services/pool/acl/signed-lists.ts';

function tombstoneOf(nodeId: string) {
  return { nodeId, kind: 'removed', at: '2026-01-15T12:00:00.000Z', by: alice.memberId } as const;
}

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
  const wrongForm = (path: string) => `its format is not valid at ${path}`;

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
    [
      'a tombstone of a node that it admits',
      sealed((d) => ({ ...d, tombstones: [tombstoneOf(alice.nodeId)] })),
      'it names a node twice',
    ],
    ['an empty list of tombstones', sealed((d) => ({ ...d, tombstones: [] })), wrongForm('tombstones')],
    [
      'a tombstone of another kind',
      sealed((d) => ({ ...d, tombstones: [{ ...tombstoneOf(bob.nodeId), kind: 'forgotten' }] })),
      wrongForm('tombstones.0.kind'),
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

  it('reads a tombstone, and has none in its form without one', () => {
    const tombstones = [tombstoneOf(bob.nodeId)];
    expect(parseAcl(sealed((d) => ({ ...d, tombstones }))).tombstones).toEqual(tombstones);
    expect(text).not.toContain('tombstones');
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
