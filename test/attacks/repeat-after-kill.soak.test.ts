import { once } from 'node:events';
import { execaNode } from 'execa';
import { expect, it } from 'vitest';
import type { Ready } from '../../src/node/listeners/serve.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { temporaryFolder } from '../support/stores.ts';

const ROUNDS = 2;
/** Requests under way when the process is killed. */
const AT_ONCE = 12;

async function startServer(dataDir: string) {
  const child = execaNode(await sharedBundle('test/support/serve-process.ts'), {
    env: { CONCLAVE_DATA_DIR: dataDir, CONCLAVE_PORT: '0' },
    reject: false,
  });
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(String(first)) as Ready;
  return {
    post: async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
      return { status: answer.status, body: (await answer.json()) as any };
    },
    get: async (path: string, headers: Record<string, string>) =>
      // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
      (await (await fetch(url + path, { headers })).json()) as any,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child;
    },
  };
}

it(
  'a request that is repeated after kill -9 is done once, and never answered with a conflict',
  { timeout: 240_000 },
  async () => {
    await using folder = await temporaryFolder();
    let bearer: Record<string, string>;
    let entries: string;
    {
      await using server = await startServer(folder.path);
      const account = { username: 'ann', email: 'ann@example.org', password: 'seven green bottles' };
      const registered = await server.post('/api/user/register', account);
      bearer = { authorization: `Bearer ${registered.body.data.token}` };
      const vault = { name: 'Home', masterPassword: 'eight brown bottles' };
      const made = await server.post('/api/passvault/vaults', vault, bearer);
      entries = `/api/passvault/vaults/${made.body.data.vault.id}/entries`;
    }
    const titles: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const own = Array.from({ length: AT_ONCE }, (_, at) => `${round}-${at}`);
      titles.push(...own);
      const answered = new Map<string, unknown>();
      {
        await using server = await startServer(folder.path);
        const sent = own.map(async (title) => {
          const headers = { ...bearer, 'idempotency-key': title };
          answered.set(title, (await server.post(entries, { type: 'secure_note', title }, headers)).body);
          // The first answers in a round end it, each round some later.
          if (answered.size > round) await server[Symbol.asyncDispose]();
        });
        await Promise.allSettled(sent);
      }
      await using server = await startServer(folder.path);
      for (const title of own) {
        const headers = { ...bearer, 'idempotency-key': title };
        const again = await server.post(entries, { type: 'secure_note', title }, headers);
        expect([title, again.status]).toEqual([title, 200]);
        if (answered.has(title)) expect(again.body).toEqual(answered.get(title));
      }
      const listed = (await server.get(entries, bearer)).data.entries as { title: string }[];
      expect(listed.map(({ title }) => title).sort()).toEqual(titles.toSorted());
    }
  },
);
