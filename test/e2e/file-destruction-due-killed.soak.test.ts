import { describe, expect, it } from 'vitest';
import { decided } from '../services/quorum/governing.ts';
import type { QuorumScene } from '../services/quorum/scene.ts';
import { testRandom } from '../support/seeded.ts';
import { createPostgresDatabase, engines, temporaryFolder } from '../support/stores.ts';
import { rounds } from '../support/stage.ts';
import { ask, assertDestroyed, laterNode, store } from './destroying.ts';
import { foundQuorum, Killed, startQuorumServer, type QuorumServer } from './quorum-server.ts';
import { elapses, until } from '../support/real-time.ts';

const KILLS = rounds(2, 8);

describe.each(engines)('a server that is killed while what was scheduled or decided is destroyed on %s', (engine) => {
  it(
    'comes to the end of it, with one decision for each file, and touches no other file',
    { timeout: 600_000 },
    async () => {
      await using folder = await temporaryFolder();
      await using database = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
      const env = { CONCLAVE_RATE_LIMITS: 'off', ...(database && { CONCLAVE_DATABASE: database.url }) };
      const place = { dataDir: folder.path, env };
      const { people } = await foundQuorum(place, 2);
      const [owner] = people;
      if (owner === undefined) throw new Error('there is nobody');
      const random = testRandom();
      const destroyed = new Set<string>();
      const [kept, governedFiles, scheduledFiles]: [string[], string[], string[]] = [[], [], []];
      /** governed files whose destruction was asked for in the last round, and files that were due in it */
      let [asked, due]: [string[], string[]] = [[], []];
      let interrupted = 0;
      const homes: { id: string; rootFolderId: string }[] = [];
      for (let kills = 0; kills <= KILLS; kills += 1) {
        await using server = await startQuorumServer(place);
        const call = async (method: string, path: string, body?: object) =>
          await ask(server, owner, method, path, body);
        if (homes.length === 0)
          for (const quorumGoverned of [false, true])
            homes.push((await call('POST', '/vaults', { name: `Home ${quorumGoverned}`, quorumGoverned })).body);
        const [plain, governed] = homes as [(typeof homes)[0], (typeof homes)[0]];
        for (const id of asked) {
          const { status } = await call('GET', `/files/${id}/metadata`);
          expect([id, [200, 410].includes(status), destroyed.has(id) && status !== 410]).toEqual([id, true, false]);
          if (status === 410 && !destroyed.has(id)) interrupted += 1;
          // Either the decision is still there, or the file is gone for it.
          const again = await call('POST', `/destroy/${id}`, {});
          expect([id, again.status, again.body.error]).toEqual([id, 200, undefined]);
          await assertDestroyed(server, owner, id, again.body);
        }
        for (const id of due) {
          const { status, body } = await call('GET', `/files/${id}/metadata`);
          // It is scheduled as long as it is there.
          if (status === 200) expect([id, body.scheduledDestructionAt]).toEqual([id, expect.any(String)]);
          else expect([id, status]).toEqual([id, 410]);
          if (status === 410 && (await call('GET', `/destroy/${id}`)).status !== 200) interrupted += 1;
        }
        for (const id of kept) expect([id, (await call('GET', `/files/${id}`)).status]).toEqual([id, 200]);
        if (kills === KILLS) break;
        const file = async (home: typeof plain, name: string) => await store(server, owner, home, `${kills} ${name}`);
        const files = async (home: typeof plain, names: readonly string[]) =>
          await Promise.all(names.map(async (name) => await file(home, name)));
        const [decision, undecided] = [await files(governed, ['a 0', 'b', 'c']), await file(governed, 'undecided')];
        due = [...(await files(plain, ['d 0', 'e'])), await file(governed, 'f')];
        kept.push(undecided, await file(plain, 'not scheduled'));
        const quorum = quorumOver(server, people);
        for (const id of [...decision, due[2]!]) await decided(quorum, 'VAULT_FILE_DESTROY', { targetId: id });
        // A machine may be so slow that the time has come before it is read.
        const schedule = async (id: string, wait = 700): Promise<number> => {
          const at = Date.now() + elapses(wait);
          const { status } = await call('POST', `/destroy/${id}/schedule`, { scheduledAt: new Date(at).toISOString() });
          if (status === 400 && Date.now() >= at) return await schedule(id, 2 * wait);
          expect(status).toBe(201);
          return at;
        };
        const times: number[] = [];
        for (const id of due) times.push(await schedule(id));
        const at = Math.max(...times);
        asked = decision;
        governedFiles.push(...decision, due[2]!);
        scheduledFiles.push(...due);
        await until(() => Date.now() >= at);
        // With one of the answers, or some time after all began: then the job of what was scheduled is on its way.
        if (kills % 2 === 0) server.killAfter(1 + Math.floor(random() * 3));
        const killer = setTimeout(() => server.kill(), kills % 2 === 0 ? 60_000 : 20 + Math.floor(random() * 400));
        const ends = await Promise.allSettled(
          decision.map(async (id) => {
            if ((await call('POST', `/destroy/${id}`, {})).status === 200) destroyed.add(id);
          }),
        );
        clearTimeout(killer);
        server.kill();
        for (const end of ends) if (end.status === 'rejected' && !(end.reason instanceof Killed)) throw end.reason;
      }
      await using later = await laterNode(place);
      for (const id of scheduledFiles) {
        const shown = async () => await ask(later, owner, 'GET', `/destroy/${id}`);
        await expect.poll(async () => (await shown()).status, { timeout: 150_000, interval: 200 }).toBe(200);
        await assertDestroyed(later, owner, id, (await shown()).body);
      }
      const permits = await later.engine.context.db
        .selectFrom('quorum_permits')
        .select(['target', 'used_at'])
        .execute();
      expect(permits.map(({ target }) => target).toSorted()).toEqual(governedFiles.toSorted());
      expect(permits.filter(({ used_at: usedAt }) => usedAt === null)).toEqual([]);
      expect(kept).toHaveLength(2 * KILLS);
      // Of a few kills each may have fallen between two destructions.
      expect(interrupted > 0 || KILLS < 8).toBe(true);
    },
  );
});

/** What proposals and votes need of a scene. */
function quorumOver(server: QuorumServer, people: QuorumScene['people']): QuorumScene {
  const call: QuorumScene['call'] = async (method, path, body, token = '') => {
    const headers = new Headers();
    return {
      status: path === '/proposals' ? 201 : 200,
      headers,
      body: await server.ask(method, path, token, body as object),
    };
  };
  return { house: { clock: { now: Date.now } }, call, people } as unknown as QuorumScene;
}
