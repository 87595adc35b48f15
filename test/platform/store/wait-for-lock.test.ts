import { describe, expect, it } from 'vitest';
import { acquireLock, type LockHolder, type StoreLock } from '../../../src/platform/store/lock.ts';
import { acquireServerLock, type ServerStart } from '../../../src/platform/store/wait-for-lock.ts';
import { temporaryFolder } from '../../support/stores.ts';
import { elapses } from '../../support/real-time.ts';

/** A server that wants the store, and what it said while it waited. */
function serverOn(dataDir: string, start: Omit<ServerStart, 'onWait'> = {}) {
  const said: (LockHolder | undefined)[] = [];
  let begins: () => void;
  const waits = new Promise<void>((resolve) => (begins = resolve));
  const lock: Promise<StoreLock> = acquireServerLock(dataDir, 'conclave serve', undefined, {
    patienceMs: 120_000,
    ...start,
    onWait(holder) {
      said.push(holder);
      begins();
    },
  });
  lock.catch(() => undefined);
  return { lock, waits, said };
}

describe('a server that finds the store in use', () => {
  it('waits for a command, says so once, and takes the store when the command has ended', async () => {
    await using folder = await temporaryFolder();
    const command = await acquireLock(folder.path, 'conclave vault import');
    const server = serverOn(folder.path);
    await server.waits;
    await command[Symbol.asyncDispose]();
    const lock = await server.lock;
    expect(server.said).toMatchObject([{ command: 'conclave vault import', pid: process.pid, isServer: false }]);
    await lock[Symbol.asyncDispose]();
  });

  it('gives up when the command does not end, and says which one it is and what to do', async () => {
    await using folder = await temporaryFolder();
    await using _ = await acquireLock(folder.path, 'conclave admin store restore');
    await expect(serverOn(folder.path, { patienceMs: elapses(100) }).lock).rejects.toMatchObject({
      code: 'STORE_IN_USE',
      message: expect.stringMatching(
        /^The store is in use by conclave admin store restore \(process \d+, since .*\)\. Try again when that process has ended, or stop it\.$/,
      ),
    });
  });

  it('waits for no other server, and names it', async () => {
    await using folder = await temporaryFolder();
    const first = serverOn(folder.path);
    await using _ = await first.lock;
    const second = serverOn(folder.path);
    await expect(second.lock).rejects.toMatchObject({
      code: 'STORE_IN_USE',
      message: expect.stringMatching(
        /^The store is in use by conclave serve \(process \d+, since .*\)\. Stop that process, or ask it over control\.sock in the data directory\.$/,
      ),
    });
    expect(second.said).toEqual([]);
  });

  it('gets it alone, when two of them wait for one command', async () => {
    await using folder = await temporaryFolder();
    const command = await acquireLock(folder.path, 'conclave init');
    const servers = [serverOn(folder.path), serverOn(folder.path)];
    await Promise.all(servers.map(({ waits }) => waits));
    await command[Symbol.asyncDispose]();
    const ends = await Promise.allSettled(servers.map(({ lock }) => lock));
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    expect(refused).toMatchObject([
      { code: 'STORE_IN_USE', message: expect.stringContaining('The store is in use by conclave serve (') },
    ]);
    for (const end of ends) if (end.status === 'fulfilled') await end.value[Symbol.asyncDispose]();
  });

  it('stops waiting when it is told to stop', async () => {
    await using folder = await temporaryFolder();
    await using _ = await acquireLock(folder.path, 'conclave init');
    const stopping = new AbortController();
    const server = serverOn(folder.path, { signal: stopping.signal });
    await server.waits;
    stopping.abort();
    await expect(server.lock).rejects.toMatchObject({ code: 'STORE_IN_USE' });
  });
});
