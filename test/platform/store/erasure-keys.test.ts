import { chmod, copyFile, link, open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, inject, it } from 'vitest';
import { systemRandom } from '../../../src/crypto/bytes.ts';
import { createErasureKeys, openErasureKeys, type ErasureKeys } from '../../../src/platform/store/erasure-keys.ts';
import { bundle } from '../../support/bundle.ts';
import { mountSmallDisk, canMount } from '../../support/small-disk.ts';
import { seeded } from '../../support/run-seed.ts';
import { inStage } from '../../support/stage.ts';
import { temporaryFolder } from '../../support/stores.ts';
import { someMoment } from '../../support/real-time.ts';

interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly path: string;
}

async function newKeys(): Promise<Place> {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'erasure.keys');
  await createErasureKeys(path, systemRandom);
  return { folder: folder.path, path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function keysOf(keys: ErasureKeys, slots: readonly number[]): Promise<(string | undefined)[]> {
  const found = await Promise.all(slots.map(async (slot) => await keys.keyOf(slot)));
  return found.map((key) => key && Buffer.from(key).toString('hex'));
}

/** What the bytes of a refused file are: the file is only read. */
async function refusal(path: string): Promise<unknown> {
  const before = await readFile(path);
  const error: unknown = await openErasureKeys(path).then(
    async (keys) => {
      await keys[Symbol.asyncDispose]();
      return 'nothing';
    },
    (cause: unknown) => cause,
  );
  expect((await readFile(path)).equals(before)).toBe(true);
  return error;
}

const invalid = expect.objectContaining({ code: 'ERASURE_KEYS_INVALID' }) as unknown;

describe('the file of erasure keys', () => {
  it('is made once, for its owner alone', async () => {
    await using place = await newKeys();
    const before = await readFile(place.path);
    expect((await stat(place.path)).mode & 0o777).toBe(0o600);
    await expect(createErasureKeys(place.path, systemRandom)).rejects.toThrow('EEXIST');
    expect((await readFile(place.path)).equals(before)).toBe(true);
    expect(await readdir(place.folder)).toEqual(['erasure.keys']);
  });

  it('is one of them as a whole when several make it at once', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'keys');
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, async () => await createErasureKeys(path, systemRandom)),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await using keys = await openErasureKeys(path);
    expect(keys.id).toMatch(/^[0-9a-f]{32}$/);
    expect(await readdir(folder.path)).toEqual(['keys']);
  });

  it('gives each slot a key of its own, also after it was opened again', async () => {
    await using place = await newKeys();
    const slots = [0, 1, 2, 2 ** 40 - 1];
    await using keys = await openErasureKeys(place.path);
    const found = await keysOf(keys, slots);
    expect(new Set(found).size).toBe(4);
    expect(found.every((key) => key?.length === 64)).toBe(true);
    await using again = await openErasureKeys(place.path);
    expect(await keysOf(again, slots)).toEqual(found);
    expect(again.id).toBe(keys.id);
  });

  it('changes only when something is erased, so a copy gives the keys of all later slots', async () => {
    await using place = await newKeys();
    const before = await readFile(place.path);
    await using keys = await openErasureKeys(place.path);
    const later = await keysOf(keys, [1000, 5]);
    await keys.erase([]);
    expect((await readFile(place.path)).equals(before)).toBe(true);
    const copy = join(place.folder, 'copy');
    await copyFile(place.path, copy);
    await keys.erase([5]);
    const after = await stat(place.path, { bigint: true });
    await keys.erase([5, 5]);
    expect((await stat(place.path, { bigint: true })).ino).toBe(after.ino);
    await using copied = await openErasureKeys(copy);
    expect(await keysOf(copied, [1000, 5])).toEqual(later);
    expect(await keysOf(keys, [1000, 5])).toEqual([later[0], undefined]);
  });

  it('loses the keys of erased slots for good, and no others', async () => {
    await using place = await newKeys();
    const random = seeded(inject('seed'));
    const slots = Array.from({ length: 60 }, (_, at) => at);
    const gone = slots.filter(() => random() < 0.4);
    await using keys = await openErasureKeys(place.path);
    const before = await keysOf(keys, slots);
    const expected = before.map((key, at) => (gone.includes(at) ? undefined : key));
    // At once: they run one after another.
    await Promise.all(gone.map(async (slot) => await keys.erase([slot])));
    expect(await keysOf(keys, slots)).toEqual(expected);
    await using again = await openErasureKeys(place.path);
    expect(await keysOf(again, slots)).toEqual(expected);
    expect(again.id).toBe(keys.id);
    expect((await stat(place.path)).mode & 0o777).toBe(0o600);
    expect(await readdir(place.folder)).toEqual(['erasure.keys']);
  });

  it('overwrites the old file', async () => {
    await using place = await newKeys();
    await link(place.path, join(place.folder, 'other name'));
    const { size } = await stat(place.path);
    await using keys = await openErasureKeys(place.path);
    await keys.erase([3]);
    expect((await readFile(join(place.folder, 'other name'))).equals(Buffer.alloc(size))).toBe(true);
  });

  it('is read again by others that have it open', async () => {
    await using place = await newKeys();
    await using one = await openErasureKeys(place.path);
    await using other = await openErasureKeys(place.path);
    const [, key] = await keysOf(one, [1, 2]);
    await one.erase([1]);
    expect(await keysOf(other, [1, 2])).toEqual([undefined, key]);
    await other.erase([2]);
    expect(await keysOf(one, [1, 2])).toEqual([undefined, undefined]);
    await using third = await openErasureKeys(place.path);
    expect(await keysOf(third, [1, 2])).toEqual([undefined, undefined]);
  });

  it(
    'gives right keys, or none, to those that read while another erases and a third opens it',
    { tags: 'thorough' },
    async () => {
      await using place = await newKeys();
      await using reader = await openErasureKeys(place.path);
      await using eraser = await openErasureKeys(place.path);
      const rounds = inStage(60, 60, 300);
      const slots = Array.from({ length: rounds + 20 }, (_, at) => at);
      const known = await keysOf(reader, slots);
      const done = { erased: 0 };
      const isOver = () => done.erased === rounds;
      const erasing = (async () => {
        for (; !isOver(); done.erased += 1) await eraser.erase([done.erased]);
      })();
      const opening = (async () => {
        while (!isOver()) await (await openErasureKeys(place.path))[Symbol.asyncDispose]();
      })();
      const reading = (async () => {
        const random = seeded(inject('seed'));
        while (!isOver()) {
          const slot = Math.floor(random() * slots.length);
          const isGone = slot < done.erased;
          const [key] = await keysOf(reader, [slot]);
          if (isGone) expect(key).toBeUndefined();
          else if (key !== undefined || slot >= rounds) expect(key).toBe(known[slot]);
        }
      })();
      await Promise.all([erasing, opening, reading]);
      expect(await keysOf(reader, slots)).toEqual(known.map((key, at) => (at < rounds ? undefined : key)));
      expect(await readdir(place.folder)).toEqual(['erasure.keys']);
    },
  );

  it('is of no use once it is closed', async () => {
    await using place = await newKeys();
    const keys = await openErasureKeys(place.path);
    await keys[Symbol.asyncDispose]();
    await expect(keys.keyOf(1)).rejects.toThrow('the erasure keys are closed');
    await expect(keys.erase([1])).rejects.toThrow('the erasure keys are closed');
  });
});

describe('a file of erasure keys is refused', () => {
  it('when there is none', async () => {
    await using folder = await temporaryFolder();
    await expect(openErasureKeys(join(folder.path, 'none'))).rejects.toThrow('ENOENT');
    await expect(createErasureKeys(join(folder.path, 'none', 'none'), systemRandom)).rejects.toThrow('ENOENT');
  });

  it('when any byte is missing, or any is another one', { tags: 'thorough' }, async () => {
    await using place = await newKeys();
    {
      await using keys = await openErasureKeys(place.path);
      await keys.erase([1, 2]);
    }
    const whole = await readFile(place.path);
    const path = join(place.folder, 'damaged');
    const step = inStage(7, 7, 1);
    const accepted: string[] = [];
    const attempt = async (name: string, bytes: Uint8Array) => {
      await writeFile(path, bytes, { mode: 0o600 });
      const error = await refusal(path);
      if ((error as { code?: string }).code !== 'ERASURE_KEYS_INVALID') accepted.push(`${name}: ${String(error)}`);
    };
    for (let at = 0; at < whole.length; at += step) {
      await attempt(`${at} bytes`, whole.subarray(0, at));
      const flipped = Buffer.from(whole);
      flipped.writeUInt8(whole.readUInt8(at) ^ (1 << (at % 8)), at);
      await attempt(`byte ${at}`, flipped);
    }
    await attempt('more', Buffer.concat([whole, Buffer.alloc(1)]));
    expect(accepted).toEqual([]);
  });

  it('when others may read it, with what to do', async () => {
    await using place = await newKeys();
    await chmod(place.path, 0o640);
    const error = await refusal(place.path);
    expect(error).toMatchObject({ code: 'ERASURE_KEYS_EXPOSED' });
    expect(String(error)).toContain(`chmod 600 ${place.path}`);
  });

  it('when it is a symbolic link, or a folder', async () => {
    await using place = await newKeys();
    await symlink(place.path, join(place.folder, 'link'));
    expect(await refusal(join(place.folder, 'link'))).toEqual(invalid);
    expect(String(await refusal(join(place.folder, 'link')))).toContain('symbolic link');
    await expect(openErasureKeys(place.folder)).rejects.toEqual(invalid);
  });

  it('when it becomes that of another store, or damaged, while it is open', async () => {
    await using place = await newKeys();
    await using other = await newKeys();
    await using keys = await openErasureKeys(place.path);
    const key = await keysOf(keys, [1]);
    const own = await readFile(place.path);
    await copyFile(other.path, place.path);
    await expect(keys.keyOf(1)).rejects.toThrow('belongs to another store');
    await expect(keys.erase([1])).rejects.toEqual(invalid);
    await writeFile(place.path, own.subarray(1));
    await expect(keys.keyOf(1)).rejects.toEqual(invalid);
    await expect(keys.erase([1])).rejects.toEqual(invalid);
    // The operator puts it back.
    await writeFile(place.path, own);
    expect(await keysOf(keys, [1])).toEqual(key);
  });
});

/** A program that erases one slot after another, and says so. */
const eraser = `
  const [module, path, from] = process.argv.slice(1);
  const { openErasureKeys } = await import(module);
  const keys = await openErasureKeys(path);
  console.log('ready');
  for (let slot = Number(from); slot < 400; slot += 1) {
    await keys.erase([slot]);
    console.log(slot);
  }
`;

describe('a process that is killed while it erases', () => {
  it('leaves files that are removed and overwritten, by those who open the keys or erase', async () => {
    await using place = await newKeys();
    const left = join(place.folder, 'erasure.keys.0123456789ab.new');
    const strangers = ['erasure.keys.new', 'erasure.keys.copy', 'other.0123456789ab.new'];
    for (const name of strangers) await writeFile(join(place.folder, name), name);
    for (const remove of [
      async () => await (await openErasureKeys(place.path))[Symbol.asyncDispose](),
      async () => {
        await using keys = await openErasureKeys(place.path);
        await copyFile(place.path, left);
        await keys.erase([1]);
      },
    ]) {
      await copyFile(place.path, left);
      await using held = await open(left, 'r');
      await remove();
      expect((await readdir(place.folder)).sort()).toEqual(['erasure.keys', ...strangers].sort());
      const bytes = await held.readFile();
      expect(bytes.every((byte) => byte === 0) && bytes.length > 0).toBe(true);
    }
  });

  it('between the two names of the file, loses nothing', async () => {
    await using place = await newKeys();
    const left = join(place.folder, 'erasure.keys.0123456789ab.old');
    await link(place.path, left);
    const before = await readFile(place.path);
    await using keys = await openErasureKeys(place.path);
    expect(await readdir(place.folder)).toEqual(['erasure.keys']);
    expect((await readFile(place.path)).equals(before)).toBe(true);
    expect(await keys.keyOf(1)).toHaveLength(32);
  });

  it('leaves the old keys or the new ones at any moment', { tags: 'thorough' }, async () => {
    await using place = await newKeys();
    await using program = await bundle('src/platform/store/erasure-keys.ts');
    const kills = inStage(3, 5, 25);
    const random = seeded(inject('seed'));
    const slots = Array.from({ length: 400 }, (_, at) => at);
    const known = await (async () => {
      await using keys = await openErasureKeys(place.path);
      return await keysOf(keys, slots);
    })();
    let acknowledged = 0;
    for (let round = 0; round < kills && acknowledged < 350; round += 1) {
      const child = spawn(
        process.execPath,
        ['--input-type=module', '-e', eraser, program.path, place.path, String(acknowledged)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      await once(child.stdout, 'data');
      // Every other one has erased something, however busy the machine is.
      if (round % 2 === 0) while (!/^\d/m.test(said)) await once(child.stdout, 'data');
      await someMoment(random() * 12);
      child.kill('SIGKILL');
      await once(child, 'close');
      const lines = said.split('\n').slice(0, -1);
      const last = lines.findLast((line) => line !== 'ready');
      if (last !== undefined) acknowledged = Math.max(acknowledged, Number(last) + 1);
      await using keys = await openErasureKeys(place.path);
      const found = await keysOf(keys, slots);
      // One more may be erased than was said.
      const next = found[acknowledged] === undefined ? acknowledged + 1 : acknowledged;
      expect(found).toEqual(known.map((key, at) => (at < next ? undefined : key)));
      expect(await readdir(place.folder)).toEqual(['erasure.keys']);
      acknowledged = next;
    }
    expect(acknowledged).toBeGreaterThan(0);
  });
});

describe('a full disk', { tags: 'needs-mount' }, async () => {
  it.skipIf(!(await canMount()))('leaves the old file, and erases later', async () => {
    await using disk = (await mountSmallDisk('64k')) as NonNullable<Awaited<ReturnType<typeof mountSmallDisk>>>;
    const path = join(disk.path, 'erasure.keys');
    await createErasureKeys(path, systemRandom);
    await using keys = await openErasureKeys(path);
    const before = await keysOf(keys, [1, 2]);
    const filler = join(disk.path, 'filler');
    await using file = await open(filler, 'w');
    await expect(file.writeFile(Buffer.alloc(1 << 20))).rejects.toThrow('ENOSPC');
    await expect(keys.erase([1])).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(await keysOf(keys, [1, 2])).toEqual(before);
    await expect(createErasureKeys(join(disk.path, 'more'), systemRandom)).rejects.toMatchObject({
      code: 'STORE_FULL',
    });
    expect((await readdir(disk.path)).sort()).toEqual(['erasure.keys', 'filler']);
    await file.truncate(0);
    await keys.erase([1]);
    expect(await keysOf(keys, [1, 2])).toEqual([undefined, before[1]]);
  });
});
