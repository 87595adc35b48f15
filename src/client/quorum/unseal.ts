import { quorumLimits } from '../../contract/quorum/limits.ts';
import { quorumSessions, type UnsealSession } from '../../contract/quorum/sessions.ts';
import { toHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { generateKeyPair } from '../../crypto/key-pair.ts';
import { openDocument } from '../../crypto/formats/quorum/document.ts';
import { Problem } from '../../base/problem.ts';
import { downloadTo } from '../bodies.ts';
import { perform, type Caller } from '../perform.ts';
import { collectKey, type CollectOptions, type SessionTicket } from './collect.ts';
import type { SessionPlace } from './contribute.ts';

/**
 * Asks the holders of a document for their shares, encrypted to a new key of this client.
 * @returns what continues the session; keep it where others can't read it until the session has ended
 * @throws Problem missing DOCUMENT_NOT_FOUND; forbidden PROPOSAL_REQUIRED; conflict UNSEAL_SESSIONS_FULL
 */
export async function openSession(
  caller: Caller,
  { documentId, reason }: { readonly documentId: string; readonly reason: string },
  signal?: AbortSignal,
): Promise<{ readonly ticket: SessionTicket; readonly session: UnsealSession }> {
  const { privateKey, publicKey } = generateKeyPair();
  const ephemeralPublicKey = toHex(publicKey);
  const input = { documentId, reason, ephemeralPublicKey };
  const { session } = await perform(caller, quorumSessions.openSession, input, signal);
  return { ticket: { documentId, sessionId: session.id, privateKey: toHex(privateKey) }, session };
}

/**
 * Waits for the shares of a session, opens the document here, and ends the session. The server gets neither shares nor key.
 *
 * @returns the content as it was sealed
 * @throws Problem as `collectKey` does; internal DOCUMENT_DAMAGED when the shares are right and the content doesn't open
 */
export async function finishUnseal(
  caller: Caller,
  ticket: SessionTicket,
  options: CollectOptions = {},
): Promise<Uint8Array> {
  const { key, session } = await collectKey(caller, ticket, options);
  try {
    const content = await openContent(caller, { key, session, signal: options.signal });
    await endSession(caller, ticket, 'completed');
    return content;
  } finally {
    key.fill(0);
  }
}

/** Gets the sealed content of a session's document and opens it. @throws Problem internal DOCUMENT_DAMAGED */
export async function openContent(
  caller: Caller,
  given: { readonly key: Uint8Array; readonly session: UnsealSession; readonly signal?: AbortSignal | undefined },
): Promise<Uint8Array> {
  const { key, session, signal } = given;
  const header = session.sealing?.header ?? '';
  const sealed = await sealedContent(caller, session.documentId, signal);
  try {
    // The header is authenticated with the content, so that another document can't take the place of this one.
    if ((JSON.parse(header) as { documentId?: unknown } | null)?.documentId !== session.documentId) throw damaged();
    return openDocument(key, header, sealed);
  } catch (error) {
    if (error instanceof CryptoError || error instanceof SyntaxError) throw damaged();
    throw error;
  }
}

async function sealedContent(caller: Caller, documentId: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const sink = {
    write: async (bytes: Uint8Array) => {
      size += bytes.length;
      // Twice what a document may have is no document.
      if (size > 2 * quorumLimits.documentBytes) throw damaged();
      pieces.push(bytes);
    },
    restart: async () => {
      pieces = [];
      size = 0;
    },
  };
  await downloadTo(caller, quorumSessions.showContent, { documentId }, sink, { signal });
  return new Uint8Array(Buffer.concat(pieces));
}

/** Ends a session of the caller's. One that has ended stays as it is. */
export async function endSession(
  caller: Caller,
  { documentId, sessionId }: SessionPlace,
  outcome: 'completed' | 'cancelled',
): Promise<void> {
  try {
    await perform(caller, quorumSessions.endSession, { documentId, sessionId, outcome });
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'UNSEAL_SESSION_ENDED')) throw error;
  }
}

function damaged(): Problem {
  return new Problem('internal', 'DOCUMENT_DAMAGED', 'The sealed document on the server is damaged or was changed.');
}
