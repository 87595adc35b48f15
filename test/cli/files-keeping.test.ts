import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Create from '../../commands/files/create.ts';
import Du from '../../commands/files/du.ts';
import Fsck from '../../commands/files/fsck.ts';
import Gc from '../../commands/files/gc.ts';
import Mkdir from '../../commands/files/mkdir.ts';
import Put from '../../commands/files/put.ts';
import Quarantine from '../../commands/files/quarantine.ts';
import Quota from '../../commands/files/quota.ts';
import Rm from '../../commands/files/rm.ts';
import Trash from '../../commands/files/trash.ts';
import Watermark from '../../commands/files/watermark.ts';
import Login from '../../commands/login.ts';
import { openHome, type Home } from './home.ts';

let home: Home;

beforeAll(async () => {
  home = await openHome('socket');
  const env = { CONCLAVE_PASSWORD: 'seven green bottles' };
  await home.run(Register, ['--username', 'ada', '--email', 'ada@example.org'], { env });
  await home.run(Login, ['ada'], { env });
  await home.run(Create, ['Work', '--quota', '1GiB']);
  await home.run(Mkdir, ['Work:/a/b', '--parents']);
  await home.run(Put, [await home.file('large.bin', 'x'.repeat(50_000)), 'Work:/a']);
  await home.run(Put, [await home.file('small.txt', 'small'), 'Work:/a/b']);
});
afterAll(() => home[Symbol.asyncDispose]());

describe('files', () => {
  it('shows sizes of folders, and what the quota is used by', async () => {
    const sizes = await home.run(Du, ['Work:/a']);
    expect([sizes.code, sizes.stdout]).toEqual([0, '50000\t1\tlarge.bin\n5\t1\tb/\n50005\t2\t.\n']);
    expect(JSON.parse((await home.run(Du, ['Work:', '--json'])).stdout)).toMatchObject({ sizeBytes: 50_005, files: 2 });
    expect((await home.run(Du, ['Work:/a/large.bin'])).code).toBe(2);
    const quota = await home.run(Quota);
    expect(quota.stdout).toMatch(/^Work\t49 KiB\t0 bytes\t0 bytes\t0 bytes\t1\.0 GiB\n$/);
    expect(quota.stderr).toContain('You use 49 KiB of 10 GiB; 0 bytes of it are not files');
  });

  it('lists the trash, and empties it after a question', async () => {
    await home.run(Put, [await home.file('gone.txt', 'gone'), 'Work:']);
    expect((await home.run(Trash)).stderr).toContain('The trash is empty.');
    const { id } = JSON.parse((await home.run(Rm, ['Work:/gone.txt', '--json'])).stdout);
    const listed = await home.run(Trash, ['Work']);
    expect(listed.stdout).toMatch(new RegExp(`^gone\\.txt\t4 bytes\t\\S+\t\\S+\t${id}\n$`));
    expect((await home.run(Trash, ['--empty'])).code).toBe(2);
    const asked = await home.run(Trash, ['Work', '--empty']);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const emptied = await home.run(Trash, ['Work', '--empty', '--yes']);
    expect(emptied.stdout).toBe('Destroyed 1 file, 4 bytes, and 0 folders.\n');
    expect(JSON.parse((await home.run(Trash, ['--json'])).stdout)).toEqual({ items: [] });
  });

  it('checks what is stored, for its owner and for the operator', async () => {
    const whole = await home.run(Fsck, ['--full']);
    expect([whole.code, whole.stdout]).toEqual([0, 'Checked 2 contents. Everything is whole.\n']);
    expect((await home.run(Fsck, ['Work:/a/b'])).stdout).toBe('Checked 1 contents. Everything is whole.\n');
    expect((await home.operate(Fsck, ['--all', '--full'])).code).toBe(0);
    expect((await home.run(Fsck, ['Work', '--all'])).code).toBe(2);
    const { readdir } = await import('node:fs/promises');
    const names = await readdir(join(home.dataDir, 'blocks'), { recursive: true });
    const path = join(
      home.dataDir,
      'blocks',
      names.find((name) => /[0-9a-f]{128}$/.test(name))!,
    );
    const bytes = await readFile(path);
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(path, bytes);
    expect((await home.run(Fsck, ['Work'])).code).toBe(0);
    const damaged = await home.run(Fsck, ['Work', '--full']);
    expect([damaged.code, damaged.stdout]).toEqual([1, expect.stringContaining('block 0 does not have its hash')]);
    expect((await home.operate(Fsck, ['--all', '--full', '--json'])).code).toBe(1);
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(path, bytes);
    const collected = await home.operate(Gc, ['--dry-run']);
    expect([collected.code, collected.stdout]).toEqual([0, 'There is nothing to drop.\n']);
    expect(JSON.parse((await home.operate(Gc, ['--json'])).stdout)).toEqual({
      uploads: 0,
      orphans: 0,
      blocks: 0,
      bytes: 0,
    });
  });

  it('reads watermarks, and lists what the scanner refused', async () => {
    const none = await home.run(Watermark, [await home.file('plain.txt', 'nothing in it')]);
    expect([none.code, none.stderr]).toEqual([6, expect.stringContaining('It has no watermark')]);
    const empty = await home.run(Quarantine);
    expect([empty.code, empty.stdout, empty.stderr]).toEqual([
      0,
      '',
      expect.stringContaining('Nothing is in quarantine'),
    ]);
    expect((await home.run(Quarantine, ['--destroy', '0'.repeat(32)])).code).toBe(6);
    expect((await home.operate(Quarantine, ['--release', '0'.repeat(32)])).code).toBe(6);
  });
});
