import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readIfThere, replaceDurably } from '../../../src/platform/store/durable-file.ts';
import { temporaryFolder } from '../../support/stores.ts';

describe('a small file beside the store', () => {
  it('is undefined where there is none', async () => {
    await using folder = await temporaryFolder();
    expect(await readIfThere(join(folder.path, 'mark'))).toBeUndefined();
  });

  it('is one of the texts as a whole when several replace it at once, and only its owner reads it', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'mark');
    const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(10_000));
    await Promise.all(texts.map(async (text) => await replaceDurably(path, text)));
    expect(texts).toContain(await readIfThere(path));
    expect(await readdir(folder.path)).toEqual(['mark']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing behind when it cannot be replaced', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'mark', 'full'), { recursive: true });
    await expect(replaceDurably(join(folder.path, 'mark'), 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(await readdir(folder.path)).toEqual(['mark']);
  });
});
