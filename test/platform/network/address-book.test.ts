import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { openAddressBook, type AddressBook } from '../../../src/platform/network/address-book.ts';
import { rememberAdmission } from '../../../src/platform/network/admission.ts';
import { createAuthors } from '../../../src/platform/network/authors.ts';
import { readEnvelope } from '../../../src/platform/network/envelope.ts';
import { engines, openTestStore } from '../../support/stores.ts';

const NOW = Date.UTC(2026, 0, 15);
const YEAR = 365 * 86_400_000;
const everybody = { isAdmitted: () => Promise.resolve(true), members: () => Promise.resolve([]) };

/** The books of nodes, each with a clock of its own. */
function books(engine: (typeof engines)[number]) {
  const stores: AsyncDisposable[] = [];
  const random = (size: number): Uint8Array => new Uint8Array(randomBytes(size));
  return {
    async open(ahead = 0, keys = deriveNodeKeys(randomBytes(32)), store = openTestStore(engine)) {
      const opened = await store;
      stores.push(opened);
      const clock = { now: () => NOW + ahead };
      const parts = { store: opened, clock, random, keys };
      const book = await openAddressBook(parts, rememberAdmission(everybody, clock));
      return { book, keys, nodeId: keys.nodeId, store: opened };
    },
    async [Symbol.asyncDispose]() {
      for (const store of new Set(stores)) await store[Symbol.asyncDispose]();
    },
  };
}

/** Both tell each other what they know, as long as there is news; @returns how often */
async function exchange(one: AddressBook, other: AddressBook): Promise<number> {
  for (let times = 1; times <= 20; times += 1) {
    let news = false;
    for (const record of await one.records()) news = (await other.learn(record)) || news;
    for (const record of await other.records()) news = (await one.learn(record)) || news;
    if (!news) return times;
  }
  throw new Error('there was always news');
}

const address = (port: number) => `/ip4/10.0.0.1/tcp/${port}`;
const timeOf = (record: Uint8Array) => {
  const read = readEnvelope(record, 4_096, createAuthors());
  return typeof read === 'string' ? read : read.timestamp;
};

describe.each(engines)('the addresses of nodes with wrong clocks on %s', (engine) => {
  it.each([YEAR, -YEAR])('are taken and passed on (%d ms)', async (ahead) => {
    await using all = books(engine);
    const [a, b, c] = [await all.open(), await all.open(ahead), await all.open()];
    b.book.tellOwn([address(1)]);
    await exchange(a.book, b.book);
    await exchange(a.book, c.book);
    expect([a, c].map(({ book }) => book.addressesOf(b.nodeId))).toEqual([[address(1)], [address(1)]]);
  });

  it('are replaced by the present ones once the clock is right, or wrong the other way', async () => {
    await using all = books(engine);
    const a = await all.open();
    const b = await all.open(YEAR);
    b.book.tellOwn([address(1)]);
    await exchange(a.book, b.book);
    for (const [ahead, port] of [
      [0, 2],
      [-YEAR, 3],
    ] as const) {
      const again = await all.open(ahead, b.keys, Promise.resolve(b.store));
      again.book.tellOwn([address(port)]);
      await exchange(a.book, again.book);
      expect(a.book.addressesOf(b.nodeId)).toEqual([address(port)]);
    }
    const times = (await a.book.records()).map(timeOf);
    expect(times).toEqual([NOW + YEAR + 2]);
  });

  it('are not fought over by two copies of a node', async () => {
    await using all = books(engine);
    const a = await all.open();
    const copies = [await all.open(YEAR), undefined];
    const [one] = copies;
    const two = await all.open(0, one!.keys);
    one!.book.tellOwn([address(1)]);
    two.book.tellOwn([address(2)]);
    let times = 0;
    for (let round = 0; round < 5; round += 1)
      for (const { book } of [one!, two]) times += await exchange(a.book, book);
    // Each exchange ends, because a copy tells at most once a minute that it is another one.
    expect(times).toBeLessThanOrEqual(25);
  });

  it('cannot be made by another node, nor hold a node to a time that nothing follows', async () => {
    await using all = books(engine);
    const [a, b] = [await all.open(), await all.open()];
    b.book.tellOwn([address(1)]);
    const [record] = await b.book.records();
    const forged = Uint8Array.from(record!);
    forged[5] = (forged[5] ?? 0) ^ 1;
    expect(await a.book.learn(forged)).toBe(false);
    expect(a.book.addressesOf(b.nodeId)).toEqual([]);
    const copy = await all.open(Number.MAX_SAFE_INTEGER - NOW, b.keys);
    copy.book.tellOwn([address(9)]);
    for (const last of await copy.book.records()) expect(await b.book.learn(last)).toBe(false);
    expect((await b.book.records()).map(timeOf)).toEqual([NOW]);
  });
});
