import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/contract/all.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { openScene, type Scene } from '../services/passvault/scene.ts';
import { engines } from '../support/stores.ts';

/** The path of each list that comes in pages; as another member, or with another filter, it is another list. */
const lists: Readonly<Record<string, (scene: Scene) => readonly string[]>> = {
  'account.list-sessions': () => ['/api/user/sessions?'],
  'members.list': () => ['/api/admin/members?', '/api/admin/members?type=User', '/api/admin/members?query=e'],
  'members.sessions': ({ owner }) => [`/api/admin/members/${owner.memberId}/sessions?`],
  'passvault.audit-log': ({ vaultId }) => [`/api/passvault/vaults/${vaultId}/audit-log?`],
  'pool.nodes': () => ['/api/admin/pool/nodes?'],
  'pool.acl-history': () => ['/api/admin/pool/acl/history?'],
};

function isPaged(op: Operation): boolean {
  return 'cursor' in (op.input.entries as object);
}

/** So that each list has a second page. */
async function fill(scene: Scene, boss: string): Promise<void> {
  const { house, owner } = scene;
  await scene.login();
  await house.register();
  await house.register();
  await house.signIn(owner);
  await house.api('GET', '/api/admin/pool/acl', { token: boss });
  const { db } = house.ctx;
  const writer = await db.selectFrom('pool_writers').selectAll().executeTakeFirstOrThrow();
  await db
    .insertInto('pool_writers')
    .values({ ...writer, node_id: 'f'.repeat(40) })
    .execute();
  const list = await db.selectFrom('pool_lists').selectAll().executeTakeFirstOrThrow();
  await db
    .insertInto('pool_lists')
    .values({ ...list, version: 0 })
    .execute();
}

describe.each(engines)('cursors on %s', (engine) => {
  it('are good for their own list, filter and member, and a 400 everywhere else', async () => {
    await using scene = await openScene(engine);
    const { house, owner } = scene;
    // One member who may ask for everything, so that nothing but the cursor decides.
    const operator = await house.operatorToken();
    await house.api('POST', `/api/admin/members/${owner.memberId}/promote`, {
      token: operator,
      trusted: true,
      body: {},
    });
    const other = await house.administrator();
    await house.signIn(other);
    await fill(scene, owner.token);

    const paged = allOperations().filter(isPaged);
    expect(Object.keys(lists).toSorted()).toEqual(paged.map(({ id }) => id).toSorted());
    const paths = paged.flatMap(({ id }) => lists[id]!(scene));
    const cursors = new Map<string, string>();
    for (const path of paths) {
      const answer = await house.api('GET', `${path}&limit=1`, { token: owner.token });
      expect([path, answer.status]).toEqual([path, 200]);
      const reply = answer.body.data ?? answer.body;
      expect([path, typeof reply.cursor]).toEqual([path, 'string']);
      cursors.set(path, reply.cursor as string);
    }
    for (const path of paths)
      for (const [from, cursor] of cursors) {
        const answer = await house.api('GET', `${path}&cursor=${cursor}`, { token: owner.token });
        const code = answer.body.error?.code ?? answer.body.error;
        const expected = path === from ? [200, undefined] : [400, 'INVALID_CURSOR'];
        expect([path, from, answer.status, code]).toEqual([path, from, ...expected]);
      }
    for (const path of paths.filter((each) => !each.includes('/passvault/'))) {
      const answer = await house.api('GET', `${path}&cursor=${cursors.get(path)!}`, { token: other.token });
      expect([path, answer.status, answer.body.error]).toEqual([path, 400, 'INVALID_CURSOR']);
    }
  });
});
