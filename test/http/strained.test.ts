import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { heavyWork } from '../../src/service/heavy-work.ts';
import { migrate } from '../../src/platform/store/migrations.ts';
import { openSqljsDatabase } from '../../src/platform/store/sqljs/sqljs-database.ts';
import { failingDisk } from '../support/failing-disk.ts';
import { openHouse } from '../support/house.ts';
import { slowly, until } from '../support/real-time.ts';
import { deferred } from '../support/deferred.ts';

it('answers 503 STORE_FULL to writes on a full disk, goes on reading, and writes again when there is room', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-full-'));
  const { disk, fails } = failingDisk();
  try {
    await using store = await openSqljsDatabase(folder, disk);
    await migrate(store);
    await using house = await openHouse('sqljs', { context: { store, db: store.db } });
    const { token } = await house.register();
    const change = (darkMode: boolean) => house.api('POST', '/api/user/settings', { token, body: { darkMode } });

    fails.write = 'ENOSPC';
    const refused = await change(true);
    expect(refused).toMatchObject({ status: 503, body: { error: 'STORE_FULL' } });
    expect(refused.body.message).toContain('full');
    const settings = await house.api('GET', '/api/user/settings', { token });
    expect(settings).toMatchObject({ status: 200, body: { settings: { darkMode: false } } });

    fails.write = undefined;
    expect(await change(true)).toMatchObject({ status: 200, body: { user: { darkMode: true } } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('lets a member sign in while another floods it with heavy work', async () => {
  const heavy = heavyWork({ atOnce: 1, queued: 8 });
  await using house = await openHouse('sqljs', { context: { heavy } });
  const [flooding, other] = [await house.register(), await house.register()];
  const over = new AbortController();
  const flood = Array.from({ length: 12 }, async () => {
    const statuses: number[] = [];
    while (!over.signal.aborted) {
      statuses.push((await house.api('PUT', '/api/user/backup-codes', { token: flooding.token })).status);
      // As over a network: refusals alone would leave the hashes no time to end in.
      await slowly(25);
    }
    return statuses;
  });
  try {
    await expect.poll(() => heavy.waiting).toBe(8);
    for (let i = 0; i < 5; i += 1) {
      const body = { username: other.username, password: other.password };
      expect((await house.api('POST', '/api/user/login', { body, address: '203.0.113.9' })).status).toBe(200);
    }
  } finally {
    over.abort();
  }
  expect((await Promise.all(flood)).flat()).toContain(503);
});

it('answers 503 OVERLOADED when more sign-ins wait than may, and serves the others', async () => {
  const heavy = heavyWork({ atOnce: 1, queued: 1 });
  await using house = await openHouse('sqljs', { context: { heavy } });
  const { username, password } = await house.register();
  const held = deferred();
  const holding = heavy.run(async () => await held.promise);
  let left = 5;
  const answering = Array.from({ length: left }, async () => {
    const answer = await house.api('POST', '/api/user/login', { body: { username, password } });
    left -= 1;
    return answer;
  });
  // One of them waits for the work that is held.
  await until(() => left === 1);
  held.resolve();
  await holding;
  const answers = await Promise.all(answering);
  const refused = answers.filter(({ status }) => status === 503);
  expect([answers.filter(({ status }) => status === 200).length, refused.length]).toEqual([1, 4]);
  for (const { body, headers } of refused) {
    expect(body.error).toBe('OVERLOADED');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await house.api('POST', '/api/user/login', { body: { username, password } })).status).toBe(200);
});
