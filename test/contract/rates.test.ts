import { describe, expect, it } from 'vitest';
import { options } from '../../src/config/options.ts';
import { allOperations } from '../../src/contract/all.ts';
import { limitOf } from '../../src/contract/operation.ts';
import { rates, type DeclaredLimit } from '../../src/contract/rates.ts';

describe('the named rate limits', () => {
  const declared = Object.entries(rates) as [string, DeclaredLimit][];

  it('each have an option of the configuration for each of their rates', () => {
    const keys = new Set(Object.values(options).map(({ key }) => key));
    for (const [name, { key, perAccount, perAddress }] of declared) {
      expect(keys.has(`limits.${key}.per_account`), name).toBe(perAccount !== undefined);
      expect(keys.has(`limits.${key}.per_address`), name).toBe(perAddress !== undefined);
    }
  });

  it('are each used by an operation, and none has two names', () => {
    // Programs with app passwords call operations with a scope, and count apart.
    const used = new Set<string>(allOperations().map((op) => limitOf(op).name));
    if (allOperations().some((op) => op.scope !== undefined)) used.add('bridge');
    expect(declared.map(([name]) => name).filter((name) => !used.has(name))).toEqual([]);
    expect(new Set(declared.map(([, { key }]) => key)).size).toBe(declared.length);
  });
});
