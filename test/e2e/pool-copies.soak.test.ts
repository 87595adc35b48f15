import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../support/prepared-home.ts';
import { hasTerminal } from '../services/pool/pool-nodes.ts';
import { ledgersAreTrue, screensAreTrue, show } from './pool-screens.ts';
import { openWorld, patience, type World } from './pool-world.ts';

/** The file beside the store by which a node notices that the store was put back. */
const mark = 'ledger.mark';

// Where there are no namespaces, who connects is read from /proc; see links.ts.
describe.runIf(process.platform === 'linux')('copies of nodes', { tags: 'needs-system' }, () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld('a', 'b', 'c');
  }, 600_000);

  afterAll(async () => await world[Symbol.asyncDispose](), 120_000);

  it('are noticed by the node itself: by the file beside its store, or by what the others remember', async () => {
    const keys = await Promise.all(['b', 'c'].map(async (name) => (await world.status(name)).node.publicKey));
    await world.must('a', 'admin', 'nodes', 'acl', 'update', ...keys.flatMap((key) => ['--add-key', key]));
    await world.admit('a', 'b', 'c');
    await world.connected(2, 'a', 'b', 'c');
    for (const name of ['b', 'c']) await signIn(name);
    await Promise.all(['b', 'c'].map(async (name) => await copy(name, 'old')));
    await world.connected(2, 'a', 'b', 'c');
    await world.must('b', 'admin', 'nodes', 'update', world.id('c'), '--mail-domain', 'mail.example');
    await world.agree('a', 'b', 'c');
    // Nobody can bring these entries back.
    for (const name of ['b', 'c']) await createVault(name, name);
    await witnessed('b', 2);
    await witnessed('c', 2);
    for (const name of ['b', 'c']) await world.node(name).kill();
    // Nobody can tell c anything, and b has no file that would.
    await world.wires.part(['a', 'b']);
    await world.node('b').restore(folderOf('b', 'old'));
    await world.node('c').restore(folderOf('c', 'old'), mark);
    for (const name of ['b', 'c']) await world.node(name).start();
    await expect.poll(async () => await stops('c'), patience).toMatchObject([{ kind: 'rolled-back', toldBy: mark }]);
    await expect
      .poll(async () => await stops('b'), patience)
      .toMatchObject([{ kind: 'rolled-back', toldBy: world.id('a') }]);
    await world.wires.mend();
    await world.connected(2, 'a', 'b', 'c');
  }, 900_000);

  it('sign nothing, and everybody says so', async () => {
    for (const name of ['b', 'c']) {
      await expect.poll(async () => await noticed('a', name), patience).toEqual(['older']);
      await signsNothing(name, 'An older copy of the store is in use.');
    }
    const { problems } = (await world.must('a', 'status')).json;
    for (const name of ['b', 'c'])
      expect(problems.join('\n')).toContain(`The node ${world.id(name)} shows an older ledger`);
    // Nothing contradicts itself, and the ledger of a is right.
    expect(await evidence('a')).toEqual([]);
    expect((await world.must('a', 'ledger', 'verify', '--full')).json).toMatchObject({ ok: true, contradictions: [] });
    await screensAreTrue(world, 'a', 'c');
    for (const name of ['a', 'b']) await ledgersAreTrue(world, name);
  }, 900_000);

  it('sign again after a recovery, in which nobody sees a contradiction', async () => {
    for (const name of ['b', 'c']) {
      const asked = await world.node(name).run('node', 'recover');
      expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
      expect(asked.stderr).toMatch(/At least \d+ entr/);
    }
    await world.must('b', 'node', 'recover', '--yes');
    await (hasTerminal ? show(world, 'c', 'node', 'recover', '--yes') : world.must('c', 'node', 'recover', '--yes'));
    for (const name of ['b', 'c']) expect(await stops(name)).toEqual([]);
    await witnessed('b', 2);
    await witnessed('c', 2);
    for (const [one, other] of [
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'c'],
      ['c', 'b'],
    ] as const)
      await expect.poll(async () => await noticed(one, other), patience).toContain('recovered');
    await world.agree('a', 'b', 'c');
    await world.must('c', 'admin', 'nodes', 'update', world.id('b'), '--mail-domain', 'none');
    await world.agree('a', 'b', 'c');
    for (const name of ['a', 'b', 'c']) {
      expect(await evidence(name)).toEqual([]);
      expect(await world.must(name, 'ledger', 'verify', '--full')).toMatchObject({ stderr: '', json: { ok: true } });
    }
    await screensAreTrue(world, 'a');
  }, 900_000);

  it('that run beside the node are noticed by both, and by the others, who keep what both signed', async () => {
    await copy('c', 'beside');
    await world.wires.part(['b', 'clone'], ['a', 'c']);
    await world.add('clone', folderOf('c', 'beside'));
    expect(world.id('clone')).toBe(world.id('c'));
    for (const name of ['c', 'clone']) await createVault(name, 'c');
    expect(await witnessed('c', 1)).toBe(await witnessed('clone', 1));
    await world.wires.mend();
    for (const name of ['c', 'clone'])
      await expect.poll(async () => (await stops(name)).map(({ kind }) => kind), patience).toContain('cloned');
    for (const name of ['a', 'b']) {
      await expect.poll(async () => await noticed(name, 'c'), patience).toContain('copied');
      await expect
        .poll(async () => await evidence(name), patience)
        .toContainEqual(expect.objectContaining({ kind: 'same-size', nodeId: world.id('c') }));
    }
    for (const name of ['c', 'clone']) await signsNothing(name, 'A copy of the node is running.');
    await screensAreTrue(world, 'b', 'c', 'clone');
    for (const name of ['a', 'clone']) await ledgersAreTrue(world, name);
    // Whoever has the file needs none of these nodes.
    const [found] = await evidence('a');
    const file = join(world.folder, 'c.evidence');
    await world.must('a', 'ledger', 'evidence', found.id, '--out', file);
    const verified = (await world.must('b', 'ledger', 'verify', '--bundle', file)).json;
    expect(verified).toMatchObject({ ok: true, nodeId: world.id('c') });
  }, 900_000);

  it('end with a recovery of the node that stays', async () => {
    await world.node('clone').kill();
    await world.must('c', 'node', 'recover', '--yes');
    await witnessed('c', 2);
    expect(await stops('c')).toEqual([]);
    expect(await world.must('c', 'ledger', 'verify', '--full')).toMatchObject({ stderr: '', json: { ok: true } });
  }, 900_000);

  const folderOf = (name: string, what: string) => join(world.folder, `${name}-${what}`);

  async function copy(name: string, what: string): Promise<void> {
    await world.node(name).stop();
    await world.node(name).backUp(folderOf(name, what));
    await world.node(name).start();
  }

  const tokens = new Map<string, string>();

  async function signIn(name: string): Promise<void> {
    const password = { CONCLAVE_PASSWORD: root.password };
    const { json } = await world.node(name).runWith(password, 'login', root.username, '--print-token');
    tokens.set(name, json.token);
  }

  /** @param signedIn the node of whose sign-in the store knows */
  async function createVault(name: string, signedIn: string): Promise<void> {
    const member = {
      CONCLAVE_TOKEN: tokens.get(signedIn) ?? '',
      CONCLAVE_MASTER_PASSWORD: 'a heron waits below the weir',
    };
    const made = await world.node(name).runWith(member, 'vault', 'create', `of ${name}`);
    expect(made).toMatchObject({ exitCode: 0 });
  }

  const stops = async (name: string) => (await world.status(name)).stopped;

  /** what a node noticed about another one */
  async function noticed(name: string, about: string): Promise<string[]> {
    const { noticed: all } = await world.status(name);
    return all.filter(({ nodeId }) => nodeId === world.id(about)).map(({ kind }) => kind);
  }

  const evidence = async (name: string) => (await world.must(name, 'ledger', 'evidence')).json.contradictions;

  /** Waits until others have cosigned all that is in the ledger of a node. @returns its size */
  async function witnessed(name: string, witnesses: number): Promise<number> {
    const head = async () => (await world.must(name, 'ledger', 'head')).json;
    await expect
      .poll(async () => {
        const { size, cosigned } = await head();
        return cosigned?.size === size ? cosigned.witnesses : 0;
      }, patience)
      .toBe(witnesses);
    return (await head()).size;
  }

  async function signsNothing(name: string, why: string): Promise<void> {
    const node = world.node(name);
    const refused = await node.run('admin', 'nodes', 'acl', 'update', '--mode', 'closed');
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'NODE_STOPPED' } });
    const { problems } = (await world.must(name, 'status')).json;
    expect(problems).toContainEqual(
      expect.stringMatching(new RegExp(`${why} This node signs nothing. Run: conclave node recover$`)),
    );
    expect(await node.run('ledger', 'verify', '--full')).toMatchObject({ exitCode: 1, json: { ok: false } });
    expect((await node.page('/metrics')).text).toMatch(/^conclave_ledger_stopped 1$/m);
    expect(await node.log()).toContain(why);
    // It goes on working for its members.
    expect(await node.page('/health')).toMatchObject({ status: 200 });
  }
});
