import { expect, it } from 'vitest';
import { describeRecovery } from '../../../src/cli/ledger/recovery.ts';

type Recovery = Parameters<typeof describeRecovery>[0];

function words(kind: Recovery['stopped'][number]['kind'], missing: number): string {
  const noticedAt = '2026-11-23T00:52:01.270Z';
  const recovers = { logKey: 'key', size: 13 + missing, root: 'ab'.repeat(32), from: 'ledger.mark' };
  const stopped = [{ kind, what: 'What was noticed.', toldBy: 'ledger.mark', noticedAt }];
  return describeRecovery({ stopped, logKey: 'key', recovers, size: 13, root: 'cd'.repeat(32), missing });
}

it('a recovery names the newer backup also when as many other entries came since as are missing', () => {
  const restore = 'If a newer backup exists, restore it instead.';
  expect(words('rolled-back', 2)).toContain('At least 2 entries that were signed are not in this store.');
  for (const kind of ['rolled-back', 'rewritten'] as const) {
    expect(words(kind, 0)).toContain(`Entries that were signed are not in this store. ${restore}`);
    expect(words(kind, 0)).not.toContain('At least');
  }
  expect(words('cloned', 0)).not.toContain(restore);
});
