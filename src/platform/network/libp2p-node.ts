import { noise } from '@chainsafe/libp2p-noise';
import { yamux } from '@chainsafe/libp2p-yamux';
import { privateKeyFromRaw } from '@libp2p/crypto/keys';
import type { GossipSubComponents } from '@libp2p/gossipsub';
import type { ComponentLogger, ConnectionGater, Libp2p, Logger, MessageStream } from '@libp2p/interface';
import { tcp } from '@libp2p/tcp';
import { webSockets } from '@libp2p/websockets';
import { createLibp2p } from 'libp2p';
import type { KeyPair } from '../../crypto/key-pair.ts';

export interface Libp2pNode {
  readonly libp2p: Libp2p;
  /** the components of libp2p that GossipSub needs */
  readonly components: GossipSubComponents;
}

export interface Libp2pOptions {
  readonly identity: KeyPair;
  readonly listen: readonly string[];
  readonly announce: readonly string[];
  readonly gater: ConnectionGater;
  readonly handshakeMs: number;
}

/**
 * Creates libp2p with only the parts that this network needs, without starting it. The identify protocol is left out: nodes know each
 * other's protocols, and the claims of a stranger about itself are never stored.
 */
export async function makeLibp2p({
  identity,
  listen,
  announce,
  gater,
  handshakeMs,
}: Libp2pOptions): Promise<Libp2pNode> {
  let components: GossipSubComponents | undefined;
  const libp2p = await createLibp2p({
    start: false,
    privateKey: privateKeyFromRaw(identity.privateKey),
    nodeInfo: { name: 'conclave', userAgent: 'conclave' },
    addresses: { listen: [...listen], announce: [...announce] },
    transports: [tcp({ dialOpts: { noDelay: true }, listenOpts: { noDelay: true } }), webSockets()],
    connectionEncrypters: [inWholeMessages(noise())],
    streamMuxers: [yamux({ maxInboundStreams: 128, maxOutboundStreams: 256, maxEarlyStreams: 64 })],
    connectionGater: gater,
    connectionManager: {
      // These limits are for all connections together. The separate limits for strangers are in gatekeeper.ts.
      maxConnections: 1024,
      maxIncomingPendingConnections: 256,
      inboundConnectionThreshold: 1024,
      inboundUpgradeTimeout: handshakeMs,
      maxParallelDials: 8,
      dialTimeout: handshakeMs,
      reconnectRetries: 0,
    },
    // The monitor is off: when the processor is busy, its pings are late and it closes good connections (four in ten in a burst).
    connectionMonitor: { enabled: false },
    logger: silent,
    services: {
      parts: (parts: GossipSubComponents) => {
        components = parts;
        return {};
      },
    },
  });
  if (components === undefined) throw new Error('libp2p did not make its components');
  return { libp2p, components };
}

/**
 * Noise hands each message to the socket in four parts (its length, the header of Yamux, the content, the tag), and each would be a packet
 * of its own, since nothing may wait for more. A copy costs less.
 */
function inWholeMessages(make: ReturnType<typeof noise>): ReturnType<typeof noise> {
  function join<T extends MessageStream>(connection: T): T {
    const send = connection.send.bind(connection);
    connection.send = (data) => send(data.subarray());
    return connection;
  }
  return (components) => {
    const encrypter = make(components);
    const inbound = encrypter.secureInbound.bind(encrypter);
    const outbound = encrypter.secureOutbound.bind(encrypter);
    encrypter.secureInbound = async (connection, options) => withoutThrowing(await inbound(join(connection), options));
    encrypter.secureOutbound = async (connection, options) =>
      withoutThrowing(await outbound(join(connection), options));
    return encrypter;
  };
}

/**
 * Noise asks for the length of the next message after each one, and makes an error with a stack when its two bytes aren't there yet: a tenth
 * of what a stream costs. Any length that isn't there either does as well. Where Noise has no such part, nothing changes.
 */
function withoutThrowing<T extends { readonly connection: MessageStream }>(secured: T): T {
  const { decoder } = secured.connection as { decoder?: { lengthDecoder?: (data: { length: number }) => number } };
  const decode = decoder?.lengthDecoder;
  if (decoder !== undefined && decode !== undefined)
    decoder.lengthDecoder = (data) => (data.length < 2 ? MAX_NOISE_MESSAGE : decode(data));
  return secured;
}

/** bytes, from the specification */
const MAX_NOISE_MESSAGE = 65_535;

const nothing: Logger = Object.assign(() => undefined, {
  error: () => undefined,
  trace: () => undefined,
  enabled: false,
  newScope: () => nothing,
});

/** A logger that drops the lines of libp2p, because strangers can write into them. Important events are logged and counted by this code. */
const silent: ComponentLogger = { forComponent: () => nothing };
