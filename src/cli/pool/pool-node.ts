import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { pool } from '../../contract/pool.ts';
import type { PoolNode } from '../../contract/pool/shapes.ts';
import { Problem } from '../../base/problem.ts';
import { labelled } from '../kit/labelled.ts';
import { missingInput } from '../kit/missing-input.ts';
import { prompts } from '../kit/prompts.ts';
import { isInteractive, widthOf, type Terminal } from '../kit/terminal.ts';

type Fingerprint = NonNullable<PoolNode['fingerprint']>;

/** A node whose key is known, so that it can be compared. */
type KnownNode = PoolNode & { readonly fingerprint: Fingerprint };

/** An attacker can match a shorter part by trying keys. 8 words are 88 bits, and so are 22 hex digits. */
const LEAST_WORDS = 8;
const LEAST_DIGITS = 22;

/**
 * Finds the node whose id begins with a prefix.
 *
 * @throws Problem missing NODE_NOT_FOUND, conflict NODE_AMBIGUOUS with the candidates
 */
export async function findNode(client: Client, prefix: string): Promise<PoolNode> {
  return (await perform(client, pool.showNode, { nodeId: prefix })).node;
}

/** As `findNode`, for a node that waits for a decision. @throws Problem missing NODE_NOT_PENDING */
export async function findPending(client: Client, prefix: string): Promise<KnownNode> {
  const node = await findNode(client, prefix);
  const { fingerprint } = node;
  if (node.status === 'pending' && fingerprint !== undefined) return { ...node, fingerprint };
  throw new Problem(
    'missing',
    'NODE_NOT_PENDING',
    `Node ${node.nodeId} has no pending join request: it is ${node.status}.`,
  );
}

export function fingerprintLine({ words }: Fingerprint): string {
  return words.join(' ');
}

/** Hex digits in groups of four, which people read more easily. */
export function hexGroups(hex: string): string {
  return hex.match(/.{1,4}/g)?.join(' ') ?? '';
}

/**
 * Whether the given text is this fingerprint: its words, at least the first eight, or its hex, at least the first 22 digits.
 *
 * @throws Problem invalid FINGERPRINT_TOO_SHORT
 */
export function isFingerprint({ hex, words }: Fingerprint, told: string): boolean {
  const parts = told
    .trim()
    .toLowerCase()
    .split(/[\s,:.-]+/)
    .filter((part) => part !== '');
  const digits = parts.join('');
  if (/^[0-9a-f]+$/.test(digits)) {
    if (digits.length < LEAST_DIGITS) throw tooShort();
    return hex.startsWith(digits);
  }
  if (parts.length < LEAST_WORDS) throw tooShort();
  return parts.length <= words.length && parts.every((word, at) => word === words[at]);
}

/**
 * Confirms the identity of a node by the fingerprint that the caller gives, or by a question on the terminal.
 *
 * @throws Problem invalid FINGERPRINT_DIFFERS, INPUT_MISSING, NOT_CONFIRMED
 */
export async function compareFingerprint(terminal: Terminal, node: KnownNode, told: string | undefined): Promise<void> {
  if (told !== undefined) {
    if (isFingerprint(node.fingerprint, told)) return;
    throw new Problem(
      'invalid',
      'FINGERPRINT_DIFFERS',
      `The fingerprint of node ${node.nodeId} does not match: it is ${fingerprintLine(node.fingerprint)}. Nothing was changed.`,
    );
  }
  if (!isInteractive(terminal)) throw missingInput({ path: 'fingerprint', by: '--fingerprint' });
  const { words, hex } = node.fingerprint;
  const lines = [
    `Node     ${node.nodeId}`,
    ...(node.message === undefined || node.message === '' ? [] : [`Says     ${node.message}`]),
    ...(node.refusal === undefined ? [] : [`Refused  ${node.refusal.kind} ${node.refusal.at} by ${node.refusal.by}`]),
    `Words    ${words.join(' ')}`,
    `Hex      ${hexGroups(hex)}`,
    'Compare them with what conclave pool status shows on the other node, over a channel that you trust.',
  ];
  terminal.stderr.write(labelled(lines, widthOf(terminal.stderr)));
  if (await prompts(terminal).confirm('Do they match?')) return;
  throw new Problem('invalid', 'NOT_CONFIRMED', 'Nothing was changed.');
}

function tooShort(): Problem {
  return new Problem(
    'invalid',
    'FINGERPRINT_TOO_SHORT',
    `A fingerprint is compared by at least ${LEAST_WORDS} words or ${LEAST_DIGITS} hex digits.`,
  );
}
