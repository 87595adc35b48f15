import { describe, expect, it } from 'vitest';
import { authenticate } from '../../src/shared/members/authenticate.ts';
import type { Offload } from '../../src/service/ports/workers.ts';
import { importEntries } from '../../src/services/passvault/transfer/importing.ts';
import { importTask } from '../../src/services/passvault/transfer/import/import-task.ts';
import { startNode } from '../support/running-node.ts';
import { engines } from '../support/stores.ts';
import { masterPassword, openScene, said, type Scene } from '../services/passvault/scene.ts';

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

/** Imports that come and go on when they are let go, all at once. */
function held(inner: Offload): { offload: Offload; letGo: () => void; readonly come: number } {
  let letGo: () => void = () => undefined;
  const open = new Promise<void>((resolve) => (letGo = resolve));
  let come = 0;
  const holding = (offload: Offload): Offload => ({
    of: (owner) => holding(offload.of(owner)),
    async run(task, input, options) {
      if (task.name === importTask.name) {
        come += 1;
        await open;
      }
      return await offload.run(task, input, options);
    },
  });
  return {
    offload: holding(inner),
    letGo,
    get come() {
      return come;
    },
  };
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
    'take no place of sign-ins, however many of them wait, and of a member there is one',
    async () => {
      // One sign-in at once, and none may wait: an import among them would turn it away.
      await using plain = await openScene(engine, { config: { heavy: { atOnce: 1, queued: 0 } } });
      const holding = held(plain.house.ctx.offload);
      await using scene = await openScene(engine, {
        config: { heavy: { atOnce: 1, queued: 0 } },
        context: { offload: holding.offload },
      });
      const other = await scene.house.register();
      const { body } = await scene.call('POST', '/vaults', { name: 'Theirs', masterPassword }, other.token);
      const path = `/vaults/${body.data.vault.id}/import`;
      const wanted = { format: 'bitwarden', fileContent: protectedFile(64, 3, 4), password: 'guess' };
      const imports = [1, 2, 3].map(() => importing(scene, protectedFile(64, 3, 4)));
      const theirs = scene.call('POST', path, wanted, other.token);
      await expect.poll(() => holding.come, { timeout: HUNG }).toBe(4);
      const { username, password } = scene.owner;
      const answer = await scene.house.api('POST', '/api/user/login', { body: { username, password } });
      expect(said(answer)).toBe('200 success');
      holding.letGo();
      // A member has one place among them, and others one each. Which of the three comes first, the store decides.
      const answers = await Promise.all(imports);
      const refused = answers.filter((one) => one.status === 429);
      expect(answers.map(said).toSorted()).toEqual([
        '400 IMPORT_PASSWORD_WRONG',
        '429 RATE_LIMITED',
        '429 RATE_LIMITED',
      ]);
      for (const one of refused) {
        expect(one.body.error.message).toContain('Another import of yours');
        expect(one.headers.get('retry-after')).toBe('5');
      }
      expect(said(await theirs)).toBe('400 IMPORT_PASSWORD_WRONG');
      // It is free again with the end of the first.
      expect(said(await importing(scene, protectedFile(8, 1, 1)))).toBe('400 IMPORT_PASSWORD_WRONG');
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
        message: expect.stringContaining('disconnected'),
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

describe('an import over the network', () => {
  it('is given up when its connection is closed', { timeout: HUNG }, async () => {
    await using node = await startNode();
    const { context } = node.engine;
    let tell: (signal: AbortSignal) => void = () => undefined;
    const asked = new Promise<AbortSignal>((resolve) => (tell = resolve));
    const probe: Offload = {
      of: () => probe,
      async run(task, input, options) {
        if (task.name !== importTask.name) return await context.offload.run(task, input, options);
        const signal = options?.signal;
        if (signal === undefined) throw new Error('nobody could give this up');
        tell(signal);
        return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      },
    };
    Object.assign(context, { offload: probe });
    const post = async (path: string, body: object, token = '', signal?: AbortSignal) =>
      await node.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
        ...(signal !== undefined && { signal }),
      });
    const account = { username: 'gone', email: 'gone@example.org', password: 'seven green bottles' };
    const { data } = (await (await post('/api/user/register', account)).json()) as { data: { token: string } };
    const made = await post('/api/passvault/vaults', { name: 'Home', masterPassword }, data.token);
    const { vault } = ((await made.json()) as { data: { vault: { id: string } } }).data;
    const leaving = new AbortController();
    const file = { format: 'bitwarden', fileContent: protectedFile(64, 3, 4), password: 'guess' };
    const importingThere = post(`/api/passvault/vaults/${vault.id}/import`, file, data.token, leaving.signal);
    importingThere.catch(() => undefined);
    const signal = await asked;
    expect(signal.aborted).toBe(false);
    leaving.abort();
    await expect(importingThere).rejects.toThrow(/abort/);
    await expect.poll(() => signal.aborted).toBe(true);
  });
});
