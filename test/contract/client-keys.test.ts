import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/contract/all.ts';
import { brings, limitOf } from '../../src/contract/operation.ts';

const idsOf = (wanted: (op: ReturnType<typeof allOperations>[number]) => boolean) =>
  allOperations()
    .filter(wanted)
    .map(({ id }) => id);

describe('what clients bring of their own', () => {
  it('is the unlock key wherever a vault may be open', () => {
    const inVaults = idsOf(
      (op) => op.auth === 'member' && /^\/api\/passvault\/(?:vaults|entries)(?:\/|$)/.test(op.path),
    );
    expect(inVaults.length).toBeGreaterThan(20);
    expect(idsOf((op) => brings(op, 'unlockKey'))).toEqual(inVaults);
  });

  it('is the device wherever somebody signs in', () => {
    const signingIn = idsOf((op) => op.auth === 'none' && limitOf(op).name === 'signIn');
    expect(new Set(idsOf((op) => brings(op, 'device')))).toEqual(new Set(['account.register', ...signingIn]));
  });
});
