import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';
import { openNodeSecret } from '../../src/config/node-secret.ts';
import { toHex } from '../../src/crypto/bytes.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conclave-secret-'));
  file = join(folder, 'data', 'node.secret');
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

it('is made once, for its owner alone, and read from then on', async () => {
  const made = await openNodeSecret(file, { create: true });
  expect(made).toHaveLength(32);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder, 'data'))).toEqual(['node.secret']);
  expect(await openNodeSecret(file, { create: false })).toEqual(made);
  expect(await openNodeSecret(file, { create: true })).toEqual(made);
});

it('is the same for all who make it at once', async () => {
  const secrets = await Promise.all(Array.from({ length: 20 }, () => openNodeSecret(file, { create: true })));
  expect(new Set(secrets.map(toHex)).size).toBe(1);
  expect(await readdir(join(folder, 'data'))).toEqual(['node.secret']);
});

it('is not made where it should be there', async () => {
  await expect(openNodeSecret(file, { create: false })).rejects.toMatchObject({
    kind: 'missing',
    code: 'NODE_SECRET_MISSING',
  });
});

it('is refused when it has another length, and left as it is', async () => {
  const short = join(folder, 'short');
  await writeFile(short, 'x'.repeat(31), { mode: 0o600 });
  await expect(openNodeSecret(short, { create: true })).rejects.toMatchObject({
    kind: 'invalid',
    code: 'NODE_SECRET_INVALID',
  });
  expect(await readFile(short, 'utf8')).toBe('x'.repeat(31));
});

it('is refused when others may open it, with the command that helps', async () => {
  await openNodeSecret(file, { create: true });
  for (const mode of [0o640, 0o604, 0o660]) {
    await chmod(file, mode);
    await expect(openNodeSecret(file, { create: false })).rejects.toMatchObject({
      code: 'NODE_SECRET_EXPOSED',
      message: expect.stringContaining(`chmod 600 ${file}`),
    });
  }
});

it('gives keys that are all different, and the same again', () => {
  const secret = new Uint8Array(32).fill(7);
  const { logOf, useLog, ...derived } = deriveNodeKeys(secret);
  const { identity, nodeId, ledgerLog, ledgerLogKey, witness, witnessKey, vapid, ...symmetric } = derived;
  const pairs = [
    identity,
    ledgerLog,
    witness,
    vapid,
    logOf('0123456789abcdef').ledgerLog,
    logOf('f123456789abcdef').ledgerLog,
  ];
  const keys = [...Object.values(symmetric), ...pairs.map(({ privateKey }) => privateKey)].map(toHex);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.every((key) => key.length === 64)).toBe(true);
  expect(nodeId).toMatch(/^[0-9a-f]{40}$/);
  expect(ledgerLogKey).toMatch(new RegExp(`^conclave/${nodeId}\\+[0-9a-f]{8}\\+A`));
  expect(witnessKey).toMatch(new RegExp(`^conclave/${nodeId}/witness\\+[0-9a-f]{8}\\+B`));
  const { logOf: again, useLog: use, ...same } = deriveNodeKeys(secret);
  expect(same).toEqual(derived);
  expect(again('')).toEqual({ ledgerLog, ledgerLogKey });
  expect([useLog, use].every((one) => typeof one === 'function')).toBe(true);
  expect(deriveNodeKeys(new Uint8Array(32).fill(8)).nodeId).not.toBe(nodeId);
});
