import type { Log } from '../../base/log.ts';
import { addressesFor } from '../../crypto/multiaddr.ts';
import type { Admission } from './admission.ts';
import type { AddressBook } from './address-book.ts';
import { closeUnlessAdmitted, type Dial } from './dials.ts';
import { identityOf } from './gatekeeper.ts';
import type { NetworkLimits } from './limits.ts';
import { nodeIdOfAddress } from '../../crypto/peer-id.ts';

/** Keeps this node connected with the configured nodes and with the admitted nodes. */
export interface Dialer {
  start(): void;
  stop(): Promise<void>;
  /** call it when a node was lost, or when there are new nodes or addresses to connect to */
  lookAgain(): void;
}

export interface DialerOptions {
  readonly dial: Dial;
  readonly limits: NetworkLimits;
  readonly log: Log;
  readonly random: (size: number) => Uint8Array;
  readonly ownNodeId: string;
  readonly configured: readonly string[];
  readonly admission: Admission;
  readonly book: AddressBook;
  readonly isConnected: (nodeId: string) => boolean;
}

interface Attempts {
  failed: number;
  /** by performance.now() */
  nextAt: number;
  running: boolean;
}

interface Target {
  readonly key: string;
  readonly nodeId: string | undefined;
  readonly addresses: readonly string[];
}

export function createDialer(options: DialerOptions): Dialer {
  const { limits, log, admission, book } = options;
  const attempts = new Map<string, Attempts>();
  /** the node ids that the configured addresses contain; undefined for an address without one */
  const named = new Map(options.configured.map((address) => [address, nodeIdOfAddress(address)]));
  /** the node id that was found at a configured address */
  const found = new Map<string, string>();
  const dialing = new Set<Promise<void>>();
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  async function targets(): Promise<Target[]> {
    const configured = options.configured.map((address): Target => ({
      key: address,
      nodeId: named.get(address) ?? found.get(address),
      addresses: [address],
    }));
    const away = (await admission.members()).filter(({ nodeId }) => !options.isConnected(nodeId));
    const members = away.map(({ nodeId, addresses }): Target => {
      const heard = addressesFor(nodeId, [...book.addressesOf(nodeId), ...addresses]);
      return { key: nodeId, nodeId, addresses: heard };
    });
    return [...configured, ...members].filter(
      ({ nodeId, addresses }) =>
        addresses.length > 0 && nodeId !== options.ownNodeId && (nodeId === undefined || !options.isConnected(nodeId)),
    );
  }

  async function look(): Promise<void> {
    const wanted = await targets();
    const keys = new Set(wanted.map(({ key }) => key));
    for (const key of attempts.keys()) if (!keys.has(key)) attempts.delete(key);
    for (const target of wanted) {
      const attempt = attempts.get(target.key) ?? firstAttempt(target);
      attempts.set(target.key, attempt);
      if (attempt.running || performance.now() < attempt.nextAt || over.signal.aborted) continue;
      attempt.running = true;
      const done = dial(target, attempt).finally(() => dialing.delete(done));
      dialing.add(done);
    }
  }

  /** When two nodes learn about each other at the same time, only one of them dials at once, because one connection is enough. */
  function firstAttempt({ nodeId }: Target): Attempts {
    const waits = nodeId !== undefined && nodeId < options.ownNodeId;
    return { failed: 0, nextAt: waits ? performance.now() + limits.retryMs.least : 0, running: false };
  }

  async function dial({ key, nodeId, addresses }: Target, attempt: Attempts): Promise<void> {
    try {
      const connection = await reach(addresses);
      const identity = identityOf(connection.remotePeer);
      // Any node may answer at a configured address; it may be another node than the last time.
      const anybody = named.has(key);
      if (identity === undefined || (!anybody && identity.nodeId !== nodeId)) {
        await closeUnlessAdmitted(connection, admission);
        throw new Error('another node answers at this address');
      }
      if (anybody) found.set(key, identity.nodeId);
      attempt.failed = 0;
    } catch (error) {
      attempt.failed += 1;
      if (!over.signal.aborted) log.debug('connecting to a node failed', { error, nodeId, failed: attempt.failed });
    } finally {
      attempt.running = false;
      attempt.nextAt = performance.now() + pause(attempt.failed);
    }
  }

  async function reach(addresses: readonly string[]) {
    let last: unknown;
    for (const address of addresses) {
      try {
        return await options.dial(address, over.signal);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  /** The pause doubles. It is a random 50 % to 100 % of that, so that nodes that lost each other don't all dial at the same time. */
  function pause(failed: number): number {
    const { least, most } = limits.retryMs;
    const full = Math.min(most, least * 2 ** Math.min(failed, 20));
    const [high = 0, low = 0] = options.random(2);
    return full * (0.5 + (high * 256 + low) / 131_072);
  }

  function lookAgain(): void {
    looking ??= look()
      .catch((error: unknown) => log.error('finding nodes to connect to failed', { error }))
      .finally(() => (looking = undefined));
  }

  return {
    start() {
      timer = setInterval(lookAgain, Math.min(1_000, limits.retryMs.least));
      lookAgain();
    },
    async stop() {
      clearInterval(timer);
      over.abort(new Error('the network stops'));
      await looking;
      await Promise.all(dialing);
    },
    lookAgain,
  };
}
