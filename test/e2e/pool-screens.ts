import { expect } from 'vitest';
import { hasTerminal, type PoolStatus } from '../services/pool/pool-nodes.ts';
import type { World } from './pool-world.ts';

/** Addresses, keys and hashes aren't broken into lines: the terminal does it, and whoever copies one has it whole. */
const oneValue = /^(?:[A-Z][a-z]*(?: [a-z]+)* {2,}| *)\S+$/;

const memberships = { member: 'admitted', expired: 'expired', removed: 'removed' } as const;

/** Fails unless what commands show on 80 columns fits there, and is what the same node answers programs. */
export async function screensAreTrue(world: World, ...among: string[]): Promise<void> {
  // Without a terminal nothing is cut and nothing has a width.
  if (!hasTerminal) return;
  for (const name of among) {
    await statusIsTrue(world, name);
    await nodesAreTrue(world, name);
  }
}

/** Fails unless the other commands of an operator fit on 80 columns. @param about a node that this one knows */
export async function screensFit(world: World, name: string, about: string): Promise<void> {
  if (!hasTerminal) return;
  await show(world, name, 'admin', 'nodes', 'show', world.id(about));
  await show(world, name, 'admin', 'nodes', 'acl', 'history');
  await show(world, name, 'admin', 'nodes', 'acl', 'history', '--evidence');
  await show(world, name, 'pool', 'outbox');
}

/** Fails unless what commands show of ledgers on 80 columns fits there, and names everything that the node noticed. */
export async function ledgersAreTrue(world: World, name: string): Promise<void> {
  if (!hasTerminal) return;
  const { answer, shown } = await whileStill(
    async () => (await world.node(name).run('ledger', 'verify')).json as Verified,
    async () => {
      const { stopped } = await world.status(name);
      return [
        ...(await showEnding(stopped.length === 0 ? 0 : 1, world, name, 'ledger', 'verify')),
        ...(await show(world, name, 'ledger', 'head')),
        ...(await show(world, name, 'ledger', 'evidence')),
        ...(await show(world, name, 'status')),
      ];
    },
  );
  const text = shown.join('\n').replaceAll(/\s+/g, ' ');
  const facts = [
    ...answer.stopped.flatMap(({ what }) => [what, `${what} See: conclave node recover`]),
    ...answer.noticed.map(({ nodeId, what }) => `node ${nodeId} ${what}`),
    ...answer.contradictions.flatMap(({ id, nodeId, what }) => [`node ${nodeId} ${what}`, `${id.slice(0, 12)} `]),
  ];
  expect({ name, shown, missing: facts.filter((fact) => !text.includes(fact)) }).toEqual({ name, shown, missing: [] });
}

interface Verified {
  readonly stopped: readonly { readonly what: string }[];
  readonly noticed: readonly { readonly nodeId: string; readonly what: string }[];
  readonly contradictions: readonly { readonly id: string; readonly nodeId: string; readonly what: string }[];
}

/** The lines of a command on a terminal. All of them fit. */
export async function show(world: World, name: string, ...words: string[]): Promise<readonly string[]> {
  return await showEnding(0, world, name, ...words);
}

async function showEnding(expected: number, world: World, name: string, ...words: string[]) {
  const { lines, exitCode } = await world.node(name).show(...words);
  const what = `${name}: conclave ${words.join(' ')}`;
  expect({ what, exitCode, lines }).toMatchObject({ what, exitCode: expected });
  expect({ what, long: lines.filter((line) => line.length > 80 && !oneValue.test(line)) }).toEqual({
    what,
    long: [],
  });
  return lines;
}

/** The lines of a command, and the answer for programs from just before and just after it, which is the same. */
async function whileStill<T>(answer: () => Promise<T>, lines: () => Promise<readonly string[]>) {
  for (let left = 60; left > 0; left -= 1) {
    const before = await answer();
    const shown = await lines();
    if (still(before) === still(await answer())) return { answer: before, shown };
  }
  throw new Error('What the node answers changes all the time.');
}

/** Without what moves by itself. */
function still(answer: unknown): string {
  return JSON.stringify(answer, (key, value: unknown) =>
    key === 'lastSeenAt' || key === 'aheadMs' ? undefined : value,
  );
}

async function statusIsTrue(world: World, name: string): Promise<void> {
  const { answer, shown } = await whileStill(
    async () => await world.status(name),
    async () => await show(world, name, 'pool', 'status'),
  );
  const text = shown.join('\n').replaceAll(/\s+/g, ' ');
  expect({ name, shown, missing: factsOf(answer).filter((fact) => !text.includes(fact)) }).toEqual({
    name,
    shown,
    missing: [],
  });
}

function factsOf({
  node,
  pool,
  connected,
  pending,
  forks,
  unsigned,
  stopped,
  noticed,
  contradictions,
}: PoolStatus): string[] {
  return [
    node.nodeId,
    pool.poolId,
    `This node is ${memberships[pool.membership]}`,
    `version ${pool.version} of`,
    `${pool.writers}, ${connected} connected`,
    `Asking to join ${pending}`,
    ...forks
      .slice(0, 3)
      .flatMap(({ version, signedBy, counting, other, decidedBy }) => [
        `version ${version}: ${signedBy === 'one' ? 'one administrator signed both' : 'two administrators signed one'}`,
        `${counting.slice(0, 12)}, decided by ${decidedBy === 'rule' ? 'the rule' : 'an administrator'}`,
        `acl resolve --adopt ${other.slice(0, 12)}`,
      ]),
    ...unsigned.map(() => 'Not signed yet'),
    ...stopped.map(({ what }) => `${what} See: conclave node recover`),
    ...noticed.map(({ nodeId, what }) => `${nodeId} ${what}`),
    ...(contradictions > 0 ? [`contradictions: ${contradictions}; see conclave ledger evidence`] : []),
  ];
}

async function nodesAreTrue(world: World, name: string): Promise<void> {
  const { answer, shown } = await whileStill(
    async () => (await world.must(name, 'admin', 'nodes', 'list')).json as Listed,
    async () => await show(world, name, 'admin', 'nodes', 'list'),
  );
  const says = (nodeId: string, words: readonly string[]) =>
    shown.some((line) => line.startsWith(nodeId.slice(0, 12)) && words.every((word) => line.includes(word)));
  const wrong = [
    ...answer.nodes.filter(
      ({ nodeId, status, connected, self }) =>
        !says(nodeId, [status, connected ? 'yes' : 'no', ...(self ? ['this one'] : [])]),
    ),
    ...answer.refused.filter(({ nodeId, kind }) => !says(nodeId, [kind])),
  ];
  expect({ name, shown, wrong }).toEqual({ name, shown, wrong: [] });
}

interface Listed {
  readonly nodes: readonly {
    readonly nodeId: string;
    readonly status: string;
    readonly connected: boolean;
    readonly self: boolean;
  }[];
  readonly refused: readonly { readonly nodeId: string; readonly kind: string }[];
}
