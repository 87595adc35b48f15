import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { operation } from '../../src/contract/operation.ts';
import { implement, type Implementation } from '../../src/service/implement.ts';

const open = operation({
  id: 'door.open',
  method: 'POST',
  path: '/doors/:door/open',
  envelope: 'system',
  auth: 'member',
  summary: 'Open a door',
  input: v.object({ door: v.string() }),
  reply: v.object({ degrees: v.number() }),
  status: 200,
  message: 'Open',
  errors: [],
});
const doors = { open, close: { ...open, id: 'door.close' as const } };
type Doors = Implementation<typeof doors>;

const opening = { open: () => Promise.resolve({ degrees: 90 }) };
const closing = { close: () => Promise.resolve({ degrees: 0 }) };

/** A call of an operation, of which nothing but the reply matters here. */
async function ask(performs: Doors[keyof Doors]): Promise<number> {
  return (await performs({} as never, {} as never, { door: 'front' })).degrees;
}

describe('an implementation by files', () => {
  it('loads nothing before the first call, and once for calls that come together', async () => {
    let loads = 0;
    const here = deferred();
    const implementation = implement(doors, async () => {
      loads += 1;
      await here.promise;
      return { ...opening, ...closing };
    });
    expect(loads).toBe(0);
    const both = Promise.all([ask(implementation.open), ask(implementation.open), ask(implementation.close)]);
    here.resolve();
    expect(await both).toEqual([90, 90, 0]);
    expect(await ask(implementation.close)).toBe(0);
    expect(loads).toBe(1);
  });

  it('calls the loaded function directly from then on, with all that it was given', async () => {
    const calls: unknown[][] = [];
    const reply = Promise.resolve({ degrees: 30 });
    const file = {
      open: async (...call: Parameters<Doors['open']>) => {
        calls.push(call);
        return await reply;
      },
    };
    const implementation = implement({ open }, () => Promise.resolve(file));
    const call = [{}, {}, { door: 'back' }] as unknown as Parameters<Doors['open']>;
    await implementation.open(...call);
    const second = implementation.open(...call);
    // At once, and not after a turn of the event loop, as what had to be loaded first would be
    expect(calls).toEqual([call, call]);
    expect(await second).toEqual({ degrees: 30 });
  });

  it('takes the functions of several files, all of which the first call loads', async () => {
    const loaded: string[] = [];
    const from = async <T>(name: string, file: T) => {
      loaded.push(name);
      return await Promise.resolve(file);
    };
    const implementation = implement(
      doors,
      () => from('opening', opening),
      () => from('closing', closing),
    );
    expect(Object.keys(implementation)).toEqual(Object.keys(doors));
    expect([await ask(implementation.close), await ask(implementation.open)]).toEqual([0, 90]);
    expect(loaded).toEqual(['opening', 'closing']);
  });

  it('fails the calls that wait for a file that cannot be loaded, and tries again at the next one', async () => {
    let tries = 0;
    const implementation = implement(doors, async () => {
      tries += 1;
      await Promise.resolve();
      if (tries === 1) throw new Error('no such file');
      return { ...opening, ...closing };
    });
    const both = await Promise.allSettled([ask(implementation.open), ask(implementation.close)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(tries).toBe(1);
    expect(await ask(implementation.open)).toBe(90);
    expect(tries).toBe(2);
  });

  it('does not compile without a function for each operation, or with one of another type', () => {
    const wrong = { ...opening, close: () => Promise.resolve({ degrees: 'none' }) };
    const refused = [
      // @ts-expect-error nobody closes
      () => implement(doors, () => Promise.resolve(opening)),
      () =>
        implement(
          doors,
          // @ts-expect-error nobody closes in either file
          () => Promise.resolve(opening),
          () => Promise.resolve({ ...opening, knock: 1 }),
        ),
      // @ts-expect-error no file at all
      () => implement(doors),
      // @ts-expect-error the reply has text where the contract has a number
      () => implement(doors, () => Promise.resolve(wrong)),
      () =>
        implement(
          doors,
          () => Promise.resolve({ ...opening, ...closing }),
          // @ts-expect-error a file without anything of the group
          () => Promise.resolve({ knock: 1 }),
        ),
    ];
    expect(refused).toHaveLength(5);
  });
});
