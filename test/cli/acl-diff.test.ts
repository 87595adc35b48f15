import { describe, expect, it } from 'vitest';
import { aclChanges } from '../../src/cli/pool/acl-diff.ts';
import type { AclDocument } from '../../src/crypto/formats/access-list/document.ts';
import { adminOf, alice, bob, carol, genesisOf, writerOf } from '../services/pool/acl/signed-lists.ts';

const at = '2026-01-15T12:00:00.000Z';
const refusal = { nodeId: carol.nodeId, kind: 'removed' as const, at, by: alice.memberId };

describe('what a proposed access list changes, in words', () => {
  const before = genesisOf({
    writers: [writerOf(alice), writerOf(bob)],
    admins: [adminOf(alice), adminOf(bob)],
    tombstones: [refusal],
  });
  const changes: [what: string, change: Partial<AclDocument>, words: string[]][] = [
    ['nothing', { version: 2, prev: 'ab'.repeat(32), issuedAt: '2026-02-01T00:00:00.000Z' }, []],
    ['mode', { mode: 'open' }, ['Mode: open; before: approval']],
    ['threshold', { threshold: 2 }, ['Signatures that a change needs: 2; before: 1']],
    ['scope', { scope: { database: 'other' } }, ['Scope: other; before: conclave']],
    ['scope', { scope: { database: 'conclave', collection: 'x' } }, ['Scope: conclave/x; before: conclave']],
    ['pool', { poolId: 'cd'.repeat(32) }, [`Pool: ${'cd'.repeat(32)}; before: ${before.poolId}`]],
    ['administrators', { admins: [adminOf(alice)] }, [`Removes administrator ${bob.memberId}, key ${bob.hex}`]],
    [
      'administrators',
      { admins: [adminOf(alice), adminOf(bob), adminOf(carol)] },
      [`Adds administrator ${carol.memberId}, key ${carol.hex}`],
    ],
    [
      'a key',
      { admins: [adminOf(alice), { ...adminOf(bob), publicKey: carol.hex }] },
      [`Changes the key of administrator ${bob.memberId} to ${carol.hex}; before: ${bob.hex}`],
    ],
    ['order', { admins: [adminOf(bob), adminOf(alice)] }, ['Lists the administrators in another order']],
    ['order', { writers: [writerOf(bob), writerOf(alice)] }, ['Lists the nodes in another order']],
    ['nodes', { writers: [writerOf(alice)] }, [`Removes node ${bob.nodeId}`]],
    [
      'nodes',
      { writers: [writerOf(alice), writerOf(bob), writerOf(carol, { mailDomain: 'c.example' })], tombstones: [] },
      [
        `Admits node ${carol.nodeId}, key ${carol.hex}, without an end, mail for c.example, added ${at} by ${alice.memberId}`,
        `Forgets that node ${carol.nodeId} is removed since ${at} by ${alice.memberId}`,
      ],
    ],
    [
      'a refusal',
      { tombstones: [{ ...refusal, kind: 'banned' }] },
      [
        `Remembers that node ${carol.nodeId} is banned since ${at} by ${alice.memberId}; before: removed since ${at} by ${alice.memberId}`,
      ],
    ],
  ];

  it.each(changes)('names what differs: %s', (_what, change, words) => {
    expect(aclChanges(before, { ...before, ...change })).toEqual(words);
  });

  it.each([
    { publicKey: carol.hex },
    { mailDomain: 'b.example' },
    { addedAt: '2026-01-01T00:00:00.000Z' },
    { addedBy: bob.memberId },
    { expiresAt: '2027-01-01T00:00:00.000Z' },
  ])('names what differs of a node: %s', (change) => {
    const [line, ...others] = aclChanges(before, {
      ...before,
      writers: [writerOf(alice), { ...writerOf(bob), ...change }],
    });
    expect(others).toEqual([]);
    const [was = '', is = ''] = line?.split('; before: ').toReversed() ?? [];
    expect(is).toContain(Object.values(change)[0]);
    expect(was).not.toContain(Object.values(change)[0]);
  });
});
