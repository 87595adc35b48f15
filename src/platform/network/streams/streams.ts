import type { Connection, Libp2p } from '@libp2p/interface';
import { Problem } from '../../../base/problem.ts';
import type { ByteSource, FetchOptions, IncomingBytes, Peer } from '../../../service/ports/network.ts';
import { unreachable } from '../requests.ts';
import { fetchOver, type FetchParts } from './fetch-bytes.ts';
import { createOutlet, type Outlet } from './outlet.ts';
import { createPace } from './pace.ts';
import { answerStream, type SendParts } from './send-bytes.ts';
import { createSlots } from './slots.ts';
import { bytesProtocol } from './stream-head.ts';

/** Streams of bytes between admitted nodes. */
export interface ByteStreams {
  /** call it before the network starts */
  serve(libp2p: Libp2p, sources: ReadonlyMap<string, ByteSource>): Promise<void>;
  /** @throws Problem as `fetchBytes` of the port does */
  fetch(connection: Connection, protocol: string, question: unknown, options: FetchOptions): Promise<IncomingBytes>;
}

type Parts = Omit<SendParts & FetchParts, 'slots' | 'outlets'>;

export function createByteStreams(parts: Parts): ByteStreams {
  const { limits, peerOf } = parts;
  const fetched = createSlots(limits.streams);
  const sending: SendParts = { ...parts, slots: createSlots(limits.streams), outlets: openOutlets(parts) };

  async function admitted(connection: Connection): Promise<Peer> {
    const peer = await peerOf(connection);
    if (peer === undefined) throw unreachable(new Error('the connection is being closed'));
    if (!peer.admitted) throw new Problem('forbidden', 'NOT_ADMITTED', 'The node is not admitted.');
    return peer;
  }

  return {
    async serve(libp2p, sources) {
      for (const [protocol, source] of sources) {
        // libp2p resets what is above its limit without a word, so that is for those who don't listen to the refusal.
        const limit = { maxInboundStreams: limits.streams.ofPeer * 4, maxOutboundStreams: limits.streams.ofPeer * 4 };
        await libp2p.handle(
          bytesProtocol(protocol),
          async (stream, connection) => await answerStream(stream, connection, source, sending),
          limit,
        );
      }
    },
    async fetch(connection, protocol, question, options) {
      const peer = await admitted(connection);
      return await fetchOver(connection, { peer, protocol, question, options }, { ...parts, slots: fetched });
    },
  };
}

/** One outlet for each peer that something is sent to. Its speed is remembered a little longer, so that a new stream is no way around it. */
function openOutlets({ limits }: Parts): SendParts['outlets'] {
  const outlets = new Map<string, Outlet>();
  const pace = createPace(limits.streams.speed);
  return {
    of(nodeId) {
      const outlet = outlets.get(nodeId) ?? createOutlet((bytes) => pace.take(nodeId, bytes, performance.now()));
      outlets.set(nodeId, outlet);
      return outlet;
    },
    tidy() {
      for (const [nodeId, { empty }] of outlets) if (empty) outlets.delete(nodeId);
      pace.tidy(performance.now());
    },
  };
}
