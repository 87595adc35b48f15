import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import type { KeptTicket } from '../../client/quorum/tickets.ts';
import type { ReshareTicket } from '../../client/quorum/reshare.ts';
import { quorumReshares, type Reshare } from '../../contract/quorum/reshares.ts';
import { Problem } from '../../base/problem.ts';
import { ongoing, type Ongoing } from './ongoing.ts';
import type { People } from './people.ts';
import { confirmedText } from './reshare-views.ts';
import { telling, type WaitingVoice } from './unsealing.ts';

export interface Wanted {
  readonly documentId: string;
  readonly memberIds: string[] | undefined;
  readonly sharesRequired: number | undefined;
  readonly rekey: boolean;
  readonly reason: string;
}

/** Shares a document anew, or goes on with what an earlier command began. @returns the re-sharing at its end */
export async function resharing(
  client: Client,
  { terminal, say, wait }: WaitingVoice,
  people: People,
  wanted: Wanted,
): Promise<Reshare> {
  const { awaitReshare, dealShares } = await import('../../client/quorum/reshare.ts');
  const tickets = await ongoing(client, terminal);
  const ticket = (await keptTicket(client, tickets, wanted, say)) ?? (await begun(client, tickets, wanted, say));
  try {
    await wait(
      'Waiting for the old shares',
      async (teller) => await dealShares(client, ticket, { onLook: telling(people, teller, say) }),
    );
    say(`New holders confirm with: conclave quorum confirm ${ticket.reshareId.slice(0, 12)}`);
    const onConfirmations = (reshare: Reshare, report: (text: string) => void): void =>
      report(confirmedText(reshare, people));
    const done = await wait('Waiting for confirmations', async ({ report }) =>
      awaitReshare(client, ticket, {
        onConfirmations: (reshare) =>
          onConfirmations(reshare, (what) =>
            report({ what, done: reshare.confirmedBy.length, total: reshare.sharesRequired }),
          ),
      }),
    );
    await tickets.drop(ticket);
    return done;
  } catch (error) {
    // What has ended is not continued.
    if (error instanceof Problem && ['RESHARE_ENDED', 'UNSEAL_SESSION_ENDED'].includes(error.code))
      await tickets.drop(ticket);
    throw error;
  }
}

async function keptTicket(
  client: Client,
  tickets: Ongoing,
  { documentId }: Wanted,
  say: (text: string) => void,
): Promise<ReshareTicket | undefined> {
  const kept = await tickets.find(documentId, true);
  if (kept === undefined || !isOfReshare(kept)) return undefined;
  const { reshare } = await perform(client, quorumReshares.showReshare, { documentId, reshareId: kept.reshareId });
  if (reshare.status !== 'collecting' && reshare.status !== 'confirming') {
    await tickets.drop(kept);
    return undefined;
  }
  say(`Continued the re-sharing ${kept.reshareId}, as it was begun.`);
  return kept;
}

function isOfReshare(ticket: KeptTicket): ticket is KeptTicket & ReshareTicket {
  return ticket.reshareId !== undefined && ticket.memberIds !== undefined;
}

async function begun(
  client: Client,
  tickets: Ongoing,
  { rekey, reason, ...wanted }: Wanted,
  say: (text: string) => void,
): Promise<ReshareTicket> {
  const { beginReshare } = await import('../../client/quorum/reshare.ts');
  const { ticket } = await beginReshare(client, { ...wanted, rekey, reason });
  await tickets.keep(ticket);
  say(`Began the re-sharing ${ticket.reshareId}.`);
  say(`Holders contribute with: conclave quorum contribute ${ticket.sessionId.slice(0, 12)}`);
  return ticket;
}

/** The re-sharing of a document that goes on. @throws Problem missing RESHARE_NOT_FOUND */
export async function resharingNow(
  client: Client,
  _voice: WaitingVoice,
  _people: People,
  { documentId }: Wanted,
): Promise<Reshare> {
  const { items } = await collectPages(client, quorumReshares.listReshares, {}, 'reshares');
  const found = items.find((reshare) => reshare.documentId === documentId);
  if (found === undefined)
    throw new Problem(
      'missing',
      'RESHARE_NOT_FOUND',
      'No re-sharing of this document waits for you or was begun by you.',
    );
  return found;
}

export async function cancelResharing(
  client: Client,
  voice: WaitingVoice,
  people: People,
  wanted: Wanted,
): Promise<Reshare> {
  const { documentId, id: reshareId } = await resharingNow(client, voice, people, wanted);
  const { reshare } = await perform(client, quorumReshares.cancelReshare, { documentId, reshareId });
  const tickets = await ongoing(client, voice.terminal);
  const kept = await tickets.find(documentId, true);
  if (kept !== undefined) await tickets.drop(kept);
  return reshare;
}
