import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { perform } from '../../../src/client/perform.ts';
import { ledger } from '../../../src/contract/ledger.ts';
import { pool } from '../../../src/contract/pool.ts';
import { reservePort } from '../../support/reserved-ports.ts';
import { agree, openNode, replace, variablesOf, type TourNode } from './nodes.ts';
import { hasTmux } from './terminal.ts';
import { openTour, type Step, type Tour } from './tour.ts';

const confirmed = (question: string): NonNullable<Step['answers']> => [[question, 'y']];

type Random = NonNullable<Step['random']>;

/** Pools and access lists have the time in them. */
const words = '$1ten words that nobody knows before the pool is there';
const askedPool: Random = [[/^(Asked pool +)[a-z]+(?:\s+[a-z]+){9}$/m, words]];
const proposed: Random = [
  [/(?<=acl sign )\w{6}/, '9b1c04'],
  [/^(Fingerprint +)[a-z]+(?:\s+[a-z]+){9}$/m, words],
];
/** How many entries a ledger has depends on what was noticed meanwhile. */
const sizes: Random = [
  [/(?<=This store has )\d+/, '41'],
  [/(?<=signed has )\d+/, '57'],
];
const logKey: Random = [[/^conclave\/[0-9a-f]{40}[^]*?(?=\nGive)/m, 'conclave/(the new log key)']];

/** The first node admits another one, which asked for it. */
async function admit(tour: Tour, by: TourNode, node: TourNode, domain: string): Promise<void> {
  await tour.meanwhile(node.operator, `conclave pool join ${by.address} --mail-domain ${domain}`);
  const { nodeId, fingerprint } = (await node.status()).node;
  await by.until('a request', ({ pending }) => pending === 1);
  const told = `conclave admin nodes approve ${nodeId} --fingerprint "${fingerprint.words.join(' ')}"`;
  await tour.meanwhile(by.operator, told);
  await node.until('its admission', ({ join: asked }) => asked === undefined || asked.status === 'approved');
  await agree(by, node);
}

it.skipIf(!hasTmux)('the tour of a pool', { tags: ['needs-program'], timeout: 3_000_000 }, async () => {
  const port = await reservePort();
  await using tour = await openTour('docs/pool.md', { env: variablesOf('ada', port) });
  const { reader } = tour;
  const ada = await openNode(tour, 'ada', { operator: reader, port });
  const bob = await openNode(tour, 'bob');
  const bobs = { by: bob.operator };
  const { nodeId } = (await bob.status()).node;
  const onBob = { for: { '428778': nodeId.slice(0, 6) } };

  await tour.run('conclave pool join node.example:7879 --message "the node in the cellar"', {
    ...bobs,
    for: { 'node.example:7879': ada.address },
    random: askedPool,
  });
  await ada.until('the request', ({ pending }) => pending === 1);
  await tour.run('conclave admin nodes pending');
  await tour.run('conclave admin nodes approve 428778', { ...onBob, answers: confirmed('? Do they match?') });
  await agree(ada, bob);
  await ada.witnessed();
  const proof = await tour.run('conclave ledger proof 2 --out list.tlog-proof');
  const key = /conclave\/\S+/.exec(proof.replaceAll('\n', ''))?.[0] ?? '';
  await tour.run('conclave ledger verify --bundle list.tlog-proof --key conclave/466043de…', {
    for: { 'conclave/466043de…': key },
  });

  await tour.run('conclave admin nodes remove 428778 --ban', { ...onBob, answers: confirmed('? Remove and ban') });
  await tour.run('conclave admin nodes unban 428778', onBob);

  await bob.until('its removal', (status) => status.pool.membership === 'removed');
  await admit(tour, ada, bob, 'bob.example');
  const cyd = await openNode(tour, 'cyd');
  await admit(tour, ada, cyd, 'cyd.example');
  const own = (await ada.status()).node.nodeId;
  await tour.meanwhile(reader, `conclave admin nodes update ${own} --mail-domain ada.example`);
  await agree(ada, bob, cyd);
  await bob.stop();
  await tour.meanwhile(reader, 'echo See you at four. | conclave mail send --to bob@bob.example --subject Tea');
  await expect
    .poll(async () => await ada.ask(async (client) => await perform(client, pool.outbox, {})), { timeout: 300_000 })
    .toMatchObject({ messages: [{ failure: 'PEER_UNREACHABLE' }] });
  await tour.run('conclave pool outbox', { random: [[/[\d.]+ KiB/, '2.1 KiB']] });
  await bob.serve();

  const { publicKey } = (await bob.status()).node;
  await tour.meanwhile(reader, `conclave admin nodes acl update --add-key ${publicKey}`);
  await tour.meanwhile(reader, 'conclave admin nodes acl update --threshold 2');
  await agree(ada, bob, cyd);
  const change = await tour.run('conclave admin nodes acl update --mode closed', { ends: 7 });
  const proposal = /acl sign ([0-9a-f]+)/.exec(change)?.[1] ?? '';
  await tour.run('conclave admin nodes acl proposals');
  await sign(bob, proposal, async () => {
    await tour.run('conclave admin nodes acl sign 9b1c04', {
      ...bobs,
      for: { '9b1c04': proposal.slice(0, 6) },
      answers: confirmed('? Sign this?'),
      random: proposed,
    });
  });
  await agree(ada, bob, cyd);
  const again = await reader.terminal.type('conclave admin nodes acl update --threshold 1');
  const second = /acl sign ([0-9a-f]+)/.exec(again.text)?.[1] ?? '';
  await sign(bob, second, async () => {
    await tour.meanwhile(bob.operator, `conclave admin nodes acl sign ${second} --yes`);
  });
  await agree(ada, bob, cyd);

  // Both sides decide while they can't hear each other. The stricter list counts.
  await bob.stop();
  await ada.stop();
  await tour.meanwhile(reader, 'conclave admin nodes acl update --mode approval');
  await tour.meanwhile(bob.operator, `conclave admin nodes update ${nodeId} --mail-domain other.example`);
  await bob.serve();
  await agree(bob, cyd);
  await ada.serve();
  await agree(ada, bob, cyd);
  for (const node of [ada, bob, cyd]) await node.until('the fork', (status) => status.forks.length === 1);
  const other = (await ada.status()).forks[0]?.other ?? '';
  await tour.run('conclave admin nodes acl resolve --adopt 8d3c91d04f2a', {
    for: { '8d3c91d04f2a': other.slice(0, 12) },
    answers: confirmed('? Follow this branch instead?'),
  });
  for (const { operator } of [bob, cyd])
    await tour.meanwhile(operator, `conclave admin nodes acl resolve --adopt ${other} --yes`);
  await agree(ada, bob, cyd);

  // Bob's node runs on two copies of its store, one after the other, and each meets another node.
  await bob.stop();
  const kept = (name: string): string => join(bob.operator.home, name);
  await replace(bob.dataDir, kept('old'));
  await cyd.stop();
  const first = await grow(tour, bob);
  await bob.stop();
  await ada.stop();
  await replace(bob.dataDir, kept('late'));
  await replace(kept('old'), bob.dataDir);
  await cyd.serve();
  expect(await grow(tour, bob)).toBe(first);
  await bob.stop();
  await ada.serve();
  const evidence = async () => await ada.ask(async (client) => await perform(client, ledger.verify, { full: false }));
  await expect.poll(async () => (await evidence()).contradictions, { timeout: 300_000 }).toHaveLength(1);
  const found = (await evidence()).contradictions[0]?.id ?? '';
  await tour.run('conclave ledger evidence 8a4fc1daaac0 --out attic.evidence', {
    for: { '8a4fc1daaac0': found.slice(0, 12) },
  });
  await tour.run('conclave ledger verify --bundle attic.evidence', {
    random: [[/\d+(?= entries with)/g, '18']],
  });

  await ada.stop();
  await cyd.stop();
  await replace(kept('old'), bob.dataDir);
  await cp(join(kept('late'), 'ledger.mark'), join(bob.dataDir, 'ledger.mark'));
  await bob.serve();
  await bob.until('that it signs nothing', ({ stopped }) => stopped.length > 0);
  await tour.run('conclave node recover', {
    ...bobs,
    answers: confirmed('? Begin a new log?'),
    random: [...sizes, ...logKey],
  });

  await ada.serve();
  await tour.run('conclave admin nodes token create --ttl 1h --uses 1 > token.txt');
  const dan = await openNode(tour, 'dan');
  await tour.meanwhile(dan.operator, `cp ${reader.home}/token.txt .`);
  await tour.run('conclave pool join node.example:7879 --token-file token.txt --wait', {
    by: dan.operator,
    for: { 'node.example:7879': ada.address },
    random: askedPool,
  });
  await tour.finish();
});

/** Signs a proposal where it has arrived. */
async function sign(node: TourNode, hash: string, signing: () => Promise<void>): Promise<void> {
  const arrived = async () => {
    const { proposals } = await node.ask(async (client) => await perform(client, pool.aclProposals, {}));
    return proposals.some((one) => one.hash.startsWith(hash));
  };
  await expect.poll(arrived, { timeout: 300_000 }).toBe(true);
  await signing();
}

/** Records something on a node, and waits until another one has cosigned it. @returns the size of the ledger */
async function grow(tour: Tour, node: TourNode): Promise<number> {
  await node.serve();
  await tour.meanwhile(node.operator, 'conclave vault create Cellar');
  return await node.witnessed();
}
