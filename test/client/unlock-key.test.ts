import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepUnlockKey, readUnlockKey } from '../../src/client/unlock-key.ts';

/** Of a path on Linux, with the NUL behind it. */
const PATH_MAX = 4096;
/** `/conclave/vault-unlock-` and 32 characters */
const BELOW = 55;

describe.runIf(process.platform === 'linux')('the file of the key that opens vaults', { tags: 'needs-system' }, () => {
  it('is what an error names, and not what stands in for it while it is written', async () => {
    const home = await mkdtemp(join(tmpdir(), 'conclave-unlock-'));
    try {
      // So deep that there is room for the file's name, and none for a longer one.
      const missing = PATH_MAX - 1 - BELOW - home.length;
      const parts = Array.from({ length: Math.floor(missing / 200) }, () => 'd'.repeat(199));
      const deep = join(home, ...parts, 'd'.repeat((missing % 200) - 1));
      await mkdir(deep, { recursive: true, mode: 0o700 });
      const env = { XDG_RUNTIME_DIR: deep };
      const error: unknown = await keepUnlockKey(env, ['a']).catch((caught: unknown) => caught);
      const path = expect.stringMatching(/\/vault-unlock-[0-9a-f]{32}$/);
      expect(error).toMatchObject({ code: 'ENAMETOOLONG', syscall: 'open', path });
      expect((error as Error).message).toMatch(/\/vault-unlock-[0-9a-f]{32}'$/);
      expect(await readUnlockKey(env, ['a'])).toBeUndefined();
      expect(await readdir(join(deep, 'conclave'))).toEqual([]);
    } finally {
      await rm(home, { recursive: true });
    }
  });

  it('has the hash of its session as a name, so that a later version finds it', async () => {
    const home = await mkdtemp(join(tmpdir(), 'conclave-unlock-'));
    try {
      const env = { XDG_RUNTIME_DIR: home };
      const session = ['sign-in', '/home/ada/.config/conclave', 'local:/home/ada/données'];
      const key = await keepUnlockKey(env, session);
      const hash = createHash('sha256').update(JSON.stringify(session)).digest('hex');
      expect(await readdir(join(home, 'conclave'))).toEqual([`vault-unlock-${hash.slice(0, 32)}`]);
      expect(await readUnlockKey(env, session)).toBe(key);
    } finally {
      await rm(home, { recursive: true });
    }
  });
});
