import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import AclExport from '../../commands/admin/nodes/acl/export.ts';
import AclHistory from '../../commands/admin/nodes/acl/history.ts';
import AclShow from '../../commands/admin/nodes/acl/show.ts';
import AclUpdate from '../../commands/admin/nodes/acl/update.ts';
import AclVerify from '../../commands/admin/nodes/acl/verify.ts';
import Approve from '../../commands/admin/nodes/approve.ts';
import Deny from '../../commands/admin/nodes/deny.ts';
import List from '../../commands/admin/nodes/list.ts';
import Pending from '../../commands/admin/nodes/pending.ts';
import Remove from '../../commands/admin/nodes/remove.ts';
import Show from '../../commands/admin/nodes/show.ts';
import Unban from '../../commands/admin/nodes/unban.ts';
import Update from '../../commands/admin/nodes/update.ts';
import Login from '../../commands/login.ts';
import Join from '../../commands/pool/join.ts';
import Leave from '../../commands/pool/leave.ts';
import Status from '../../commands/pool/status.ts';
import Withdraw from '../../commands/pool/withdraw.ts';
import { expiryOf } from '../../src/cli/kit/expiry.ts';
import { isFingerprint } from '../../src/cli/pool/pool-node.ts';
import { loadConfig } from '../../src/config/load.ts';
import { keyPairFromSecret, type KeyPair } from '../../src/crypto/key-pair.ts';
import { fingerprintOfKey } from '../../src/crypto/fingerprint.ts';
import { nodeIdOf } from '../../src/crypto/public-key.ts';
import { openEngine } from '../../src/node/engine.ts';
import { silentLog } from '../../src/base/log.ts';
import { ensureList } from '../../src/services/pool/acl/commit.ts';
import { takeRequest } from '../../src/services/pool/joining/queue.ts';
import { openScene, requestBy, type PoolHouse } from '../services/pool/pool-scene.ts';
import { openHome, rootPassword, type Home } from './home.ts';
import { waitForDecision, watchQueue } from '../../src/cli/pool/pool-watch.ts';
import type { Caller } from '../../src/client/perform.ts';
import { pool } from '../../src/contract/pool.ts';
import { Problem } from '../../src/base/problem.ts';

const greeting = 'hello \u001b[2J\u202eworld';

/** A node that asks this home to join, as the network would bring its request. */
async function asked(home: Home, identity: KeyPair): Promise<string> {
  const { config, secrets } = await loadConfig({
    flags: {},
    env: { CONCLAVE_DATA_DIR: home.dataDir, HOME: home.folder },
  });
  await using engine = await openEngine(config, secrets, { log: silentLog });
  const list = await ensureList(engine.context);
  const nodeId = nodeIdOf(identity.publicKey);
  const request = requestBy(identity, list.document.poolId, Date.now(), { message: greeting });
  await takeRequest(engine.context, list, request, nodeId);
  return nodeId;
}

const words = ({ publicKey }: KeyPair) => fingerprintOfKey(publicKey).words.join(' ');
const somebody = () => keyPairFromSecret(randomBytes(32), 'test');

/** Two nodes whose ids begin alike. */
function alike(): [KeyPair, KeyPair] {
  const seen = new Map<string, KeyPair>();
  for (;;) {
    const identity = somebody();
    const start = nodeIdOf(identity.publicKey).slice(0, 1);
    const other = seen.get(start);
    if (other !== undefined) return [other, identity];
    seen.set(start, identity);
  }
}

describe('commands of administrators for nodes', () => {
  let home: Home;
  const [one, two] = alike();
  const denied = somebody();
  const ids = [one, two].map(({ publicKey }) => nodeIdOf(publicKey));
  beforeAll(async () => {
    home = await openHome('process');
    for (const identity of [one, two, denied]) await asked(home, identity);
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('show who asks, with what they wrote made harmless', async () => {
    const run = await home.run(Pending, ['--json']);
    expect(run.json()).toMatchObject({ count: 3 });
    expect(run.json().pendingNodes[0]).toMatchObject({ message: 'hello [2Jworld' });
    const drawn = await home.run(Pending, [], { person: [] });
    expect(drawn.stdout).toContain('FINGERPRINT');
    expect(drawn.stdout).toContain(ids[0]!.slice(0, 12));
    for (const harm of ['\u001b[2J', '\u202e']) expect(drawn.stdout).not.toContain(harm);
    expect((await home.run(Show, [ids[0]!])).stdout).toContain(words(one));
  });

  it('watch the queue, as lines for people and for programs', async () => {
    const json = await home.run(Pending, ['--watch', '--timeout', '1', '--json']);
    const events = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ event }) => event)).toEqual(['pending', 'pending', 'pending']);
    const lines = await home.run(Pending, ['--watch', '--timeout', '1']);
    expect(lines.stdout).toContain(`${ids[1]!}  ${words(two).split(' ').slice(0, 4).join(' ')}  `);
    expect(await home.run(Pending, ['--timeout', '1'])).toMatchObject({ code: 2 });
  });

  it('refuse a beginning that means two nodes, with the candidates on stderr', async () => {
    const run = await home.run(Approve, [ids[0]!.slice(0, 1), '--fingerprint', words(one)]);
    expect(run).toMatchObject({ code: 7, stdout: '' });
    for (const id of ids) expect(run.stderr).toContain(id);
    expect(await home.run(Show, ['0123456789abcdef'])).toMatchObject({ code: 6, stdout: '' });
    expect(await home.run(Show, ['nonsense'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('want the fingerprint compared before a node is admitted', async () => {
    const silent = await home.run(Approve, [ids[0]!]);
    expect(silent).toMatchObject({ code: 2, stdout: '' });
    expect(silent.stderr).toContain('--fingerprint');
    const wrong = await home.run(Approve, [ids[0]!, '--fingerprint', words(two)]);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    const short = await home.run(Approve, [ids[0]!, '--fingerprint', words(one).split(' ').slice(0, 7).join(' ')]);
    expect(short).toMatchObject({ code: 2, stdout: '' });
    const no = await home.run(Approve, [ids[0]!], { person: [['Do they match?', 'n']] });
    expect(no).toMatchObject({ code: 2, stdout: '' });
    expect(no.stderr.replaceAll(/\s+/g, ' ')).toContain(words(one));
    const shown = no.stderr.split('\n').filter((line) => /^(?:Node|Words|Hex|Compare| )/.test(line));
    expect(shown.length).toBeGreaterThan(4);
    expect(shown.filter((line) => line.length > 80)).toEqual([]);
    expect((await home.run(Pending, ['--json'])).json().count).toBe(3);
  });

  it('admit, update and remove', async () => {
    const yes = await home.run(Approve, [ids[0]!], { person: [['Do they match?', 'y']] });
    expect(yes).toMatchObject({ code: 0 });
    expect(yes.stdout).toContain('version 2');
    const hex = fingerprintOfKey(two.publicKey).hex.slice(0, 24);
    const run = await home.run(Approve, [ids[1]!, '--fingerprint', hex, '--expires', '2d', '--json']);
    expect(run.json()).toEqual({ nodeId: ids[1], aclVersion: 3 });
    const nodes = (await home.run(List, ['--json'])).json().nodes as {
      nodeId: string;
      status: string;
      self: boolean;
    }[];
    expect(
      nodes
        .filter(({ self }) => !self)
        .map(({ nodeId }) => nodeId)
        .sort(),
    ).toEqual(ids.toSorted());
    expect((await home.run(Show, [ids[1]!, '--json'])).json().expiresAt).toMatch(/Z$/);
    expect(
      (await home.run(Update, [ids[1]!, '--expires', 'never', '--mail-domain', 'two.example', '--json'])).json(),
    ).toMatchObject({ aclVersion: 4 });
    expect((await home.run(Show, [ids[1]!, '--json'])).json()).not.toHaveProperty('expiresAt');
    expect(await home.run(Approve, [ids[1]!, '--fingerprint', hex])).toMatchObject({ code: 6, stdout: '' });
    expect(await home.run(Remove, [ids[1]!])).toMatchObject({ code: 2, stdout: '' });
    expect((await home.run(Remove, [ids[1]!, '--yes', '--json'])).json()).toMatchObject({ aclVersion: 5 });
    expect((await home.run(Show, [ids[1]!, '--json'])).json()).toMatchObject({ status: 'removed' });
  });

  it('deny with a reason', async () => {
    const id = nodeIdOf(denied.publicKey);
    expect((await home.run(Deny, [id, '--reason', 'no room', '--json'])).json()).toEqual({ nodeId: id, aclVersion: 6 });
    expect((await home.run(Show, [id, '--json'])).json()).toMatchObject({ status: 'denied', reason: 'no room' });
    expect(await home.run(Deny, [id])).toMatchObject({ code: 6, stdout: '' });
  });

  it('ban, show who was refused, and lift the ban', async () => {
    const [, id = ''] = ids;
    const banned = await home.run(Remove, [id, '--ban', '--yes']);
    expect(banned.stdout).toBe(`Node ${id} is banned.\nAccess list version 7 is active.\n`);
    expect((await home.run(Show, [id, '--json'])).json()).toMatchObject({
      status: 'banned',
      refusal: { kind: 'banned' },
    });
    const { nodes, refused } = (await home.run(List, ['--json'])).json();
    expect(nodes).toHaveLength(2);
    expect(refused).toMatchObject(
      [
        { nodeId: id, kind: 'banned' },
        { nodeId: nodeIdOf(denied.publicKey), kind: 'denied' },
      ].toSorted((first, second) => (first.nodeId < second.nodeId ? -1 : 1)),
    );
    expect((await home.run(List)).stdout).toMatch(new RegExp(`${id}\\s+banned\\s+20`));
    expect((await home.run(Unban, [id])).stdout).toContain('is lifted.\nAccess list version 8 is active.');
    expect(await home.run(Unban, [ids[0]!])).toMatchObject({ code: 6, stdout: '' });
    expect((await home.run(Show, [id, '--json'])).json()).toMatchObject({ status: 'removed' });
  });

  it('show, verify and export the access list, which is then verified without a node', async () => {
    expect((await home.run(AclUpdate, ['--mode', 'closed', '--json'])).json()).toEqual({ aclVersion: 9 });
    expect(await home.run(AclUpdate)).toMatchObject({ code: 2 });
    expect((await home.run(AclShow, ['--version', '2', '--json'])).json()).toMatchObject({
      version: 2,
      acl: { mode: 'approval' },
    });
    expect(await home.run(AclShow, ['--version', '99'])).toMatchObject({ code: 6, stdout: '' });
    const history = (await home.run(AclHistory, ['--json'])).json();
    expect(history.versions.map(({ version }: { version: number }) => version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect((await home.run(AclHistory, ['--limit', '2'])).stderr).toContain('--limit');
    expect((await home.run(AclHistory, ['--evidence', '--json'])).json()).toEqual({ evidence: [] });
    expect((await home.run(AclVerify, ['--json'])).json()).toMatchObject({ valid: true, versions: 9 });
    const path = join(home.folder, 'lists.json');
    expect((await home.run(AclExport, ['--out', path, '--json'])).json()).toMatchObject({ versions: 9 });
    expect(await home.run(AclExport, ['--out', path])).toMatchObject({ code: 7 });
    expect((await home.run(AclVerify, ['--file', path, '--json'])).json()).toMatchObject({
      valid: true,
      versions: 9,
      nodes: expect.arrayContaining([ids[0]]),
    });
    const text = await readFile(path, 'utf8');
    const forged = await home.file('forged.json', text.replace('closed', 'open'));
    const refused = await home.run(AclVerify, ['--file', forged]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(await home.run(AclVerify, ['--file', await home.file('none.json', '{}')])).toMatchObject({ code: 2 });
  });

  it('say how the pool is, ask to join another one, and take that back', async () => {
    expect((await home.run(Status)).stdout).toContain('This node is\tadmitted');
    expect(await home.run(Join, ['nowhere'])).toMatchObject({ code: 2, stdout: '' });
    expect(await home.run(Join, ['node.example:7879'])).toMatchObject({ code: 7 });
    expect(await home.run(Leave)).toMatchObject({ code: 2, stdout: '' });
    const left = await home.run(Leave, ['--yes', '--json']);
    expect(left.json().poolId).not.toBe(left.json().left);
    const run = await home.run(Join, ['node.example:7879', '--message', 'me', '--json']);
    expect(run.json()).toMatchObject({
      join: { status: 'asking', address: '/dns/node.example/tcp/7879', message: 'me' },
    });
    expect(run.stderr).toContain(
      `conclave admin nodes approve ${run.json().node.nodeId} --fingerprint "${run.json().node.fingerprint.words.join(' ')}"`,
    );
    expect(run.stderr).toContain('network.enabled');
    expect((await home.run(Status, ['--json'])).json()).toMatchObject({ join: { status: 'asking' } });
    expect((await home.run(Withdraw, ['--json'])).json()).toMatchObject({ status: 'withdrawn' });
    expect(await home.run(Withdraw)).toMatchObject({ code: 6 });
  });
});

describe('over a server', () => {
  it('an administrator signs with their own key', async () => {
    await using home = await openHome('url');
    await home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } });
    expect((await home.run(Pending, ['--json'])).json()).toEqual({ pendingNodes: [], count: 0 });
    expect((await home.run(AclUpdate, ['--mode', 'open', '--json'])).json()).toEqual({ aclVersion: 2 });
    const { signatures, acl } = (await home.run(AclShow, ['--json'])).json();
    expect(signatures).toMatchObject([{ memberId: acl.admins[1].memberId }]);
  });
});

describe('watching', () => {
  it('tells who comes and who is decided on, and waits for a server that is away', { tags: 'soak' }, async () => {
    await using scene = openScene('sqljs');
    const a = await scene.open('a');
    const { poolId } = (await a.house.perform(pool.status, {}, a.boss.token)).body.pool;
    const identity = somebody();
    const nodeId = nodeIdOf(identity.publicKey);
    let away = false;
    const caller = callerOf(a, () => away);
    const told: string[] = [];
    let looks = 0;
    const steps = [
      async () =>
        void (await takeRequest(
          a.house.ctx,
          await ensureList(a.house.ctx),
          requestBy(identity, poolId, a.house.clock.now()),
          nodeId,
        )),
      () => Promise.resolve(void (away = true)),
      () => Promise.resolve(void (away = false)),
      async () => void (await a.house.perform(pool.denyNode, { nodeId }, a.boss.token)),
    ];
    await watchQueue(caller, {
      everyMs: 1,
      forMs: 5,
      // Time goes on by a step at each look.
      now: () => (looks += 1),
      tell: (event) => void told.push(event.event),
      trouble: ({ message }) => void told.push(message),
      pause: async () => await steps.shift()?.(),
    });
    expect(told).toEqual(['pending', 'Nobody is there.', 'gone']);
    expect(steps).toEqual([]);
  });
});

describe('waiting for a decision', () => {
  it('ends with the answer', { tags: 'soak' }, async () => {
    await using scene = openScene('sqljs');
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    const ask = async ({ house, boss }: PoolHouse) =>
      (await house.perform(pool.join, { address: a.node.address }, boss.token)).body.join.id as string;
    const [first, second] = [await ask(b), await ask(c)];
    await a.house.perform(pool.approveNode, { nodeId: b.nodeId }, a.boss.token);
    await a.house.perform(pool.denyNode, { nodeId: c.nodeId, reason: 'no room' }, a.boss.token);
    await scene.settled();
    expect(await waitForDecision(callerOf(b), first)).toMatchObject({ status: 'approved' });
    await expect(waitForDecision(callerOf(c), second)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'JOIN_DENIED',
      message: expect.stringContaining('no room'),
    });
    await expect(waitForDecision(callerOf(c), first)).rejects.toMatchObject({ code: 'JOIN_ENDED' });
  });
});

/** Calls a house as its administrator, who may be cut off. */
function callerOf({ house, boss }: PoolHouse, away: () => boolean = () => false): Caller {
  return {
    place: 'here',
    userAgent: 'test',
    tokenFor: () => Promise.resolve(boss.token),
    transport: {
      async send({ method, path }) {
        if (away()) throw new Problem('network', 'NETWORK', 'Nobody is there.');
        const { status, body } = await house.api(method, path, { token: boss.token });
        return { status, headers: { 'content-type': 'application/json' }, body: once(JSON.stringify(body)) };
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('a fingerprint', () => {
  const fingerprint = fingerprintOfKey(keyPairFromSecret(new Uint8Array(32), 'test').publicKey);

  it('is told by words or by hex, however they are set apart', () => {
    const { words: all, hex } = fingerprint;
    for (const told of [
      all.join(' '),
      all.join('-').toUpperCase(),
      all.slice(0, 8).join(', '),
      hex,
      hex.slice(0, 22),
      hex.match(/../g)!.join(':'),
    ])
      expect(isFingerprint(fingerprint, told), told).toBe(true);
    for (const told of [[...all].reverse().join(' '), `${all.join(' ')} abandon`, `${hex.slice(0, 22)}00`])
      expect(isFingerprint(fingerprint, told), told).toBe(false);
    for (const told of ['', all.slice(0, 7).join(' '), hex.slice(0, 21)])
      expect(() => isFingerprint(fingerprint, told)).toThrow(/at least/);
  });

  it('does not look like a recovery phrase', () => {
    expect([12, 15, 18, 21, 24]).not.toContain(fingerprint.words.length);
  });
});

describe('an expiry', () => {
  it('is a while from now, or a date', () => {
    const now = Date.UTC(2026, 0, 15);
    expect(expiryOf('90d', now)).toBe('2026-04-15T00:00:00.000Z');
    expect(expiryOf('12h', now)).toBe('2026-01-15T12:00:00.000Z');
    expect(expiryOf('2027-01-31', now)).toBe('2027-01-31T00:00:00.000Z');
    expect(expiryOf('never', now)).toBeUndefined();
    for (const wrong of ['', '0d', 'soon', '2020-01-01', '9y']) expect(() => expiryOf(wrong, now)).toThrow(/--expires/);
  });
});
