// How many messages a second one node sends to another one until it has the signed receipts, next to as many to its own members. Both nodes
// run on this machine. Run after `npm run build`:
//
//   npx tsx scripts/bench/mail-nodes.ts [messages]
//
// Ends with 1 below 200 a second.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { initMail, signIn, type SignedIn } from './mail-store.ts';
import { program } from './served-node.ts';
import { cleanEnvironment, startConclave } from './server-process.ts';
import { printTable } from './table.ts';

const messages = Number(process.argv[2] ?? 2_000);
const WANTED = 200;
const CONNECTIONS = 32;
const PORTS = { a: 17_911, b: 17_912 };

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
try {
  const nodeOf = (name: 'a' | 'b') => {
    const dataDir = join(folder, name);
    const more = {
      CONCLAVE_MAIL_DOMAIN: `${name}.example`,
      CONCLAVE_NETWORK_ENABLED: 'on',
      CONCLAVE_NETWORK_LISTEN: `127.0.0.1:${PORTS[name]}`,
    };
    return { dataDir, env: initMail(dataDir, more) };
  };
  const [a, b] = [nodeOf('a'), nodeOf('b')];
  await using first = await startConclave(a.dataDir, a.env);
  await using second = await startConclave(b.dataDir, b.env);
  const run = (env: Readonly<Record<string, string>>, ...words: string[]): unknown => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words, '--json'], {
      env: cleanEnvironment(env),
    });
    if (status !== 0) throw new Error(`conclave ${words.join(' ')}: ${stderr.toString()}`);
    return JSON.parse(stdout.toString());
  };
  const { token } = run(a.env, 'admin', 'nodes', 'token', 'create', '--uses', '1') as { token: string };
  run({ ...b.env, CONCLAVE_JOIN_TOKEN: token }, 'pool', 'join', `127.0.0.1:${PORTS.a}`);
  for (const [name, { env }] of [
    ['a', a],
    ['b', b],
  ] as const) {
    const { node } = run(env, 'pool', 'status') as { node: { nodeId: string } };
    run(a.env, 'admin', 'nodes', 'update', node.nodeId, '--mail-domain', `${name}.example`);
  }
  const sender = await signIn(first.port, a.dataDir);
  const receiver = await signIn(second.port, b.dataDir);
  const [ada, bob] = [mailboxOf(sender, 'a.example'), mailboxOf(receiver, 'b.example')];
  // The first ones are for V8 to compile what is hot, and for the nodes to connect.
  await burst(sender, ada, bob, Math.ceil(messages / 10));
  await burst(sender, ada, ada, Math.ceil(messages / 10));
  const between = await burst(sender, ada, bob, messages);
  const local = await burst(sender, ada, ada, messages);
  printTable(
    ['', 'a second', 'ratio to own members', 'wanted', ''],
    [
      [
        `${messages} messages to another node, with receipts`,
        between.toFixed(0),
        (between / local).toFixed(2),
        `≥ ${WANTED}/s`,
        between >= WANTED ? 'ok' : 'MISSED',
      ],
      [`${messages} messages to own members`, local.toFixed(0), '1.00', '', ''],
    ],
  );
  if (between < WANTED) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

interface Mailbox {
  readonly localPart: string;
  readonly domain: string;
}

function mailboxOf({ username }: SignedIn, domain: string): Mailbox {
  return { localPart: username, domain };
}

/** @returns messages a second, from the first one until all are DELIVERED */
async function burst(sender: SignedIn, from: Mailbox, to: Mailbox, count: number): Promise<number> {
  const started = performance.now();
  const open: string[] = [];
  let left = count;
  const connection = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const body = { from, to: [to], subject: 'A message', textBody: 'word '.repeat(200) };
      open.push(String((await ask(sender, '/api/emails', body))['id']));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
    const { deliveries } = await ask(sender, `/api/emails/${id}/deliveries`);
    const statuses = (deliveries as { status: string }[]).map(({ status }) => status);
    if (statuses.includes('FAILED')) throw new Error(`message ${id} failed`);
    if (statuses.every((status) => status === 'DELIVERED')) open.pop();
    else await sleep(20);
  }
  return (count / (performance.now() - started)) * 1000;
}

async function ask({ base, headers }: SignedIn, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(base + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: Record<string, unknown> }).data;
}
