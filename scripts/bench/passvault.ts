// How long password vaults take at the server, in one process and on a fresh embedded store: opening against bcrypt alone,
// search and lists of large vaults, import.
// npx tsx scripts/bench/passvault.ts [--entries 10000] [--vaults 1000] [--imported 50000] [--rounds 25] [--small]
import bcrypt from 'bcrypt';
import { loadConfig } from '../../src/config/load.ts';
import { systemRandom, toHex } from '../../src/crypto/bytes.ts';
import { openEngine, type Engine } from '../../src/node/engine.ts';
import { silentLog } from '../../src/base/log.ts';
import { nameSealer } from '../../src/services/passvault/vaults/sealing.ts';
import { inTurns, lowerQuarter, type Measured, ownFolder, report, settings } from './harness.ts';

const { entries, vaults, imported, rounds } = settings(
  { entries: 10_000, vaults: 1_000, imported: 50_000, rounds: 25 },
  { entries: 500, vaults: 20, imported: 1_000, rounds: 3 },
);
const masterPassword = 'the master password of the bench';

/** Somebody who is signed in, and asks below /api/passvault. */
interface Client {
  /** answers `data` */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** reads the answer without taking it apart, which is the client's work */
  load(method: string, path: string, body?: unknown): Promise<void>;
}

interface Answer<T> {
  readonly data: T;
  readonly error?: { readonly code: string };
}

async function signedUp(engine: Engine, name: string): Promise<Client> {
  const ask = async (method: string, path: string, body: unknown, token?: string): Promise<Response> => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return await engine.fetch(
      new Request(`http://bench.test${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...authorization },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
  };
  const call = async <T>(method: string, path: string, body: unknown, token?: string): Promise<T> => {
    const response = await ask(method, path, body, token);
    const answer = (await response.json()) as Answer<T>;
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${answer.error?.code}`);
    return answer.data;
  };
  const account = { username: name, email: `${name}@example.org`, password: `the password of ${name}` };
  const { token } = await call<{ token: string }>('POST', '/api/user/register', account);
  return {
    call: async (method, path, body) => await call(method, `/api/passvault${path}`, body, token),
    async load(method, path, body) {
      const response = await ask(method, `/api/passvault${path}`, body, token);
      const bytes = await response.arrayBuffer();
      if (response.status >= 300 || bytes.byteLength === 0) throw new Error(`${method} ${path}: ${response.status}`);
    },
  };
}

/** An export of a browser: `count` logins that look like those of people. */
function csvOf(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const site = `${toHex(systemRandom(4))}.example`;
    return `Account ${at} at ${site},https://www.${site}/login,person${at}@mail.example,${toHex(systemRandom(10))}`;
  });
  return Buffer.from(`name,url,username,password\n${lines.join('\n')}\n`).toString('base64');
}

async function filledVault(client: Client, count: number): Promise<{ path: string; seconds: number }> {
  const { vault } = await client.call<{ vault: { id: string } }>('POST', '/vaults', {
    name: `Vault of ${count}`,
    masterPassword,
  });
  const fileContent = csvOf(count);
  const began = performance.now();
  const answer = await client.call<{ imported: number }>('POST', `/vaults/${vault.id}/import`, {
    format: 'browserA_csv',
    fileContent,
  });
  if (answer.imported !== count) throw new Error(`imported ${answer.imported} of ${count}`);
  return { path: `/vaults/${vault.id}`, seconds: (performance.now() - began) / 1000 };
}

/** Copies of a vault's rows: what lists read, without a quarter of a second of bcrypt for each. */
async function multiply({ context }: Engine, vaultId: string, count: number): Promise<void> {
  const names = nameSealer(context);
  await context.store.exclusively(async (db) => {
    const vault = await db
      .selectFrom('passvault_vaults')
      .selectAll()
      .where('id', '=', vaultId)
      .executeTakeFirstOrThrow();
    const member = await db
      .selectFrom('passvault_members')
      .selectAll()
      .where('vault_id', '=', vaultId)
      .executeTakeFirstOrThrow();
    const pages = await db.selectFrom('passvault_pages').selectAll().where('vault_id', '=', vaultId).execute();
    const kept = await db.selectFrom('passvault_entries').selectAll().where('vault_id', '=', vaultId).execute();
    for (let at = 0; at < count; at += 1) {
      const id = toHex(systemRandom(16));
      await db
        .insertInto('passvault_vaults')
        .values({ ...vault, id, name: names.seal(id, `Vault ${at}`), name_key: null })
        .execute();
      await db
        .insertInto('passvault_members')
        .values({ ...member, vault_id: id })
        .execute();
      await db
        .insertInto('passvault_pages')
        .values(pages.map((page) => Object.assign(page, { vault_id: id })))
        .execute();
      const rows = kept.map((entry) => Object.assign(entry, { id: toHex(systemRandom(16)), vault_id: id }));
      await db.insertInto('passvault_entries').values(rows).execute();
    }
  });
}

/** What others do on the machine only ever adds to a time. */
async function row(what: string, work: () => Promise<void>, atMost?: number): Promise<Measured> {
  const value = lowerQuarter((await inTurns(rounds, { work })).work);
  return { what, value, unit: 'ms', atMost };
}

await using folder = await ownFolder();
const place = { home: folder.path, cwd: folder.path };
const { config, secrets } = await loadConfig({ flags: { 'data-dir': folder.path }, env: {}, ...place });
await using engine = await openEngine(config, secrets, { create: true, log: silentLog });
const alice = await signedUp(engine, 'alice');
const results: Measured[] = [];

const small = await filledVault(alice, 100);
const hash = await bcrypt.hash('x', config.vaults.bcryptRounds);
const opened = await inTurns(Math.min(rounds, 7), {
  alone: async () => void (await bcrypt.compare('x', hash)),
  opening: async () => await alice.load('POST', `${small.path}/open`, { masterPassword }),
});
const [alone, opening] = [lowerQuarter(opened.alone), lowerQuarter(opened.opening)];
results.push({
  what: 'opening a vault',
  value: opening,
  unit: 'ms',
  nextTo: `bcrypt alone, ${alone.toFixed(0)} ms`,
  ratio: opening / alone,
  ratioAtMost: 1.15,
});

const large = await filledVault(alice, entries);
const listed = await alice.call<{ entries: { id: string }[] }>('GET', `${large.path}/entries`);
const one = `${large.path}/entries/${listed.entries[entries >> 1]?.id}`;
const search = async (what: string, query: object): Promise<Measured> =>
  await row(`search ${what} ${entries}`, async () => await alice.load('POST', `${large.path}/search`, query), 30);
results.push(
  await search('for one of', { query: 'person77@' }),
  await search('that finds none of', { query: 'zebra' }),
  await search('by favourite in', { favorite: true }),
  await row(`list of all ${entries}`, async () => await alice.load('GET', `${large.path}/entries`)),
  await row(`read one of ${entries}`, async () => await alice.load('GET', one)),
  await row(`change one of ${entries}`, async () => await alice.load('PUT', one, { username: 'somebody' })),
  await row(
    `autofill in ${entries}`,
    async () => await alice.load('POST', `${large.path}/autofill`, { siteUrl: 'nobody.example' }),
  ),
);
const { seconds } = await filledVault(alice, imported);
results.push({ what: `import of ${imported} records`, value: seconds, unit: 's', atMost: 20 });

const bob = await signedUp(engine, 'bob');
const pattern = await filledVault(bob, 100);
await multiply(engine, pattern.path.slice('/vaults/'.length), vaults - 1);
if ((await bob.call<{ vaults: unknown[] }>('GET', '/vaults')).vaults.length !== vaults)
  throw new Error('vaults are missing');
results.push(
  await row(`list of ${vaults} vaults of 100 entries`, async () => await bob.load('GET', '/vaults'), 20),
  await row('list of 100 entries beside them', async () => await bob.load('GET', `${pattern.path}/entries`), 20),
);
report(`Password vaults, lower quarters of ${rounds}`, results);
