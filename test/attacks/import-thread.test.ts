import { describe, expect, it } from 'vitest';
import { authenticate } from '../../src/accounts/authenticate.ts';
import type { Offload } from '../../src/offload/port.ts';
import { importEntries } from '../../src/passvault/importing.ts';
import { importTask } from '../../src/passvault/import/import-task.ts';
import { engines } from '../support/stores.ts';
import { openScene, said, type Scene } from '../passvault/scene.ts';

const HUNG = 240_000;

const base64 = (text: string) => Buffer.from(text).toString('base64');
/** 600 bytes that ask for a key, which opens nothing. */
const protectedFile = (kdfMemory: number, kdfIterations: number, kdfParallelism: number) =>
  base64(
    JSON.stringify({
      encrypted: true,
      passwordProtected: true,
      salt: 'c2FsdA==',
      kdfType: 1,
      kdfIterations,
      kdfMemory,
      kdfParallelism,
      encKeyValidation_DO_NOT_EDIT: `2.${'A'.repeat(22)}==|${'A'.repeat(22)}==|${'A'.repeat(43)}=`,
      data: `2.${'A'.repeat(22)}==|${'A'.repeat(22)}==|${'A'.repeat(43)}=`,
    }),
  );

async function importing(scene: Scene, fileContent: string) {
  return await scene.call('POST', `/vaults/${scene.vaultId}/import`, {
    format: 'bitwarden',
    fileContent,
    password: 'guess',
    dryRun: true,
  });
}

/** Imports that are begun and go on until they are let go, so that their queue is full. */
function held(inner: Offload): { offload: Offload; letGo: () => void; begun: Promise<void> } {
  let letGo: () => void = () => undefined;
  let begin: () => void = () => undefined;
  const open = new Promise<void>((resolve) => (letGo = resolve));
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const holding = (offload: Offload): Offload => ({
    of: (owner) => holding(offload.of(owner)),
    async run(task, input, options) {
      if (task.name === importTask.name) {
        begin();
        await open;
      }
      return await offload.run(task, input, options);
    },
  });
  return { offload: holding(inner), letGo, begun };
}

describe.each(engines)('imports on %s', (engine) => {
  it(
    'that ask for a costly key are refused before any work, with what they ask for and what is allowed',
    async () => {
      await using scene = await openScene(engine);
      for (const [memory, passes, lanes] of [
        [1024, 10, 16],
        [257, 1, 1],
        [256, 3, 1],
        [64, 11, 1],
        [64, 1, 17],
      ] as const) {
        const answer = await importing(scene, protectedFile(memory, passes, lanes));
        expect(said(answer)).toBe('400 IMPORT_UNREADABLE');
        const { message } = answer.body.error;
        expect(message).toContain(`Argon2id with ${memory} MiB, ${passes} passes and ${lanes} lanes`);
        expect(message).toContain('256 MiB, 10 passes and 16 lanes, and memory times passes up to 640 MiB');
      }
      expect(said(await importing(scene, protectedFile(64, 3, 4)))).toBe('400 IMPORT_PASSWORD_WRONG');
    },
    HUNG,
  );

  it(
    'take no place of sign-ins, however many of them wait',
    async () => {
      // One sign-in at once, and none may wait: an import among them would turn it away.
      await using plain = await openScene(engine, { config: { heavy: { atOnce: 1, queued: 0 } } });
      const holding = held(plain.house.ctx.offload);
      await using scene = await openScene(engine, {
        config: { heavy: { atOnce: 1, queued: 0 } },
        context: { offload: holding.offload },
      });
      const imports = [1, 2, 3].map(() => importing(scene, protectedFile(64, 3, 4)));
      await holding.begun;
      const { username, password } = scene.owner;
      const answer = await scene.house.api('POST', '/api/user/login', { body: { username, password } });
      expect(said(answer)).toBe('200 success');
      holding.letGo();
      expect((await Promise.all(imports)).map(said)).toEqual(
        Array.from({ length: 3 }, () => '400 IMPORT_PASSWORD_WRONG'),
      );
    },
    HUNG,
  );

  it(
    'are given up when whoever asked is gone, and leave their place',
    async () => {
      await using scene = await openScene(engine);
      const { ctx } = scene.house;
      const gone = new AbortController();
      const actor = await authenticate(
        ctx,
        scene.owner.token,
        { address: 'test', userAgent: 'test' },
        { local: false },
      );
      const caller = { signal: gone.signal, reserve: () => undefined };
      const input = {
        vaultId: scene.vaultId,
        format: 'bitwarden',
        fileContent: protectedFile(64, 10, 1),
        password: 'guess',
        skipDuplicates: false,
        includeRecycleBin: false,
        dryRun: false,
      };
      const work = importEntries({ ...ctx, caller }, actor, input);
      gone.abort();
      await expect(work).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining('has gone'),
      });
      expect(said(await importing(scene, protectedFile(8, 1, 1)))).toBe('400 IMPORT_PASSWORD_WRONG');
    },
    HUNG,
  );

  it(
    'whose thread ends are a problem that says so, and nothing is imported',
    async () => {
      const broken: Offload = { of: () => broken, run: () => Promise.reject(new Error('the thread ended')) };
      await using scene = await openScene(engine, { context: { offload: broken } });
      const answer = await importing(scene, base64('x'));
      expect(answer.status).toBe(500);
      expect(answer.body.error.message).toContain('Nothing was imported');
      expect((await scene.in('GET', '/entries')).entries).toEqual([]);
    },
    HUNG,
  );
});
