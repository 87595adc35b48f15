import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import type { QueryExecutor } from 'kysely';
import type { HeavyWork } from '../../../src/service/context.ts';
import type { Method } from '../../../src/contract/operation.ts';
import { passvault } from '../../../src/contract/passvault.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { masterPassword, openScene, said, shareWith, type Scene } from './scene.ts';

const root = '/api/passvault/vaults/:vaultId';
const nowhere = 'f'.repeat(32);
const content = Buffer.from('name,url,username,password\na,b,c,d\n').toString('base64');

/** Bodies that are well-formed, so that nothing but the right to the vault is in question. */
const bodies: Readonly<Record<string, (stranger: HouseMember) => object>> = {
  'POST /open': () => ({ masterPassword }),
  'DELETE ': () => ({ masterPassword }),
  'PUT ': () => ({ name: 'Mine' }),
  'POST /change-master-password': () => ({ masterPassword, newMasterPassword: 'the next master password' }),
  'POST /entries': () => ({ type: 'login', title: 'x' }),
  'PUT /entries/:entryId': () => ({ title: 'x' }),
  'POST /autofill': () => ({ siteUrl: 'https://x.example' }),
  'POST /entries/:entryId/attachments': () => ({ filename: 'a', content: 'YQ==' }),
  'POST /import': () => ({ format: 'browserA_csv', fileContent: content }),
  'POST /export': () => ({ password: 'long enough' }),
  'POST /share': ({ memberId }) => ({ recipientMemberIds: [memberId] }),
  'POST /revoke-share': ({ memberId }) => ({ memberId }),
  'POST /emergency-access': ({ memberId }) => ({ threshold: 1, trustees: [memberId] }),
  'POST /emergency-recover': ({ memberId }) => ({
    shares: [{ trusteeId: memberId, encryptedShare: 'ab'.repeat(150) }],
  }),
};

const operations = Object.values(passvault)
  .filter(({ path }) => path.startsWith(root))
  .map(({ method, path }) => `${method} ${path.slice(root.length)}`);

/** A vault with everything that one can have, of which the stranger has nothing any more. */
async function fullVault(scene: Scene, former: HouseMember) {
  const [recipient, trustee] = [await scene.house.register(), await scene.house.register()];
  await shareWith(scene, former);
  await scene.in('POST', '/revoke-share', { memberId: former.memberId });
  await shareWith(scene, recipient);
  await scene.in('POST', '/emergency-access', { threshold: 1, trustees: [trustee.memberId] });
  const entryId = await scene.login();
  const attached = await scene.in('POST', `/entries/${entryId}/attachments`, { filename: 'a', content: 'YQ==' });
  return { entryId, attachmentId: attached.attachment.id as string };
}

/** What one request did: its statements, those of the last try of a transaction that PostgreSQL repeated, and how much heavy work. */
interface Doing {
  readonly statements: string[];
  heavy: number;
}

describe.each(engines)('a stranger on %s', (engine) => {
  let executed: MockInstance<QueryExecutor['executeQuery']>;
  afterEach(() => executed?.mockRestore());

  it('cannot tell a vault that exists from one that does not, in what is answered or done', async () => {
    // What a request does, not what happens to run at the same time.
    const asked = new AsyncLocalStorage<Doing | undefined>();
    const counted: HeavyWork = {
      run: (work) => {
        const doing = asked.getStore();
        if (doing) doing.heavy += 1;
        return work();
      },
      of: () => counted,
    };
    await using scene = await openScene(engine, { context: { heavy: counted } });
    const { house, vaultId } = scene;
    const stranger = await house.register();
    const { entryId, attachmentId } = await fullVault(scene, stranger);
    // Transactions have executors of their own, of the same class.
    let prototype: QueryExecutor = Object.getPrototypeOf(house.ctx.db.getExecutor());
    while (!Object.hasOwn(prototype, 'executeQuery')) prototype = Object.getPrototypeOf(prototype);
    const { executeQuery } = prototype;
    executed = vi.spyOn(prototype, 'executeQuery').mockImplementation(function (this: QueryExecutor, query) {
      asked.getStore()?.statements.push(query.sql);
      return executeQuery.call(this, query) as never;
    });
    const { store } = house.ctx;
    const { transaction } = store;
    vi.spyOn(store, 'transaction').mockImplementation(async (body) => {
      const doing = asked.getStore();
      const before = doing?.statements.length ?? 0;
      return await transaction(async (db) => {
        doing?.statements.splice(before);
        // A group of transactions runs in the context of the first one.
        return await asked.run(doing, async () => await body(db));
      });
    });
    const ask = async (operation: string, vault: string, token = stranger.token) => {
      const [method = '', template = ''] = operation.split(' ');
      const path = template.replace(':entryId', entryId).replace(':attachmentId', attachmentId);
      const doing: Doing = { statements: [], heavy: 0 };
      const answer = await asked.run(doing, () =>
        scene.call(method as Method, `/vaults/${vault}${path}`, bodies[operation]?.(stranger), token),
      );
      const { statements, heavy } = doing;
      return {
        said: said(answer),
        body: answer.body,
        headers: [...answer.headers.keys()],
        statements: [...statements],
        heavy,
      };
    };
    // What is counted is there: opening by the owner reads and derives.
    const opened = await ask('POST /open', vaultId, scene.owner.token);
    expect(opened).toMatchObject({ said: '200 success', heavy: 1 });
    expect(opened.statements.filter((sql) => sql.includes('passvault_')).length).toBeGreaterThan(3);
    for (const operation of operations) {
      const there = await ask(operation, vaultId);
      expect(there.said, operation).toBe('404 VAULT_NOT_FOUND');
      expect(
        there.statements.some((sql) => sql.includes('passvault_')),
        operation,
      ).toBe(true);
      expect(there.heavy, operation).toBe(0);
      expect(there, operation).toEqual(await ask(operation, nowhere));
    }
  });
});
