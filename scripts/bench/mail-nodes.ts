// How many messages a second go from one node to another and are acknowledged, in bursts, next to messages to a member of the same node.
// Run after `npm run build`: npx tsx scripts/bench/mail-nodes.ts [--messages 2000] [--rounds 3]
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { twoNodes } from './mail-pool.ts';
import { signIn, type SignedIn } from './mail-store.ts';
import { median, printTable } from './table.ts';

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '2000' }, rounds: { type: 'string', default: '3' } },
});
const messages = Number(values.messages);
const rounds = Number(values.rounds);
const connections = 16;
const WANTED = 200;
/** Of a burst, so that asking does not slow what is measured. */
const SAMPLE = 40;

interface Address {
  readonly localPart: string;
  readonly domain: string;
}

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
try {
  const [one, other] = await twoNodes(folder);
  await using from = one.server;
  await using to = other.server;
  const sender = await signIn(from.port, one.dataDir);
  const receiver = await signIn(to.port, other.dataDir);
  const own: Address = { localPart: sender.username, domain: one.domain };
  const away: Address = { localPart: receiver.username, domain: other.domain };
  // For V8 to compile what is hot.
  await burst(sender, own, own, messages / 4);
  await burst(sender, own, away, messages / 4);
  const [here, there, cpu]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    here.push(await burst(sender, own, own, messages / 4));
    const before = await processorMs(from.pid, to.pid);
    there.push(await burst(sender, own, away, messages));
    cpu.push(((await processorMs(from.pid, to.pid)) - before) / messages);
  }
  const [rate, local] = [median(there), median(here)];
  printTable(
    ['', 'measured', 'ratio to the same node', 'wanted', ''],
    [
      [
        `1 KiB to another node, ${messages} at once`,
        `${rate.toFixed(0)}/s (same node ${local.toFixed(0)}/s), CPU of both nodes ${median(cpu).toFixed(1)} ms each`,
        (rate / local).toFixed(2),
        `≥ ${WANTED}/s`,
        rate >= WANTED ? 'ok' : 'MISSED',
      ],
    ],
  );
  if (!(rate >= WANTED)) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function ask(member: SignedIn, method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${member.base}/api/emails${path}`, {
    method,
    headers: { ...member.headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const told = (await answer.json()) as { data: unknown };
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(told)}`);
  return told.data;
}

/** @returns messages a second, from the first that is sent until all are DELIVERED at the sender */
async function burst(member: SignedIn, from: Address, to: Address, count: number): Promise<number> {
  const message = { from, to: [to], subject: 'A message', textBody: 'word '.repeat(200) };
  const ids: string[] = [];
  const began = performance.now();
  const numbers = Array.from({ length: count }).values();
  const connection = async (): Promise<void> => {
    for (const _ of numbers) ids.push(((await ask(member, 'POST', '', message)) as { id: string }).id);
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const step = Math.ceil(ids.length / SAMPLE);
  const sample = [...ids.filter((_, index) => index % step === 0), ...ids.slice(-SAMPLE)];
  await allDelivered(member, sample);
  let took = performance.now() - began;
  if (await allDelivered(member, ids)) took = performance.now() - began;
  return (count / took) * 1000;
}

/** @returns whether some were not when they were first asked for */
async function allDelivered(member: SignedIn, ids: readonly string[]): Promise<boolean> {
  let waited = false;
  for (const id of ids)
    for (;;) {
      const { deliveries } = (await ask(member, 'GET', `/${id}/deliveries`)) as { deliveries: { status: string }[] };
      const statuses = new Set(deliveries.map(({ status }) => status));
      if (statuses.has('FAILED')) throw new Error(`${id} failed: ${JSON.stringify(deliveries)}`);
      if (statuses.size === 1 && statuses.has('DELIVERED')) break;
      waited = true;
      await sleep(20);
    }
  return waited;
}

/** Linux counts hundredths of a second. */
async function processorMs(...pids: readonly number[]): Promise<number> {
  const each = pids.map(async (pid) => {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  });
  return (await Promise.all(each)).reduce((sum, ms) => sum + ms, 0);
}
