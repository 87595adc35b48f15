import { createCipheriv, createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { hash as argon2, argon2id } from 'argon2';
import { describe, expect, it } from 'vitest';
import { expectProblem, importText } from './expect-import.ts';

/** Written apart from the reader, from the description of the format. */
function protectedFile(key: Buffer, parameters: object, json: string): Record<string, unknown> {
  const half = (name: string) => createHmac('sha256', key).update(`${name}\u0001`).digest();
  const seal = (text: string) => {
    const iv = createHash('md5').update(text).digest();
    const cipher = createCipheriv('aes-256-cbc', half('enc'), iv);
    const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
    const mac = createHmac('sha256', half('mac')).update(iv).update(ciphertext).digest();
    return `2.${iv.toString('base64')}|${ciphertext.toString('base64')}|${mac.toString('base64')}`;
  };
  return {
    encrypted: true,
    passwordProtected: true,
    ...parameters,
    encKeyValidation_DO_NOT_EDIT: seal('check'),
    data: seal(json),
  };
}

const json = JSON.stringify({
  encrypted: false,
  folders: [],
  items: [{ type: 1, name: 'A', login: { password: ' pä ' } }],
});
const salt = 'qQAdNzVGDjmIWIz3CLkMOg==';

function pbkdf2File(password = 'påss'): Record<string, unknown> {
  const key = pbkdf2Sync(password, salt, 5_000, 32, 'sha256');
  return protectedFile(key, { salt, kdfType: 0, kdfIterations: 5_000, kdfMemory: null, kdfParallelism: null }, json);
}

async function argon2File(): Promise<Record<string, unknown>> {
  const key = await argon2('påss', {
    raw: true,
    type: argon2id,
    salt: createHash('sha256').update(salt).digest(),
    memoryCost: 16 * 1024,
    timeCost: 2,
    parallelism: 2,
    hashLength: 32,
  });
  return protectedFile(key, { salt, kdfType: 1, kdfIterations: 2, kdfMemory: 16, kdfParallelism: 2 }, json);
}

const files = { PBKDF2: async () => pbkdf2File(), Argon2id: argon2File };

describe.each(Object.entries(files))('a file protected by %s', (_, write) => {
  it('opens with its password alone', async () => {
    const text = JSON.stringify(await write());
    for (const format of ['auto', 'managerC_json']) {
      const { records } = await importText(format, text, { password: 'påss' });
      expect(records.map(({ entry }) => entry.password)).toEqual([' pä ']);
    }
    await expectProblem(importText('auto', text), 'IMPORT_PASSWORD_REQUIRED');
    for (const password of ['pbss', 'påss ', 'PÅSS', '\ud800']) {
      const problem = await expectProblem(importText('auto', text, { password }), 'IMPORT_PASSWORD_WRONG');
      expect(problem.message).not.toContain(password.trim());
    }
  });

  it('says when what it protects was changed', async () => {
    const file = await write();
    const [iv, ciphertext, mac] = String(file.data).split('|') as [string, string, string];
    const changed = [
      [iv, ciphertext, mac.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
      [iv, ciphertext.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')), mac],
      [iv, ciphertext, mac, mac],
      [iv.replace('2.', '0.'), ciphertext, mac],
    ];
    for (const parts of changed) {
      const text = JSON.stringify({ ...file, data: parts.join('|') });
      await expectProblem(importText('auto', text, { password: 'påss' }), 'IMPORT_UNREADABLE');
    }
  });

  it('tells its thread that an addon works', async () => {
    let runs = 0;
    const native = async <T>(work: () => Promise<T>): Promise<T> => {
      runs += 1;
      return await work();
    };
    await importText('auto', JSON.stringify(await write()), { password: 'påss', native });
    expect(runs).toBe(1);
  });
});

it.each([
  [{ kdfType: 0, kdfIterations: 2_000_001 }],
  [{ kdfType: 0, kdfIterations: 0 }],
  [{ kdfType: 0, kdfIterations: 1e9 }],
  [{ kdfType: 0, kdfIterations: null }],
  [{ kdfType: 1, kdfIterations: 11, kdfMemory: 64, kdfParallelism: 4 }],
  [{ kdfType: 1, kdfIterations: 3, kdfMemory: 1025, kdfParallelism: 4 }],
  [{ kdfType: 1, kdfIterations: 3, kdfMemory: 64, kdfParallelism: 17 }],
  [{ kdfType: 1, kdfIterations: 3, kdfMemory: -1, kdfParallelism: 4 }],
  [{ kdfType: 2, kdfIterations: 3 }],
])('refuses %j before it derives anything', async (parameters) => {
  const native = async (): Promise<never> => await Promise.reject(new Error('it derived'));
  const text = JSON.stringify({ ...pbkdf2File(), ...parameters });
  const problem = await expectProblem(importText('auto', text, { password: 'påss', native }), 'IMPORT_UNREADABLE');
  expect(problem.message).toContain('out of bounds');
});

it.each(['salt', 'data', 'encKeyValidation_DO_NOT_EDIT'])('refuses a file without %s', async (name) => {
  const file = { ...pbkdf2File(), [name]: 7 };
  await expectProblem(
    importText('managerC_json', JSON.stringify({ ...file, [name]: undefined, items: [] }), { password: 'påss' }),
    'IMPORT_UNREADABLE',
  );
});

it('keeps what it protects out of messages', async () => {
  const key = pbkdf2Sync('p', salt, 1, 32, 'sha256');
  const text = JSON.stringify(protectedFile(key, { salt, kdfType: 0, kdfIterations: 1 }, '{"topsecret":1}'));
  const problem = await expectProblem(importText('auto', text, { password: 'p' }), 'IMPORT_UNREADABLE');
  expect(problem.message).not.toContain('topsecret');
});
