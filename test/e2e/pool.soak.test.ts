import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, type Bundle } from '../support/bundle.ts';
import { openWires } from '../support/open-wires.ts';
import type { Wires } from '../support/wires.ts';
import { poolNode, type PoolNode } from '../services/pool/pool-nodes.ts';
import { testRandom } from '../support/seeded.ts';
import { someMoment } from '../support/real-time.ts';

const names = ['a', 'b', 'c', 'd', 'e'] as const;
type Name = (typeof names)[number];

/** As long as a slow machine needs for what takes a fast one a second. */
/** A link that was cut without a word is noticed by comparisons that nobody answers, after more than a minute. */
const patience = { timeout: 170_000, interval: 250 };

// Where there are no namespaces, who connects is read from /proc; see links.ts.
describe.runIf(process.platform === 'linux')('five nodes in processes of their own', { tags: 'needs-system' }, () => {
  let folder: string;
  let program: Bundle;
  let wires: Wires;
  const nodes = {} as Record<Name, PoolNode>;
  const ids = {} as Record<Name, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-pool-'));
    wires = await openWires();
    program = await bundle('test/services/pool/pool-process.ts');
    await Promise.all(
      names.map(async (name) => {
        nodes[name] = await poolNode(name, { folder, program: program.path, wires });
        await nodes[name].start();
        ids[name] = (await status(name)).node.nodeId;
      }),
    );
  }, 400_000);

  afterAll(async () => {
    await Promise.all(Object.values(nodes).map((node) => node.kill()));
    await wires[Symbol.asyncDispose]();
    await program[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  // oxlint-disable-next-line typescript/no-explicit-any -- what the command answers
  const status = async (name: Name): Promise<any> => (await nodes[name].run('pool', 'status')).json;

  async function askToJoin(name: Name): Promise<string[]> {
    const asked = await nodes[name].run('pool', 'join', nodes.a.address, '--message', `this is ${name}`);
    expect(asked.exitCode).toBe(0);
    // What the administrator is to type is told word for word.
    const [, id, fingerprint] =
      /^conclave admin nodes approve (\w+) --fingerprint "(.*)"$/.exec(asked.json.approve) ?? [];
    expect(id).toBe(ids[name]);
    await expect.poll(async () => (await pending()).includes(ids[name]), patience).toBe(true);
    return ['admin', 'nodes', 'approve', id ?? '', '--fingerprint', fingerprint ?? ''];
  }

  async function pending(): Promise<string[]> {
    const { json } = await nodes.a.run('admin', 'nodes', 'pending');
    return json.pendingNodes.map(({ nodeId }: { nodeId: string }) => nodeId);
  }

  /** Until all of these hold the same list, and say that they belong to the pool. */
  async function agree(...among: Name[]): Promise<{ version: number; hash: string }> {
    const seen = async () => {
      const all = await Promise.all(among.map(status));
      return new Set(all.map(({ pool }) => `${pool.poolId} ${pool.version} ${pool.hash} ${pool.membership}`));
    };
    await expect.poll(async () => (await seen()).size, patience).toBe(1);
    const { pool } = await status(among[0] ?? 'a');
    expect(pool.membership).toBe('member');
    return pool;
  }

  it('lets in who is approved, and tells who is denied why', async () => {
    const approveB = await askToJoin('b');
    const approveC = await askToJoin('c');
    const wrong = await nodes.a.run('admin', 'nodes', 'approve', ids.b, '--fingerprint', 'abandon '.repeat(10).trim());
    expect(wrong.exitCode).not.toBe(0);
    expect((await nodes.a.run(...approveB)).json).toMatchObject({ nodeId: ids.b, aclVersion: 2 });
    expect((await nodes.a.run(...approveC)).json).toMatchObject({ nodeId: ids.c, aclVersion: 3 });
    await askToJoin('d');
    await nodes.a.run('admin', 'nodes', 'deny', ids.d, '--reason', 'nobody knows you');
    await expect
      .poll(async () => (await status('d')).join, patience)
      .toMatchObject({ status: 'denied', reason: 'nobody knows you' });
    // A denial is a version of its own: the list remembers it.
    expect(await agree('a', 'b', 'c')).toMatchObject({ version: 4 });
  }, 400_000);

  it('keeps one chain when the administrator’s node is killed during an approval', async () => {
    const approve = await askToJoin('d');
    const killed = nodes.a.run(...approve);
    // Somewhere between taking the request in and answering it.
    await someMoment(250 + testRandom()() * 250);
    await nodes.a.kill();
    await killed;
    await nodes.a.start();
    // Either it was approved, or it waits as before: never both, never neither.
    const waits = (await pending()).includes(ids.d);
    const listed = (await nodes.a.run('admin', 'nodes', 'acl', 'show')).json.acl.writers as { nodeId: string }[];
    expect(listed.some(({ nodeId }) => nodeId === ids.d)).toBe(!waits);
    if (waits) expect((await nodes.a.run(...approve)).exitCode).toBe(0);
    expect(await agree('a', 'b', 'c', 'd')).toMatchObject({ version: 5 });
    expect((await nodes.a.run('admin', 'nodes', 'acl', 'verify')).exitCode).toBe(0);
  }, 400_000);

  it('agrees again after two halves could not reach each other', async () => {
    expect((await nodes.a.run(...(await askToJoin('e')))).exitCode).toBe(0);
    const before = await agree(...names);
    await wires.part(['a', 'b', 'c'], ['d', 'e']);
    await expect.poll(async () => (await nodes.e.ask('report'))['connected'], patience).toBeLessThanOrEqual(1);
    expect((await nodes.a.run('admin', 'nodes', 'acl', 'update', '--mode', 'closed')).exitCode).toBe(0);
    const here = await agree('a', 'b', 'c');
    expect(here.version).toBe(before.version + 1);
    expect((await nodes.d.run('pool', 'status')).json.pool.version).toBe(before.version);
    expect(await agree('d', 'e')).toMatchObject({ hash: before.hash });
    await wires.mend();
    expect(await agree(...names)).toMatchObject({ hash: here.hash });
  }, 400_000);

  it('tells everybody a burst of 2,000 announcements, in bounded memory, once', async () => {
    await expect.poll(async () => (await nodes.b.ask('report'))['connected'], patience).toBe(4);
    expect(await nodes.b.ask('burst 2000')).toEqual({ announced: 2000 });
    for (const name of names) {
      if (name === 'b') continue;
      await expect
        .poll(async () => (await nodes[name].ask('report'))['heard'], { timeout: 170_000, interval: 500 })
        .toEqual({ [ids.b]: 2000 });
      const { twice, rss } = await nodes[name].ask('report');
      expect(twice).toBe(0);
      expect(rss).toBeLessThan(400 * 2 ** 20);
    }
  }, 400_000);

  it('shuts out who is removed', async () => {
    const { version } = await agree(...names);
    expect((await nodes.a.run('admin', 'nodes', 'remove', ids.c, '--yes')).json).toMatchObject({
      aclVersion: version + 1,
    });
    await agree('a', 'b', 'd', 'e');
    await expect.poll(async () => (await status('c')).pool.membership, patience).toBe('removed');
    await expect.poll(async () => (await nodes.a.ask('report'))['connected'], patience).toBe(3);
    // It may still ask, as any stranger may. What it announces is heard by nobody.
    expect(await nodes.c.ask('burst 5')).toEqual({ announced: 5 });
    expect(await nodes.d.ask('burst 5')).toEqual({ announced: 5 });
    await expect.poll(async () => (await nodes.a.ask('report'))['heard'], patience).toMatchObject({ [ids.d]: 5 });
    for (const name of ['a', 'b', 'd', 'e'] as const)
      expect((await nodes[name].ask('report'))['heard']).not.toHaveProperty(ids.c);
  }, 400_000);

  it('has every list in its ledger, which is checked without any node', async () => {
    const checked = await nodes.a.run('ledger', 'verify', '--full');
    expect([checked.exitCode, checked.stderr]).toEqual([0, '']);
    const exported = await nodes.b.run('admin', 'nodes', 'acl', 'export');
    expect(exported.exitCode).toBe(0);
    const log = await readFile(join(folder, 'a.log'), 'utf8');
    expect(log).not.toMatch(/unexpected error|unhandled/i);
  }, 60_000);
});
