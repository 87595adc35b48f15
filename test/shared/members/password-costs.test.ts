import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { highestCosts, missingWork, type Argon2Cost } from '../../../src/shared/members/credentials.ts';
import { memberRow } from '../../support/sample-store.ts';
import { engines, openTestStore } from '../../support/stores.ts';

const cost = (memory_kib: number, passes: number, lanes: number): Argon2Cost => ({ memory_kib, passes, lanes });

/** The most work for each number of lanes, as `highestCosts` finds it. */
function highestOf(costs: readonly Argon2Cost[]): Argon2Cost[] {
  const highest = new Map<number, Argon2Cost>();
  for (const one of costs) {
    const most = highest.get(one.lanes);
    if (most === undefined || workOf(one) > workOf(most)) highest.set(one.lanes, one);
  }
  return [...highest.values()].sort((one, other) => other.lanes - one.lanes);
}

function workOf({ memory_kib, passes }: Argon2Cost): number {
  return memory_kib * passes;
}

function workByLanes(costs: readonly Argon2Cost[]): Map<number, number> {
  const work = new Map<number, number>();
  for (const one of costs) work.set(one.lanes, (work.get(one.lanes) ?? 0) + workOf(one));
  return work;
}

describe('the work of a sign-in that fails', () => {
  it('is the same for nobody and for every member, whatever their passwords were stretched with', () => {
    const stored = fc.record({
      memory_kib: fc.integer({ min: 128, max: 2 ** 21 }),
      passes: fc.integer({ min: 1, max: 64 }),
      lanes: fc.integer({ min: 1, max: 16 }),
    });
    fc.assert(
      fc.property(fc.array(stored, { minLength: 1, maxLength: 6 }), (members) => {
        const highest = highestOf(members);
        const ofNobody = workByLanes(missingWork(highest, undefined));
        for (const member of members) {
          const ofMember = workByLanes([member, ...missingWork(highest, member)]);
          expect([...ofMember.keys()].sort()).toEqual([...ofNobody.keys()].sort());
          for (const { lanes, passes } of highest) {
            const missed = (ofNobody.get(lanes) ?? 0) - (ofMember.get(lanes) ?? 0);
            // Less than Argon2 can do at all.
            expect(missed).toBeGreaterThanOrEqual(0);
            expect(missed).toBeLessThan((8 * lanes + 1) * passes);
          }
        }
      }),
    );
  });
});

describe.each(engines)('the highest costs on %s', (engine) => {
  it('are one for each number of lanes, and none where nobody has a password', async () => {
    await using store = await openTestStore(engine);
    expect(await highestCosts(store.db)).toEqual([]);
    const costs = [cost(19_456, 2, 1), cost(33_792, 2, 1), cost(65_536, 1, 1), cost(19_456, 3, 4), cost(512, 64, 16)];
    for (const [index, one] of costs.entries()) {
      const member = memberRow(`member ${index}`);
      await store.db.insertInto('members').values(member).execute();
      const rest = { wrapped_key: new Uint8Array(), pbkdf2_iterations: 1, updated_at: 0 };
      const password = { member_id: member.id, verifier: new Uint8Array(), argon2_salt: new Uint8Array() };
      await store.db
        .insertInto('member_credentials')
        .values({ ...password, ...one, ...rest })
        .execute();
    }
    expect(await highestCosts(store.db)).toEqual([cost(512, 64, 16), cost(19_456, 3, 4), cost(33_792, 2, 1)]);
  });
});

it.runIf(engines.includes('sqljs'))(
  'the highest costs are found by an index, not by reading every member',
  async () => {
    await using store = await openTestStore('sqljs');
    const { rows } = await sql<{ detail: string }>`
    explain query plan select lanes, memory_kib, passes from member_credentials
    where lanes < 17 order by lanes desc, memory_kib * passes desc limit 1`.execute(store.db);
    expect(rows.map(({ detail }) => detail)).toEqual([
      'SEARCH member_credentials USING INDEX member_credentials_cost (lanes<?)',
    ]);
  },
);
