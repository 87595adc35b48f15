import { setTimeout as sleep } from 'node:timers/promises';
import { quorumReshares, type Reshare } from '../../contract/quorum/reshares.ts';
import type { UnsealSession } from '../../contract/quorum/sessions.ts';
import { systemRandom, toHex } from '../../crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../crypto/key-pair.ts';
import { DOCUMENT_KEY_LENGTH, sealDocument } from '../../crypto/formats/quorum/document.ts';
import { confirmationStatement } from '../../crypto/formats/quorum/statements.ts';
import { sign } from '../../crypto/signature.ts';
import { Problem } from '../../base/problem.ts';
import { upload } from '../bodies.ts';
import { perform, type Caller } from '../perform.ts';
import { collectKey, type CollectOptions, type SessionTicket } from './collect.ts';
import { ownShare } from './contribute.ts';
import { assertHeader, dealtShares } from './deal.ts';
import { openContent } from './unseal.ts';

/** Where a re-sharing is. */
export interface ResharePlace {
  readonly documentId: string;
  readonly reshareId: string;
}

/** What continues a re-sharing in another process. */
export interface ReshareTicket extends SessionTicket, ResharePlace {
  /** the new holders, sorted: the server can't put others in their place */
  readonly memberIds: readonly string[];
}

export interface ReshareOptions extends Omit<CollectOptions, 'onLook'> {
  readonly onLook?: CollectOptions['onLook'];
  /** called after each look at the confirmations */
  readonly onConfirmations?: ((reshare: Reshare) => void) | undefined;
}

const PAUSE_MS = 2_000;

/**
 * Begins to share a document anew. With `rekey` it gets a new key and a new ciphertext as well.
 *
 * @returns what continues it; keep it where others can't read it until the re-sharing has ended
 * @throws Problem forbidden PROPOSAL_REQUIRED; conflict RESHARE_IN_PROGRESS; invalid INVALID_MEMBER_COUNT, INVALID_THRESHOLD
 */
export async function beginReshare(
  caller: Caller,
  wanted: {
    readonly documentId: string;
    readonly reason: string;
    readonly memberIds?: string[] | undefined;
    readonly sharesRequired?: number | undefined;
    readonly rekey?: boolean;
  },
  signal?: AbortSignal,
): Promise<{ readonly ticket: ReshareTicket; readonly reshare: Reshare }> {
  const { privateKey, publicKey } = generateKeyPair();
  const input = { ...wanted, ephemeralPublicKey: toHex(publicKey) };
  const { reshare } = await perform(caller, quorumReshares.beginReshare, input, signal);
  const memberIds = reshare.holders.map(({ memberId }) => memberId).toSorted();
  const { documentId, id: reshareId, sessionId } = reshare;
  if (wanted.memberIds !== undefined && memberIds.join() !== wanted.memberIds.toSorted().join())
    throw new Problem('network', 'BAD_REPLY', 'The server named other holders than those that you chose.');
  return { ticket: { documentId, reshareId, sessionId, memberIds, privateKey: toHex(privateKey) }, reshare };
}

/**
 * Waits for the old shares, joins the key, opens the document with it, and splits the key, or a new one, for the new holders. Nothing is
 * uploaded before the new shares were joined to the same key here. It may be called again after it was interrupted.
 *
 * @throws Problem as `collectKey` does; conflict RESHARE_ENDED
 */
export async function dealShares(
  caller: Caller,
  ticket: ReshareTicket,
  options: ReshareOptions = {},
): Promise<Reshare> {
  const { documentId, reshareId, memberIds } = ticket;
  const { signal } = options;
  const { reshare } = await perform(caller, quorumReshares.showReshare, { documentId, reshareId }, signal);
  if (reshare.status === 'confirming' || reshare.status === 'done') return reshare;
  if (reshare.status !== 'collecting') throw over(reshare);
  const { key, session } = await collectKey(caller, ticket, options);
  let dealt: Uint8Array | undefined;
  try {
    // A key that doesn't open the document must never take the place of one that does.
    const content = await openContent(caller, { key, session, signal });
    dealt = reshare.rekey ? await storeRekeyed(caller, { reshare, session, content, signal }) : key;
    const shares = await dealtShares(dealt, reshare, memberIds);
    const input = { documentId, reshareId, shares };
    return (await perform(caller, quorumReshares.putReshareShares, input, signal)).reshare;
  } finally {
    key.fill(0);
    dealt?.fill(0);
  }
}

interface Rekeying {
  readonly reshare: Reshare;
  readonly session: UnsealSession;
  readonly content: Uint8Array;
  readonly signal: AbortSignal | undefined;
}

/** Seals the content under a new key and stores it. @returns the new key */
async function storeRekeyed(caller: Caller, { reshare, session, content, signal }: Rekeying): Promise<Uint8Array> {
  const { documentId, id: reshareId } = reshare;
  const header = assertHeader(reshare, session);
  const key = systemRandom(DOCUMENT_KEY_LENGTH);
  const sealed = sealDocument(key, header, content);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield sealed;
  }
  const body = { type: 'application/octet-stream', size: sealed.length, pieces };
  await upload(caller, quorumReshares.putReshareContent, { documentId, reshareId }, body, { signal });
  return key;
}

/**
 * Waits until the new holders have confirmed.
 * @throws Problem conflict RESHARE_ENDED when it ended otherwise; the reason of the signal
 */
export async function awaitReshare(
  caller: Caller,
  { documentId, reshareId }: ResharePlace,
  { signal, onConfirmations, pause = shortly }: ReshareOptions = {},
): Promise<Reshare> {
  for (;;) {
    signal?.throwIfAborted();
    const { reshare } = await perform(caller, quorumReshares.showReshare, { documentId, reshareId }, signal);
    onConfirmations?.(reshare);
    if (reshare.status === 'done') return reshare;
    if (reshare.status === 'cancelled' || reshare.status === 'expired') throw over(reshare);
    await pause(signal);
  }
}

/**
 * A new holder opens the new share, compares it with what was committed to, and says so.
 *
 * @param keys of the member of the quorum
 * @throws Problem invalid SHARE_DECRYPTION_FAILED if the phrase is another member's or the share is damaged; conflict RESHARE_ENDED
 */
export async function confirmNewShare(
  caller: Caller,
  { documentId, reshareId }: ResharePlace,
  keys: KeyPair,
  signal?: AbortSignal,
): Promise<Reshare> {
  const { share } = await perform(caller, quorumReshares.showMyNewShare, { documentId, reshareId }, signal);
  ownShare(keys, { ...share, documentId }).fill(0);
  const { generation, memberId, commitment } = share;
  const statement = confirmationStatement({ reshareId, documentId, generation, memberId, commitment });
  const input = { documentId, reshareId, signature: toHex(sign(keys.privateKey, statement)) };
  return (await perform(caller, quorumReshares.confirmReshare, input, signal)).reshare;
}

function over({ status, reason }: Reshare): Problem {
  const message = `The re-sharing ${status === 'expired' ? 'has expired' : 'was cancelled'}.`;
  return new Problem('conflict', 'RESHARE_ENDED', reason === undefined ? message : `${message} ${reason}`);
}

async function shortly(signal: AbortSignal | undefined): Promise<void> {
  await sleep(PAUSE_MS, undefined, signal && { signal }).catch(() => undefined);
}
