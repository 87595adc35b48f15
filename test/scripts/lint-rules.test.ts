import { execa } from 'execa';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** What each rule lets pass, and what it finds: each of these once, unless it says how often. */
const rules: Readonly<Record<string, { passes: readonly string[]; finds: readonly (string | [string, number])[] }>> = {
  'no-chosen-port': {
    passes: [
      'server.listen(0)',
      'server.listen(path)',
      'server.listen({ port: 0, host })',
      "open({ listen: ['/ip4/127.0.0.1/tcp/0'] })",
      "expect(config).toEqual({ listen: ['/ip4/127.0.0.1/tcp/7879'] })",
    ],
    finds: ['server.listen(8_080)', 'server.listen({ port: 8_080 })', "open({ listen: ['/ip4/127.0.0.1/tcp/7879'] })"],
  },
  'no-elapsed-time': {
    passes: [
      'const started = performance.now(); await work(); console.log(performance.now() - started)',
      'expect(order).toEqual(["a", "b"])',
      'expect(house.clock.now() - started).toBe(60_000)',
    ],
    finds: [
      'const started = performance.now(); await work(); expect(performance.now() - started).toBeLessThan(500)',
      'const started = Date.now(); await work(); const took = Date.now() - started; expect(took).toBeLessThan(500)',
    ],
  },
  'no-late-rejection': {
    passes: [
      'async () => { const work = begun(); const ended = Promise.allSettled([work]); await other(); await ended; await expect(work).rejects.toThrow("no"); }',
      'async () => { const work = begun(); await expect(work).rejects.toThrow("no"); }',
      'async () => { const work = begun(); work.catch(() => {}); await other(); await expect(work).rejects.toThrow("no"); }',
      'async () => { const work = begun(); const later = async () => await other(); await expect(work).rejects.toThrow("no"); }',
    ],
    finds: [
      'async () => { const work = begun(); await other(); await expect(work).rejects.toThrow("no"); }',
      'async () => { const work = begun(); for (const one of all) await one(); await expect(work).rejects.toThrow("no"); }',
    ],
  },
  'no-math-random': {
    passes: ['open(Math.random)', 'const random = testRandom(); random()'],
    finds: ['Math.random()'],
  },
  'no-regexp-in-match-object': {
    passes: [
      'expect(one).toMatchObject({ a: expect.stringMatching(/x/) })',
      'expect(one).toMatchObject({ a: f(/x/) })',
    ],
    finds: [
      'expect(one).toMatchObject({ a: /x/ })',
      ['expect(one).toMatchObject([{ a: new RegExp("x") }, ...(b ? [/x/] : [])])', 2],
      'expect.objectContaining({ a: /x/ as unknown })',
    ],
  },
  'no-short-deadline': {
    passes: [
      'open({ answerMs: 60_000, idleMs: elapses(300), timeoutMs: 0 })',
      'expect(config).toMatchObject({ refreshGraceMs: 30_000 })',
      "startNode({ env: { CONCLAVE_SERVER_HEADERS_TIMEOUT: elapses('700ms'), CONCLAVE_SERVER_BODY_GRACE: '5m' } })",
      'const expiresAt = house.clock.now() + 300',
      'const expiresAt = Date.now() + 24 * 3_600_000',
      'const at = Date.now() + elapses(300)',
      'const clock = { now: () => Date.now() + ahead }',
      'it("takes long", async () => {}, 60_000)',
      'await vi.waitFor(holds, { timeout: 60_000 })',
    ],
    finds: [
      "startNode({ env: { CONCLAVE_SERVER_HEADERS_TIMEOUT: '700ms' } })",
      ['open({ answerMs: 3_000, streams: { idleMs: 3 * 100 } })', 2],
      'const expiresAt = Date.now() + 3_000',
      'const expiresAt = new Date(Date.now() + wait)',
      'const signal = AbortSignal.timeout(50)',
      'it("is quick", async () => {}, 5_000)',
      'await expect.poll(state, { timeout: 20_000 }).toBe("done")',
      'await vi.waitFor(holds)',
    ],
  },
  'no-sleep': {
    passes: [
      "import { setImmediate as turn } from 'node:timers/promises'",
      'const killer = setTimeout(() => child.kill(), 60_000)',
      'await new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 60_000))',
    ],
    finds: [
      "import { setTimeout as sleep } from 'node:timers/promises'",
      "import timers from 'timers/promises'",
      'await new Promise((resolve) => setTimeout(resolve, 100))',
      'await new Promise((resolve) => { setTimeout(() => resolve(1), 100) })',
    ],
  },
  'own-database-state': {
    passes: ['sql`select 1 from pg_stat_activity where datname = current_database()`', 'sql`select 1 from pg_tables`'],
    finds: ['sql`select count(*) from pg_locks`', "query('select 1 from pg_stat_activity where pid <> 1')"],
  },
  'own-statements': {
    passes: ['ownStatements(async () => await list(ctx))', "vi.spyOn(ctx.db, 'selectFrom')"],
    finds: [
      "vi.spyOn(SessionExecutor.prototype, 'executeQuery')",
      "vi.spyOn(house.ctx.db.getExecutor(), 'executeQuery')",
    ],
  },
  'sorted-before-compared': {
    passes: [
      'async () => { expect((await readdir(path)).toSorted()).toEqual(["a", "b"]) }',
      'async () => { expect(await readdir(path)).toEqual(["a"]) }',
      'async () => { expect(await db.selectFrom("a").selectAll().orderBy("id").execute()).toEqual([1, 2]) }',
      'async () => { const names = await readdir(path); expect(names.toSorted()).toEqual(["a", "b"]) }',
      'async () => { expect(await db.selectFrom("a").selectAll().execute()).toEqual([{ a: 1 }, { a: 1 }]) }',
    ],
    finds: [
      'async () => { expect(await readdir(path)).toEqual(["a", "b"]) }',
      'async () => { const names = await readdir(path); expect(names).toEqual(["a", "b"]) }',
      'async () => { expect(await db.selectFrom("a").selectAll().execute()).toEqual([1, ...more]) }',
    ],
  },
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const plugin = join(root, 'scripts/lint/plugin.js');

interface Finding {
  readonly code: string;
  readonly filename: string;
}

describe('the rules of ours', () => {
  let folder: string;
  let found: readonly Finding[];

  // oxlint looks at all of them at once; its own tester of rules needs a later Node.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-lint-'));
    const severities = Object.fromEntries(Object.keys(rules).map((name) => [`conclave/${name}`, 'error']));
    await writeFile(join(folder, 'config.json'), JSON.stringify({ jsPlugins: [plugin], rules: severities }));
    for (const [name, { passes, finds }] of Object.entries(rules)) {
      for (const [at, code] of passes.entries()) await writeFile(join(folder, `${name}-passes-${at}.ts`), code);
      for (const [at, one] of finds.entries())
        await writeFile(join(folder, `${name}-finds-${at}.ts`), typeof one === 'string' ? one : one[0]);
    }
    const { stdout } = await execa(
      join(root, 'node_modules/.bin/oxlint'),
      ['-c', join(folder, 'config.json'), '-f', 'json', folder],
      { reject: false },
    );
    found = (JSON.parse(stdout) as { diagnostics: Finding[] }).diagnostics;
  });
  afterAll(async () => await rm(folder, { recursive: true }));

  const foundIn = (rule: string, file: string): number =>
    found.filter(({ code, filename }) => code === `conclave(${rule})` && filename.endsWith(`/${file}`)).length;

  it('are each tried here', async () => {
    const { default: made } = (await import(plugin)) as { default: { readonly rules: object } };
    expect(Object.keys(rules).toSorted()).toEqual(Object.keys(made.rules).toSorted());
  });

  describe.each(Object.entries(rules))('%s', (rule, { passes, finds }) => {
    it.each([...passes.entries()])('lets pass %i: %s', (at) => {
      expect(foundIn(rule, `${rule}-passes-${at}.ts`)).toBe(0);
    });

    it.each([...finds.entries()])('finds %i: %s', (at, one) => {
      expect(foundIn(rule, `${rule}-finds-${at}.ts`)).toBe(typeof one === 'string' ? 1 : one[1]);
    });
  });
});
