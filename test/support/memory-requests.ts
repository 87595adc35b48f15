import type {
  AdmissionPolicy,
  ByteSource,
  FetchOptions,
  IncomingBytes,
  Peer,
  PeerTarget,
  Responder,
} from '../../src/service/ports/network.ts';
import { Problem } from '../../src/base/problem.ts';
import { memoryStream } from './memory-stream.ts';

const MAX_QUESTION = 1_048_576;

/** Of a node, what others need to ask it. */
interface Asked {
  readonly nodeId: string;
  readonly address: string;
  /** undefined: it is not on */
  readonly admission: AdmissionPolicy | undefined;
  readonly responders: ReadonlyMap<string, Responder>;
  readonly sources: ReadonlyMap<string, ByteSource>;
}

/** What requests need to know of the network. */
interface Ways<Member extends Asked> {
  readonly all: () => Iterable<Member>;
  isCut(one: Member, other: Member): boolean;
  admits(member: Member, other: Member): Promise<boolean>;
  peerOf(member: Member, admitted: boolean): Peer;
  /** an error that no node may make */
  failed(error: unknown): void;
}

/** Requests and streams between the nodes of a network in memory. */
export interface MemoryRequests<Member> {
  /** @throws Problem PEER_UNREACHABLE */
  target(asking: Member, peer: PeerTarget): Member;
  ask(asking: Member, peer: PeerTarget, protocol: string, payload: unknown, signal?: AbortSignal): Promise<unknown>;
  fetch(
    asking: Member,
    nodeId: string,
    protocol: string,
    question: unknown,
    options: FetchOptions,
  ): Promise<IncomingBytes>;
}

export function memoryRequests<Member extends Asked>({
  all,
  isCut,
  admits,
  peerOf,
  failed,
}: Ways<Member>): MemoryRequests<Member> {
  /** Of two nodes with one key, the one that runs. */
  function byNodeId(wanted: string): Member | undefined {
    const found = [...all()].filter(({ nodeId }) => nodeId === wanted);
    return found.find(({ admission }) => admission !== undefined) ?? found[0];
  }

  function target(asking: Member, peer: PeerTarget): Member {
    const found =
      'nodeId' in peer
        ? byNodeId(peer.nodeId)
        : [...all()].find(({ address }) => address === peer.address || plainAddress(address) === peer.address);
    // libp2p dials no node from itself. Whose an address is, it learns when it is connected.
    const itself = 'nodeId' in peer && found === asking;
    if (itself || found?.admission === undefined || asking.admission === undefined || isCut(asking, found))
      throw new Problem('unavailable', 'PEER_UNREACHABLE', 'The node cannot be reached.');
    return found;
  }

  async function ask(
    asking: Member,
    peer: PeerTarget,
    protocol: string,
    payload: unknown,
    signal = new AbortController().signal,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const asked = target(asking, peer);
    const responder = asked.responders.get(protocol);
    if (responder === undefined) throw refused('The node does not support this protocol.');
    const admitted = await admits(asked, asking);
    if (!admitted && !responder.strangers) throw refused('This node is not admitted.');
    const text = JSON.stringify(payload);
    if (Buffer.byteLength(text) > (responder.maxBytes ?? MAX_QUESTION)) throw refused('The request is too large.');
    let answer: unknown;
    try {
      const cancelled = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
      answer = await Promise.race([responder.answer(JSON.parse(text), peerOf(asking, admitted), signal), cancelled]);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Problem) throw refused(error.message, error);
      failed(error);
      throw refused('The node could not answer the request.');
    }
    if (isCut(asking, asked)) throw new Problem('unavailable', 'PEER_UNREACHABLE', 'The connection was lost.');
    return JSON.parse(JSON.stringify(answer ?? null));
  }

  async function fetch(asking: Member, nodeId: string, protocol: string, question: unknown, options: FetchOptions) {
    const asked = target(asking, { nodeId });
    const source = asked.sources.get(protocol);
    if (source === undefined) throw refused('The node does not support this protocol.');
    if (!(await admits(asked, asking))) throw refused('This node is not admitted.');
    const content = await source
      .answer(JSON.parse(JSON.stringify(question)), peerOf(asking, true))
      .catch((error: unknown) => {
        throw error instanceof Problem ? refused(error.message, error) : error;
      });
    return memoryStream(content, options, () => isCut(asking, asked));
  }

  return { target, ask, fetch };
}

const plainAddress = (address: string): string => address.replace(/\/p2p\/[^/]+$/, '');

function refused(message: string, cause?: Problem): Problem {
  return new Problem('invalid', 'PEER_REFUSED', message, { cause });
}
