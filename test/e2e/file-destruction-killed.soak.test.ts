import { describe, expect, it } from 'vitest';
import { operatorId } from '../../src/service/actor.ts';
import { startNode } from '../support/running-node.ts';
import { secretsOf, storePrepared, type HouseMember } from '../support/prepared-member.ts';
import { testRandom } from '../support/seeded.ts';
import { createPostgresDatabase, engines, temporaryFolder } from '../support/stores.ts';
import { rounds } from '../support/stage.ts';
import { ask, assertDestroyed, laterNode, store, type Json } from './destroying.ts';
import { Killed, startQuorumServer, type Place, type QuorumServer } from './quorum-server.ts';

const KILLS = rounds(2, 8);
const FILES = 8;

/** What the client was told before its server was killed. */
interface Told {
  readonly asked: Set<string>;
  readonly destroyed: Map<string, Json>;
}

/** Destroys files one by one, in a batch, and with a container, until the server is gone. */
async function destroyAll(server: QuorumServer, owner: HouseMember, work: Work, told: Told): Promise<void> {
  const { singles, batch, container, inside } = work;
  const one = async (id: string) => {
    told.asked.add(id);
    const { status, body } = await ask(server, owner, 'POST', `/destroy/${id}`, {});
    if (status === 200) told.destroyed.set(id, body);
  };
  const together = async () => {
    for (const id of batch) told.asked.add(id);
    const { status, body } = await ask(server, owner, 'POST', '/destroy/batch', { fileIds: batch });
    if (status === 200) for (const result of body.results) told.destroyed.set(result.fileId, result);
  };
  const whole = async () => {
    for (const id of inside) told.asked.add(id);
    const { status } = await ask(server, owner, 'POST', `/vaults/${container}/destroy`, {});
    if (status === 200) for (const id of inside) told.destroyed.set(id, undefined);
  };
  const results = await Promise.allSettled([...singles.map(one), together(), whole()]);
  for (const result of results)
    if (result.status === 'rejected' && !(result.reason instanceof Killed)) throw result.reason;
}

interface Work {
  readonly singles: readonly string[];
  readonly batch: readonly string[];
  readonly container: string;
  readonly inside: readonly string[];
}

async function foundOwner({ dataDir, env }: Place): Promise<HouseMember> {
  await using node = await startNode({ dataDir, env });
  const wanted = { username: 'ada', email: 'ada@example.org', ...secretsOf(1) };
  return await storePrepared(node.engine.context, wanted, { type: 'User', createdBy: operatorId });
}

describe.each(engines)('a server that is killed while it destroys files on %s', (engine) => {
  it(
    'finishes what it began, keeps every proof that it gave, and touches no other file',
    { timeout: 600_000 },
    async () => {
      await using folder = await temporaryFolder();
      await using database = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
      const env = { CONCLAVE_RATE_LIMITS: 'off', ...(database && { CONCLAVE_DATABASE: database.url }) };
      const place = { dataDir: folder.path, env };
      const owner = await foundOwner(place);
      const random = testRandom();
      const told: Told = { asked: new Set(), destroyed: new Map() };
      const kept = new Map<string, string>();
      const waiting = new Set<string>();
      let [interrupted, home] = [0, undefined as { id: string; rootFolderId: string } | undefined];
      for (let kills = 0; kills <= KILLS; kills += 1) {
        await using server = await startQuorumServer(place);
        const get = async (path: string) => await ask(server, owner, 'GET', path);
        home ??= (await ask(server, owner, 'POST', '/vaults', { name: 'Home' })).body as NonNullable<typeof home>;
        for (const [id, proof] of told.destroyed) {
          const shown = await get(`/destroy/${id}`);
          expect([id, shown.status]).toEqual([id, 200]);
          if (proof !== undefined) expect(shown.body.proof).toEqual(proof.proof);
        }
        // What was asked for has either not begun, or is gone and comes to its end.
        for (const id of told.asked) {
          const { status, body: refused } = await get(`/files/${id}/metadata`);
          if (status !== 410) {
            expect([id, status, told.destroyed.has(id)]).toEqual([id, 200, false]);
            continue;
          }
          if (!told.destroyed.has(id)) interrupted += 1;
          // The files of a container follow it, by a job that begins within a minute or is anybody's some minutes later.
          if (refused.error === 'CONTAINER_DESTROYED') {
            waiting.add(id);
            continue;
          }
          const { status: again, body } = await ask(server, owner, 'POST', `/destroy/${id}`, {});
          expect([id, again, body.error]).toEqual([id, 200, undefined]);
          await assertDestroyed(server, owner, id, body);
          told.destroyed.set(id, body);
        }
        told.asked.clear();
        for (const [id, name] of kept) {
          const { status, body } = await get(`/files/${id}/metadata`);
          expect([status, body.name]).toEqual([200, name]);
          expect((await get(`/files/${id}`)).status).toBe(200);
        }
        if (kills === KILLS) break;
        const ids: string[] = [];
        for (let at = 0; at < FILES; at += 1) ids.push(await store(server, owner, home, `round ${kills} file ${at}`));
        const [stays, ...others] = ids;
        kept.set(stays!, `round ${kills} file 0`);
        const vault = (await ask(server, owner, 'POST', '/vaults', { name: `Vault ${kills}` })).body;
        const inside = [await store(server, owner, vault, 'in 0'), await store(server, owner, vault, 'in 1')];
        const work = { singles: others.slice(0, 3), batch: others.slice(3), container: vault.id as string, inside };
        // With one of the answers, or some time after the first: then others are on their way.
        const answers = 1 + Math.floor(random() * 4);
        if (kills % 2 === 0) server.killAfter(answers);
        const killer = setTimeout(() => server.kill(), kills % 2 === 0 ? 60_000 : 50 + Math.floor(random() * 700));
        await destroyAll(server, owner, work, told);
        clearTimeout(killer);
        server.kill();
      }
      await using later = await laterNode(place);
      for (const id of waiting) {
        const shown = async () => await ask(later, owner, 'GET', `/destroy/${id}`);
        await expect.poll(async () => (await shown()).status, { timeout: 150_000, interval: 200 }).toBe(200);
        await assertDestroyed(later, owner, id, (await shown()).body);
      }
      expect([told.destroyed.size > 0, kept.size]).toEqual([true, KILLS]);
      // Of a few kills each may have fallen between two destructions.
      expect(interrupted > 0 || KILLS < 8).toBe(true);
    },
  );
});
