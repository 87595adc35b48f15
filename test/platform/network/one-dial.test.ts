import { describe, expect, it } from 'vitest';
import type { Connection } from '@libp2p/interface';
import { createDials } from '../../../src/platform/network/dials.ts';

const PLACE = '/ip4/192.0.2.1/tcp/7879';
const NAMED = `${PLACE}/p2p/16Uiu2HAm8e73Q5t54WGpipLJE8dFEQ8ECSSxdbiH37ST85MYy2ix`;

/** A network in which each dial ends when the test wants it to. */
function network() {
  const dialled: { readonly address: string; answer(connection: string): void; fail(): void }[] = [];
  const dial = async (address: unknown): Promise<Connection> =>
    await new Promise<Connection>((resolve, reject) =>
      dialled.push({
        address: String(address),
        answer: (connection) => resolve(connection as unknown as Connection),
        fail: () => reject(new Error('nobody answers')),
      }),
    );
  return { dialled, dial: createDials({ dial }, 60_000) };
}

describe('dials of one place', () => {
  it('are one dial at a time, with and without the id', async () => {
    const { dialled, dial } = network();
    const both = [dial(PLACE), dial(NAMED)];
    const elsewhere = dial(PLACE.replace('7879', '7880'));
    expect(dialled.map(({ address }) => address)).toEqual([PLACE, PLACE.replace('7879', '7880')]);
    dialled[0]?.answer('a connection');
    dialled[1]?.answer('another');
    expect(await Promise.all([...both, elsewhere])).toEqual(['a connection', 'a connection', 'another']);
    const later = dial(NAMED);
    expect(dialled).toHaveLength(3);
    dialled[2]?.fail();
    await expect(later).rejects.toThrow('nobody answers');
  });

  it('go on for the others when one gives up', async () => {
    const { dialled, dial } = network();
    const over = new AbortController();
    const [impatient, patient] = [dial(PLACE, over.signal).catch((error: unknown) => error), dial(NAMED)];
    over.abort(new Error('enough'));
    expect(await impatient).toMatchObject({ message: 'enough' });
    dialled[0]?.answer('a connection');
    expect(await patient).toBe('a connection');
    await expect(dial(PLACE, over.signal)).rejects.toThrow('enough');
  });
});
