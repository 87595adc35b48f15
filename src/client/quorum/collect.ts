import { setTimeout as sleep } from 'node:timers/promises';
import { quorumMembers, type QuorumMember } from '../../contract/quorum/members.ts';
import { quorumSessions, type UnsealSession } from '../../contract/quorum/sessions.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { keyPairOf, type KeyPair } from '../../crypto/key-pair.ts';
import { joinKey } from '../../crypto/formats/quorum/document.ts';
import { Problem } from '../../base/problem.ts';
import { perform, type Caller } from '../perform.ts';
import { judged, type Unusable } from './collected.ts';
import { ended, type SessionPlace } from './contribute.ts';

/** What continues a session in another process. The private key opens the contributions to this session, and nothing else. */
export interface SessionTicket extends SessionPlace {
  /** 64 hex digits */
  readonly privateKey: string;
}

/** How far a session is. */
export interface Collected {
  readonly session: UnsealSession;
  /** ids of members whose shares count */
  readonly usable: readonly string[];
  readonly unusable: readonly Unusable[];
}

export interface CollectOptions {
  readonly signal?: AbortSignal | undefined;
  /** called after each look at the session */
  readonly onLook?: ((so: Collected) => void) | undefined;
  /** waits before the next look, for whoever hears of events; 2 seconds by default */
  readonly pause?: ((signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

const PAUSE_MS = 2_000;

function keysOfTicket({ privateKey }: SessionTicket): KeyPair {
  return keyPairOf(fromHex(privateKey));
}

/**
 * Waits until enough holders have contributed, and joins the key of the document. The caller overwrites the key after use.
 *
 * @returns the key, 32 bytes, and the session with what opens the content
 * @throws Problem conflict UNSEAL_SESSION_ENDED; invalid INSUFFICIENT_SHARES when damaged contributions or removals from the quorum leave
 *   too few holders; the reason of the signal
 */
export async function collectKey(
  caller: Caller,
  ticket: SessionTicket,
  { signal, onLook, pause = shortly }: CollectOptions = {},
): Promise<{ readonly key: Uint8Array; readonly session: UnsealSession }> {
  const { documentId, sessionId } = ticket;
  const keys = keysOfTicket(ticket);
  for (;;) {
    signal?.throwIfAborted();
    const { session } = await perform(caller, quorumSessions.showSession, { documentId, sessionId }, signal);
    if (session.status !== 'open' || session.sealing === undefined) throw ended(session);
    const { shares, unusable } = judged(session, keys);
    try {
      onLook?.({ session, usable: [...shares.keys()], unusable });
      if (shares.size >= session.sharesRequired)
        return { key: await joinKey([...shares.values()].slice(0, session.sharesRequired)), session };
      if (shares.size + session.waitingFor.length < session.sharesRequired)
        throw tooFew(session, unusable, await removedFrom(caller, session));
    } finally {
      for (const share of shares.values()) share.fill(0);
    }
    await pause(signal);
  }
}

async function shortly(signal: AbortSignal | undefined): Promise<void> {
  // The caller looks at the signal next, and throws its reason.
  await sleep(PAUSE_MS, undefined, signal && { signal }).catch(() => undefined);
}

interface Removed {
  readonly id: string;
  readonly name: string;
}

/** The holders who are not members any more. Their contributions were withdrawn. */
async function removedFrom(caller: Caller, session: UnsealSession): Promise<Removed[]> {
  const present = new Set([...session.waitingFor, ...session.contributions.map(({ memberId }) => memberId)]);
  const removed: Removed[] = [];
  for (const { memberId: id } of session.sealing?.holders ?? []) {
    if (present.has(id)) continue;
    const member = await formerMember(caller, id);
    if (member?.isActive === false) removed.push({ id, name: member.metadata.name });
  }
  return removed;
}

/** @returns undefined if the caller may not know who was removed */
async function formerMember(caller: Caller, memberId: string): Promise<QuorumMember | undefined> {
  try {
    return (await perform(caller, quorumMembers.showMember, { memberId })).member;
  } catch (error) {
    if (error instanceof Problem && error.code === 'MEMBER_NOT_FOUND') return undefined;
    throw error;
  }
}

function tooFew(
  { sharesRequired }: UnsealSession,
  unusable: readonly Unusable[],
  removed: readonly Removed[],
): Problem {
  const whose = unusable.map(({ memberId, why }) => `that of ${memberId} ${why}`).join('; ');
  const who = removed.map(({ id, name }) => `${name} (${id})`).join(', ');
  const sentences = [
    ...(unusable.length === 0 ? [] : [`Contributions cannot be used: ${whose}.`]),
    ...(removed.length === 0 ? [] : [`Removed from the quorum: ${who}.`]),
    `Too few holders are left for the ${sharesRequired} shares that are needed.`,
    ...(removed.length === 0 ? [] : ['The share of a removed member counts again when the same key is added.']),
  ];
  return new Problem('invalid', 'INSUFFICIENT_SHARES', sentences.join(' '), {
    fields: [
      ...unusable.map(({ memberId, why }) => ({ path: memberId, message: why })),
      ...removed.map(({ id }) => ({ path: id, message: 'was removed from the quorum' })),
    ],
  });
}
