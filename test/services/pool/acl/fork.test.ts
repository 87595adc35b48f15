import { describe, expect, it } from 'vitest';
import { countingBranch } from '../../../../src/services/pool/acl/fork.ts';
import { alice, bob, carol, adminOf, writerOf, genesisOf, signed, after } from './signed-lists.ts';

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
