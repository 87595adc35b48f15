import { isListOf } from './json-values.ts';
import type { Neighbours } from './neighbours.ts';
import type { Entry } from './peer-table.ts';
import type { SharedPart } from '../../service/ports/network.ts';

/** The name of the part in what two nodes tell each other. */
export const LINKS = 'gossip-links';

/** The first digits of a node id: enough to tell nodes apart, and so that the links of a large pool fit into one part. */
const DIGITS = 12;
const MAX_LINKS = 250;
const LINK = /^[0-9a-f]{12}$/;

/**
 * Nodes tell each other whom they hear directly. An author sends its announcements to every node that hears it, so nobody needs to pass
 * these on to such a node. In a pool where all are connected with all, each announcement then reaches each node once instead of up to
 * once from every other node. What is told is up to ten seconds old; what gets lost in between comes by reconciliation, as does what a
 * node misses that tells links which it does not have.
 */
export interface Links {
  readonly part: SharedPart;
  /** the peers that hear this author themselves */
  hearing(this: void, author: string): ReadonlySet<string>;
}

export function createLinks(neighbours: Pick<Neighbours, 'table' | 'admitted'>): Links {
  return {
    part: {
      tell: () => Promise.resolve(neighbours.admitted().filter(isHeard).slice(0, MAX_LINKS).map(linkOf)),
      hear(told, { nodeId }) {
        const entry = neighbours.table.byNodeId(nodeId);
        // A newer node may tell something else here. Then all is passed on to it.
        if (entry !== undefined) entry.hears = new Set(isListOf(told, MAX_LINKS, isLink) ? told : []);
        return Promise.resolve();
      },
    },
    hearing(author) {
      const link = author.slice(0, DIGITS);
      const peers = new Set<string>();
      for (const entry of neighbours.table.all()) if (entry.hears.has(link)) peers.add(entry.peerId.toString());
      return peers;
    },
  };
}

/** Whether this node sends us its announcements. */
function isHeard({ connections }: Entry): boolean {
  return [...connections].some(({ streams }) =>
    streams.some(
      ({ protocol, direction, remoteWriteStatus }) =>
        direction === 'inbound' && remoteWriteStatus === 'writable' && protocol.startsWith('/meshsub/'),
    ),
  );
}

function linkOf({ nodeId }: Entry): string {
  return nodeId.slice(0, DIGITS);
}

function isLink(value: unknown): value is string {
  return typeof value === 'string' && LINK.test(value);
}
