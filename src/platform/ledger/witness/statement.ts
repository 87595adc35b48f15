import type { NodeKeys } from '../../../config/node-keys.ts';
import { fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';
import { sha256 } from '../../../crypto/hash.ts';
import { nodeIdOf } from '../../../crypto/public-key.ts';
import { sign, verify } from '../../../crypto/signature.ts';

/**
 * A running node says who it is, signed by its identity. Each statement names one that another node heard before it, so two of them show,
 * without any clock, in which order they were made. If the later one is of another instance, and the earlier instance still runs, then two
 * processes have the same key.
 */
export interface Statement {
  /** drawn when the process started, hex */
  readonly instance: string;
  /** processes on the same store, hex, in order; this one is among them */
  readonly beside: readonly string[];
  /** hash of an earlier statement of this node that the listener had heard; empty if it had heard none */
  readonly after: string;
  readonly nonce: string;
  /** by the node's identity, hex */
  readonly signature: string;
}

const MOST_BESIDE = 16;

type Unsigned = Omit<Statement, 'signature'>;

function signedBytes(nodeId: string, { instance, beside, after, nonce }: Unsigned): Uint8Array {
  return utf8(`conclave/node-instance/v1\n${nodeId}\n${instance}\n${beside.join(' ')}\n${after}\n${nonce}\n`);
}

export function makeStatement({ identity, nodeId }: Pick<NodeKeys, 'identity' | 'nodeId'>, said: Unsigned): Statement {
  const statement = { ...said, beside: said.beside.slice(0, MOST_BESIDE) };
  return { ...statement, signature: toHex(sign(identity.privateKey, signedBytes(nodeId, statement))) };
}

/** Reads a statement that a node signed; undefined for anything else. */
export function statementBy(value: unknown, publicKey: string): Statement | undefined {
  const { instance, beside, after, nonce, signature } = (value ?? {}) as Record<keyof Statement, unknown>;
  if (!isHex(instance, 16) || !isHex(nonce, 16) || !isHex(signature, 64)) return undefined;
  if (after !== '' && !isHex(after, 32)) return undefined;
  if (!Array.isArray(beside) || beside.length > MOST_BESIDE || !beside.every((one) => isHex(one, 16))) return undefined;
  const statement = { instance, beside, after, nonce, signature };
  const key = fromHex(publicKey, 33);
  return verify(key, signedBytes(nodeIdOf(key), statement), fromHex(signature)) ? statement : undefined;
}

export function hashOf(publicKey: string, statement: Statement): string {
  return toHex(sha256(signedBytes(nodeIdOf(fromHex(publicKey, 33)), statement)));
}

/** Whether both are of one store: of one process, or of processes that know of each other. */
export function isOneStore(one: Statement, other: Statement): boolean {
  if (one.instance === other.instance) return true;
  return one.beside.includes(other.instance) || other.beside.includes(one.instance);
}

function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]+$/.test(value);
}
