import { generateKeyPair as generateLibp2pKey } from '@libp2p/crypto/keys';
import type { Connection, Libp2p, Stream } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import { noise } from '@chainsafe/libp2p-noise';
import { yamux } from '@chainsafe/libp2p-yamux';
import { tcp } from '@libp2p/tcp';
import { createLibp2p } from 'libp2p';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../src/crypto/public-key.ts';
import { makeLibp2p } from '../../src/platform/network/libp2p-node.ts';
import { defaultLimits } from '../../src/platform/network/limits.ts';
import { provideNewerGlobals } from '../../src/platform/network/newer-globals.ts';
import { createRouter, type Router } from '../../src/platform/network/router.ts';
import type { GossipNode } from './gossip-nodes.ts';

/** Somebody with libp2p and no manners: what it sends is up to the test. */
export interface Stranger extends AsyncDisposable {
  readonly nodeId: string;
  readonly libp2p: Libp2p;
  /** GossipSub without any checks */
  readonly router: Router;
  /** the envelopes that came by GossipSub */
  readonly came: Uint8Array[];
  dial(node: GossipNode): Promise<Connection>;
  /** a stream of one of the network's protocols */
  open(node: GossipNode, protocol: string): Promise<Stream>;
}

export async function stranger(): Promise<Stranger> {
  provideNewerGlobals();
  const identity = generateKeyPair();
  const { libp2p, components } = await makeLibp2p({
    identity,
    listen: [],
    announce: [],
    gater: {},
    handshakeMs: 60_000,
  });
  const came: Uint8Array[] = [];
  const router = createRouter(components, {
    limits: defaultLimits,
    isAdmitted: () => Promise.resolve(true),
    admit: () => true,
    settle: () => undefined,
    validate(_from, bytes) {
      came.push(bytes);
      return Promise.resolve('ignore');
    },
    hearing: () => new Set(),
    connections: () => libp2p.getConnections(),
    onRefusedStream: () => undefined,
    onDeferred: () => undefined,
    onSlow: () => undefined,
  });
  await router.start();
  await libp2p.start();
  const dial = async (node: GossipNode): Promise<Connection> => await libp2p.dial(multiaddr(node.address));
  return {
    nodeId: nodeIdOf(identity.publicKey),
    libp2p,
    router,
    came,
    dial,
    open: async (node, protocol) => await (await dial(node)).newStream(`/conclave/${protocol}/1`),
    async [Symbol.asyncDispose]() {
      await router.stop();
      await libp2p.stop();
    },
  };
}

/** A peer whose key is of another curve than nodes have. */
export async function foreigner(): Promise<Libp2p> {
  provideNewerGlobals();
  return await createLibp2p({
    privateKey: await generateLibp2pKey('Ed25519'),
    addresses: { listen: [] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionMonitor: { enabled: false },
  });
}
