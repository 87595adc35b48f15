import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acquireLock, lockHolder } from '../../../src/platform/store/lock.ts';
import { bundle, type Bundle } from '../../support/bundle.ts';
import { temporaryFolder } from '../../support/stores.ts';
import { inStage } from '../../support/stage.ts';
import { elapses } from '../../support/real-time.ts';

interface Taker {
  readonly child: ChildProcess;
  readonly said: string;
  end(): Promise<void>;
}

/** Each process in a network of its own, as in containers that share a folder: there the lock is kept by its file alone. */
const apart = ['unshare', '--net'];
const canBeApart = (await execa('unshare', ['--net', 'true'], { reject: false })).exitCode === 0;
const places = [
  { where: 'of one machine', prefix: [] },
  { where: 'in containers', prefix: apart },
].slice(0, canBeApart ? 2 : 1);

describe('the lock of a store', () => {
  let program: Bundle;
  const children = new Set<ChildProcess>();
  beforeAll(async () => {
    program = await bundle('test/support/lock-taker.ts');
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await program[Symbol.asyncDispose]();
  });

  /** @param prefix a program that starts the process in some other way */
  async function take(dataDir: string, name: string, moment = 0, prefix: readonly string[] = []): Promise<Taker> {
    const [command, ...parameters] = [...prefix, process.execPath, program.path, dataDir, name, String(moment)];
    const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
    children.add(child);
    const exit = once(child, 'exit');
    const [said] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const end = async (): Promise<void> => {
      await exit;
      children.delete(child);
    };
    return { child, said, end };
  }

  it('keeps others out and tells them who has it, until it is given back', async () => {
    await using folder = await temporaryFolder();
    const lock = await acquireLock(folder.path, 'conclave serve', {
      now: () => Date.UTC(2026, 0, 15, 12),
      isServer: true,
    });
    expect(await lockHolder(folder.path)).toEqual({
      pid: process.pid,
      command: 'conclave serve',
      startedAt: Date.UTC(2026, 0, 15, 12),
      isServer: true,
    });
    await expect(acquireLock(folder.path, 'conclave admin')).rejects.toMatchObject({
      kind: 'conflict',
      code: 'STORE_IN_USE',
      message: `The store is in use by conclave serve (process ${process.pid}, since 2026-01-15T12:00:00.000Z). Stop that process, or ask it over control.sock in the data directory.`,
    });
    const other = await take(folder.path, 'another');
    expect(other.said).toContain(`lost STORE_IN_USE The store is in use by conclave serve (process ${process.pid},`);
    await other.end();
    await lock[Symbol.asyncDispose]();
    expect(await lockHolder(folder.path)).toBeUndefined();
    expect(await readdir(folder.path)).toEqual([]);
    const again = await acquireLock(folder.path, 'again');
    await again[Symbol.asyncDispose]();
  });

  it.each(places)(
    'goes to exactly one of many processes $where that find a dead one',
    { tags: 'thorough' },
    async ({ prefix }) => {
      await using folder = await temporaryFolder();
      const first = await take(folder.path, 'first');
      expect(first.said).toBe('won');
      first.child.kill('SIGKILL');
      await first.end();
      // Its socket is still there, and nobody behind it.
      expect(await readdir(folder.path)).toEqual([expect.stringMatching(/^store\.lock\.[0-9a-f]{16}$/)]);
      expect(await lockHolder(folder.path)).toBeUndefined();
      const moment = Date.now() + elapses(1_000);
      const takers = await Promise.all(
        Array.from({ length: inStage(6, 6, 20) }, (_, index) => take(folder.path, `taker ${index}`, moment, prefix)),
      );
      const winners = takers.filter(({ said }) => said === 'won');
      expect(winners).toHaveLength(1);
      const winner = winners[0]?.child;
      for (const { said } of takers)
        if (said !== 'won') expect(said).toMatch(new RegExp(`in use by taker \\d+ \\(process ${winner?.pid},`));
      expect(await readdir(folder.path)).toEqual([expect.stringMatching(/^store\.lock\.[0-9a-f]{16}$/)]);
      winner?.kill('SIGKILL');
      await Promise.all(takers.map(({ end }) => end()));
      const lock = await acquireLock(folder.path, 'survivor');
      await lock[Symbol.asyncDispose]();
    },
  );

  it('is taken over from a file that was never a socket, and from leftovers', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'store.lock.fedcba9876543210'), '12345');
    await writeFile(join(folder.path, 'store.lock-new.0123456789abcdef'), '');
    await utimes(join(folder.path, 'store.lock-new.0123456789abcdef'), 0, 0);
    const lock = await acquireLock(folder.path, 'conclave serve');
    expect(await readdir(folder.path)).toEqual([expect.stringMatching(/^store\.lock\.(?!fedcba)[0-9a-f]{16}$/)]);
    expect(await lockHolder(folder.path)).toMatchObject({ pid: process.pid });
    await lock[Symbol.asyncDispose]();
  });

  it('stays with a holder that does not answer', { tags: 'thorough' }, async () => {
    await using folder = await temporaryFolder();
    const open = new Set<Socket>();
    const silent = createServer((socket) => open.add(socket));
    await new Promise<void>((resolve) => void silent.listen(join(folder.path, 'store.lock.0123456789abcdef'), resolve));
    await expect(acquireLock(folder.path, 'conclave serve')).rejects.toMatchObject({
      code: 'STORE_IN_USE',
      message: expect.stringMatching(/does not say its name/),
    });
    for (const socket of open) socket.destroy();
    silent.close();
  });

  it.runIf(process.platform === 'linux')(
    'works in a folder whose path is too long for a socket',
    { tags: 'needs-system' },
    async () => {
      await using folder = await temporaryFolder();
      const deep = join(folder.path, 'd'.repeat(120));
      await mkdir(deep);
      const lock = await acquireLock(deep, 'conclave serve');
      const other = await take(deep, 'another');
      expect(other.said).toContain(`process ${process.pid},`);
      await other.end();
      await lock[Symbol.asyncDispose]();
      const again = await take(deep, 'again');
      expect(again.said).toBe('won');
      again.child.stdin?.end();
      await again.end();
      expect(await readdir(deep)).toEqual([]);
    },
  );
});
