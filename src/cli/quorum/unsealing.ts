import type { Client } from '../../client/client.ts';
import type { Collected } from '../../client/quorum/collect.ts';
import { Problem } from '../../base/problem.ts';
import type { Terminal } from '../kit/terminal.ts';
import type { Teller } from '../kit/waiting.ts';
import { collectedText } from './document-views.ts';
import { ongoing } from './ongoing.ts';
import { peopleOf, type People } from './people.ts';

/** How the work speaks to the person. */
export interface Voice {
  readonly terminal: Terminal;
  readonly say: (text: string) => void;
}

export interface WaitingVoice extends Voice {
  readonly wait: <T>(text: string, work: (teller: Teller) => Promise<T>) => Promise<T>;
}

/** Opens a document with the shares of its holders, in the session of an earlier command if there is one. @returns the content */
export async function unsealing(
  client: Client,
  { terminal, say, wait }: WaitingVoice,
  { documentId, reason }: { readonly documentId: string; readonly reason: string },
): Promise<Uint8Array> {
  const { finishUnseal, openSession } = await import('../../client/quorum/unseal.ts');
  const tickets = await ongoing(client, terminal);
  const people = await peopleOf(client);
  const kept = await tickets.find(documentId, false);
  const ticket = kept ?? (await openSession(client, { documentId, reason })).ticket;
  if (kept === undefined) await tickets.keep(ticket);
  const { sessionId } = ticket;
  say(`${kept === undefined ? 'Opened' : 'Continued'} the session ${sessionId}.`);
  say(`Holders contribute with: conclave quorum contribute ${sessionId.slice(0, 12)}`);
  const content = await wait(
    'Waiting for shares',
    async (teller) => await finishUnseal(client, ticket, { onLook: telling(people, teller, say) }),
  ).catch(async (error: unknown) => {
    // A session that has ended is not continued.
    if (error instanceof Problem && error.code === 'UNSEAL_SESSION_ENDED') await tickets.drop(ticket);
    throw error;
  });
  await tickets.drop(ticket);
  return content;
}

/** Shows who has contributed: as a bar on a terminal, and each new contribution as a line anywhere. */
export function telling(people: People, teller: Teller, say: (text: string) => void) {
  const known = new Set<string>();
  return ({ session, usable, unusable }: Collected): void => {
    const { sharesRequired: total } = session;
    for (const memberId of usable.filter((id) => !known.has(id))) say(`${people.nameOf(memberId)} has contributed.`);
    for (const { memberId, why } of unusable.filter((one) => !known.has(one.memberId)))
      say(`The contribution of ${people.nameOf(memberId)} cannot be used: it ${why}.`);
    for (const memberId of [...usable, ...unusable.map((one) => one.memberId)]) known.add(memberId);
    teller.report({ what: collectedText(session, usable, people), done: usable.length, total });
  };
}

/** Ends the session that an earlier command opened. @throws Problem missing NOT_FOUND */
export async function cancelUnsealing(client: Client, { terminal }: Voice, documentId: string): Promise<string> {
  const { endSession } = await import('../../client/quorum/unseal.ts');
  const tickets = await ongoing(client, terminal);
  const ticket = await tickets.find(documentId, false);
  if (ticket === undefined)
    throw new Problem('missing', 'NOT_FOUND', 'No session that was opened here for this document goes on.');
  await endSession(client, ticket, 'cancelled');
  await tickets.drop(ticket);
  return ticket.sessionId;
}
