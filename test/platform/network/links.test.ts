import { describe, expect, it } from 'vitest';
import { createAuthors } from '../../../src/platform/network/authors.ts';
import { readEnvelope } from '../../../src/platform/network/envelope.ts';
import { frameOf, readFrame } from '../../../src/platform/network/frames.ts';
import { defaultLimits } from '../../../src/platform/network/limits.ts';
import { LINKS } from '../../../src/platform/network/links.ts';
import { SHARED } from '../../../src/platform/network/shared-parts.ts';
import { gossipNodes, until, untilConnected, type GossipNode } from '../../support/gossip-nodes.ts';
import { stranger, type Stranger } from '../../support/gossip-stranger.ts';

const rarely = { reconcileMs: 600_000, pingMs: 600_000 };
const authors = createAuthors();
/** No two of what is said are the same. */
let said = 0;

/** Two nodes, and an admitted third that only the second is connected with. It tells what it wants. */
async function scene() {
  const pool = await gossipNodes(2, { limits: rarely });
  const [one, two] = pool.nodes as [GossipNode, GossipNode];
  await untilConnected(pool.nodes);
  const third = await stranger();
  pool.pool.admitted.add(third.nodeId);
  await two.port.admissionChanged();
  const connection = await third.dial(two);
  third.router.connect(connection.remotePeer, connection);
  return {
    one,
    two,
    third,
    async [Symbol.asyncDispose]() {
      await third[Symbol.asyncDispose]();
      await pool[Symbol.asyncDispose]();
    },
  };
}

/** What the third tells the second about its links, and what it hears of its. */
async function tell(third: Stranger, to: GossipNode, links: unknown): Promise<unknown> {
  const stream = await third.open(to, SHARED);
  stream.send(frameOf({ parts: { [LINKS]: links } }));
  const { answer } = (await readFrame(stream, 100_000, 60_000)) as { answer: { parts: Record<string, unknown> } };
  await stream.close();
  return answer.parts[LINKS];
}

function cameTo(third: Stranger): unknown[] {
  return third.came.flatMap((bytes) => {
    const read = readEnvelope(bytes, defaultLimits.envelopeBytes, authors);
    return typeof read === 'string' ? [read] : read.announcements.map(({ payload }) => payload);
  });
}

/** Says it at one node, and waits until the other one, which passes it on before that, has recorded it. */
async function say(at: GossipNode, other: GossipNode, payload: string): Promise<void> {
  await at.port.announce('test', payload);
  await until('the other node heard it', () => other.heard.some((heard) => heard.payload === payload));
}

describe('announcements', () => {
  it('are passed on to who does not hear their author, and not to who does', async () => {
    await using nodes = await scene();
    const { one, two, third } = nodes;
    await until('the third hears the first through the second', async () => {
      await say(one, two, `at first ${third.came.length} ${(said += 1)}`);
      return cameTo(third).some((payload) => String(payload).startsWith('at first'));
    });

    await tell(third, two, [one.nodeId.slice(0, 12)]);
    await say(one, two, 'heard directly');
    // What the second says itself comes after what it passes on.
    await say(two, one, 'from the second');
    await until('it came', () => cameTo(third).includes('from the second'));
    expect(cameTo(third)).not.toContain('heard directly');

    await tell(third, two, []);
    await say(one, two, 'not heard any more');
    await until('it was passed on', () => cameTo(third).includes('not heard any more'));
  });

  it('are passed on to a peer whose links are nonsense', async () => {
    await using nodes = await scene();
    const { one, two, third } = nodes;
    const link = one.nodeId.slice(0, 12);
    const nonsense = [[link, 7], Array.from({ length: 251 }, () => link), [one.nodeId], link, { 0: link }, null];
    for (const [at, links] of nonsense.entries()) {
      await tell(third, two, links);
      const passedOn = () => cameTo(third).some((payload) => String(payload).startsWith(`${at} `));
      await until('it was passed on', async () => {
        await say(one, two, `${at} ${(said += 1)}`);
        return passedOn();
      });
      expect(passedOn(), JSON.stringify(links)).toBe(true);
    }
  });
});

describe('links', () => {
  it('are the nodes that send their announcements here, and no others', async () => {
    await using nodes = await scene();
    const { one, two, third } = nodes;
    const both = [one.nodeId, third.nodeId].map((nodeId) => nodeId.slice(0, 12)).toSorted();
    await until('both send', async () => ((await tell(third, two, [])) as string[]).length === 2);
    expect(((await tell(third, two, [])) as string[]).toSorted()).toEqual(both);
    // It is connected still, and does not send any more.
    await third.router.stop();
    await until('one is left', async () => ((await tell(third, two, [])) as string[]).length === 1);
    expect(await tell(third, two, [])).toEqual([one.nodeId.slice(0, 12)]);
  });
});
