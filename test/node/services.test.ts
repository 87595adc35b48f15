import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/service/context.ts';
import { options } from '../../src/config/options.ts';
import { allTopics } from '../../src/contract/all.ts';
import { appendEntry } from '../../src/platform/ledger/append.ts';
import { placesOf } from '../../src/platform/ledger/places.ts';
import { ledgerTypesOf, type Background } from '../../src/service/service-parts.ts';
import { services } from '../../src/node/services.ts';
import { settings } from '../../src/config/services.ts';
import { runInBackground } from '../../src/node/listeners/background.ts';
import { openHouse } from '../support/house.ts';

describe('the list of services', () => {
  it('has every contract once, but that of the reference, which describes them', () => {
    const names = services.map(({ name }) => name);
    expect(names).toEqual(
      allTopics.map(({ name }) => name).filter((name) => !['reference', 'sharePage', 'bookingPage'].includes(name)),
    );
  });

  it('has a function for each operation', () => {
    for (const { name, contract, implementation } of services) {
      expect(Object.keys(implementation).toSorted(), name).toEqual(Object.keys(contract).toSorted());
      expect(Object.values(implementation).every((perform) => typeof perform === 'function')).toBe(true);
    }
  });
});

describe('what services declare', () => {
  it('is all that an operator can configure of them', () => {
    const declared = services.flatMap((service) => Object.entries(service.settings ?? {}));
    expect(declared.map(([table]) => table).toSorted()).toEqual(Object.keys(settings).toSorted());
    expect(Object.fromEntries(declared)).toEqual(settings);
    const keys = Object.values(options).map(({ key }) => key);
    for (const [table, own] of declared)
      for (const { key } of Object.values(own)) expect(keys).toContain(`${table}.${key}`);
  });

  it('is refused where two of them mean the same', async () => {
    expect(() => ledgerTypesOf([{ ledgerTypes: ['A', 'B'] }, { ledgerTypes: ['B'] }])).toThrow(
      'two services record the same type: A, B, B',
    );
    await using house = await openHouse('sqljs');
    const twins: Background = { jobs: { same: async () => async () => undefined } };
    await expect(runInBackground(house.ctx, [twins, twins], AbortSignal.abort())).rejects.toThrow(
      'two services have jobs of the same kind',
    );
  });

  it('is all that the ledger takes', async () => {
    await using house = await openHouse('sqljs');
    const append = async (type: string) => await transaction(house.ctx, async (tx) => await appendEntry(tx, { type }));
    await expect(append('UNHEARD_OF')).rejects.toThrow('no service records UNHEARD_OF in the ledger');
    await expect(append('LOG_GENESIS')).rejects.toThrow('no service records LOG_GENESIS in the ledger');
    const id = await append('POOL_ACL');
    expect((await placesOf(house.ctx, [id])).get(id)?.index).toBe(1);
  });
});
