import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writePrivateFile } from '../../../src/cli/passvault/transfer/output-file.ts';
import { temporaryFolder } from '../../support/stores.ts';

describe('a file that is written whole', () => {
  it('is the one that was named, also in what goes wrong with its temporary one', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'folder'));
    const refused: [string, string][] = [
      [join(folder.path, 'missing', 'out'), 'the folder does not exist'],
      [join(folder.path, 'folder'), 'it is a folder'],
      [join(folder.path, 'x'.repeat(300)), 'the name is too long'],
    ];
    for (const [path, reason] of refused) {
      await expect(writePrivateFile(path, 'x', { replace: true })).rejects.toMatchObject({
        kind: 'invalid',
        code: 'OUTPUT_UNWRITABLE',
        message: `${path} cannot be written: ${reason}. Name another place.`,
      });
    }
    expect(await readdir(folder.path)).toEqual(['folder']);
    await writePrivateFile(join(folder.path, 'out'), 'text', { replace: false });
    expect(await readFile(join(folder.path, 'out'), 'utf8')).toBe('text');
    await expect(writePrivateFile(join(folder.path, 'out'), 'more', { replace: false })).rejects.toMatchObject({
      code: 'FILE_EXISTS',
    });
  });
});
