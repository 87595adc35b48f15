import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretReader } from '../../src/cli/kit/secrets.ts';

describe('secrets', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-secrets-'));
  });
  afterAll(async () => await rm(folder, { recursive: true }));

  const reader = (env: NodeJS.ProcessEnv = {}, stdin: string | string[] = '') =>
    secretReader({
      env,
      stdin: Readable.from(Array.isArray(stdin) ? stdin : [stdin]),
      stdout: process.stdout,
      stderr: process.stderr,
    });
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };

  it('come from a file before a variable that names one before a variable', async () => {
    const [a, b] = [await file('a', ' from a \r\nsecond line\n'), await file('b', 'from b')];
    expect(await reader({ X: 'x', X_FILE: b }).read('x', a, 'X')).toBe(' from a ');
    expect(await reader({ X: 'x', X_FILE: b }).read('x', undefined, 'X')).toBe('from b');
    expect(await reader({ X: 'x', X_FILE: '' }).read('x', undefined, 'X')).toBe('x');
    expect(await reader({ X: '' }).read('x', undefined, 'X')).toBeUndefined();
  });

  it('take a line each from standard input', async () => {
    const secrets = reader({}, ['fir', 'st\r\nsec', 'ond\n']);
    expect(await secrets.read('x', '-', 'X')).toBe('first');
    expect(await secrets.read('y', '-', 'Y')).toBe('second');
    await expect(secrets.read('z', '-', 'Z')).rejects.toMatchObject({ code: 'SECRET_EMPTY' });
  });

  it('are refused where they are empty, unreadable or far too long', async () => {
    await expect(reader().read('x', await file('empty', '\n'), 'X')).rejects.toMatchObject({
      kind: 'invalid',
      code: 'SECRET_EMPTY',
    });
    await expect(reader().read('x', join(folder, 'missing'), 'X')).rejects.toMatchObject({
      kind: 'invalid',
      code: 'SECRET_UNREADABLE',
    });
    await expect(reader().read('x', folder, 'X')).rejects.toMatchObject({ code: 'SECRET_UNREADABLE' });
    const long = await file('long', 'x'.repeat(70_000));
    await expect(reader().read('x', long, 'X')).rejects.toMatchObject({ code: 'SECRET_UNREADABLE' });
    await expect(reader({}, 'x'.repeat(70_000)).read('x', '-', 'X')).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
    });
  });
});
