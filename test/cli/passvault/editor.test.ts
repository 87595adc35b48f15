import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '../../../src/cli/kit/terminal.ts';
import { editText } from '../../../src/cli/passvault/browse/editor.ts';
import { openRamFolder } from '../../../src/cli/passvault/run/ram-disk.ts';

describe('the editor', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-editor-'));
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  const terminalWith = async (script: string): Promise<Terminal> => {
    const editor = join(folder, 'editor');
    await writeFile(editor, `#!/bin/sh\n${script}\n`);
    await chmod(editor, 0o755);
    const env = { PATH: process.env['PATH'], EDITOR: `${editor} --flag`, CONCLAVE_MASTER_PASSWORD: 'hunter2' };
    return { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough(), env };
  };
  const warnings: string[] = [];
  const options = { allowDisk: true, warn: (text: string) => void warnings.push(text) };

  it('changes a text in a folder of ours alone, which is gone afterwards', async () => {
    const script = `echo "$1" > ${folder}/flag; echo "$2" > ${folder}/path; ls -ld "$2" | cut -c1-10 > ${folder}/modes; ls -ld "$(dirname "$2")" | cut -c1-10 >> ${folder}/modes
env > ${folder}/env; cp "$2" "$2~"; sed -i s/old/new/ "$2"`;
    expect(await editText(await terminalWith(script), 'an old text\n', options)).toBe('an new text\n');
    expect(await readFile(join(folder, 'flag'), 'utf8')).toBe('--flag\n');
    expect(await readFile(join(folder, 'modes'), 'utf8')).toBe('-rw-------\ndrwx------\n');
    expect(await readFile(join(folder, 'env'), 'utf8')).not.toContain('hunter2');
    const path = (await readFile(join(folder, 'path'), 'utf8')).trim();
    await expect(stat(dirname(path))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('says when nothing was changed, or the editor failed', async () => {
    expect(await editText(await terminalWith('true'), 'a text', options)).toBeUndefined();
    await expect(editText(await terminalWith('exit 3'), 'a text', options)).rejects.toMatchObject({
      code: 'EDITOR_FAILED',
    });
    const { EDITOR: _, ...env } = (await terminalWith('true')).env;
    await expect(editText({ ...(await terminalWith('true')), env }, 'a text', options)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'EDITOR_MISSING',
    });
  });

  it('uses no disk unless that is allowed', async () => {
    const ordinary = { env: {}, candidates: [join(folder, 'missing'), import.meta.dirname] };
    await expect(openRamFolder({ ...ordinary, allowDisk: false })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'RAM_DISK_MISSING',
    });
    await using made = await openRamFolder({ ...ordinary, allowDisk: true });
    expect(made.inMemory).toBe(false);
    expect(await readdir(made.path)).toEqual([]);
  });
});
