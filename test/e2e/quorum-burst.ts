import { contribute } from '../../src/client/quorum/contribute.ts';
import { beginReshare, confirmNewShare, dealShares, type ReshareTicket } from '../../src/client/quorum/reshare.ts';
import { finishUnseal, openSession } from '../../src/client/quorum/unseal.ts';
import type { SessionTicket } from '../../src/client/quorum/collect.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import { callerOf } from '../services/quorum/callers.ts';
import type { Person } from '../services/quorum/scene.ts';
import { Killed, Refused, type QuorumServer } from './quorum-server.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** What clients were told, which a server that was killed must know afterwards. */
export interface Told {
  /** document to content */
  readonly sealed: Map<string, string>;
  /** contents that were sent, whether or not anybody heard of it */
  readonly sent: Set<string>;
  /** proposal to the votes and the status that were answered */
  readonly proposals: Map<string, { readonly voters: Set<string>; isExecuted: boolean }>;
  /** session to the contributors */
  readonly sessions: Map<string, { readonly ticket: SessionTicket; readonly givers: Set<string>; isDone: boolean }>;
  /** the re-sharing that goes on, how far it was, and who had confirmed */
  reshare: { readonly ticket: ReshareTicket; isDealt: boolean; readonly confirmed: Set<string> } | undefined;
  reshared: number;
}

export interface Parties {
  readonly administrator: HouseMember;
  readonly people: readonly Person[];
  /** for which sessions are opened */
  readonly read: string;
  /** that is shared anew */
  readonly moved: string;
}

export const nothingTold = (): Told => ({
  sealed: new Map(),
  sent: new Set(),
  proposals: new Map(),
  sessions: new Map(),
  reshare: undefined,
  reshared: 0,
});

/** Seals a document for the first three members. */
export async function seal(
  server: QuorumServer,
  { administrator, people }: Omit<Parties, 'read' | 'moved'>,
  told: Told,
) {
  const content = `document ${told.sent.size}`;
  told.sent.add(content);
  const memberIds = people.slice(0, 3).map(({ id }) => id);
  const body = { document: content, memberIds, sharesRequired: 2 };
  const { documentId } = await server.ask('POST', '/documents/seal', administrator.token, body);
  told.sealed.set(documentId, content);
  return documentId as string;
}

/** Proposes a further member; three vote at once, and two decide. */
async function govern(server: QuorumServer, { people }: Parties, told: Told): Promise<void> {
  const [ann, ...voters] = people as readonly [Person, ...Person[]];
  const publicKey = toHex(generateKeyPair().publicKey);
  const { proposal } = await server.ask('POST', '/proposals', ann.token, {
    description: 'One more',
    actionType: 'ADD_MEMBER',
    actionPayload: { name: `Member ${publicKey.slice(0, 8)}`, publicKey },
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const known = { voters: new Set<string>(), isExecuted: false };
  told.proposals.set(proposal.id, known);
  const vote = async ({ id, token }: Person): Promise<void> => {
    const answer: Json = await server
      .ask('POST', `/proposals/${proposal.id}/votes`, token, { decision: 'approve' })
      .catch((error: unknown) => {
        // The other two have decided.
        if (!(error instanceof Refused && error.message === '409 PROPOSAL_DECIDED')) throw error;
      });
    if (answer === undefined) return;
    known.voters.add(id);
    if (answer.proposal.status === 'executed') known.isExecuted = true;
  };
  await Promise.all(voters.map(vote));
}

/** Collects shares; every other session opens its document and ends. */
async function collect(server: QuorumServer, { people, read }: Parties, told: Told): Promise<void> {
  const [ann, bob, cyd] = people as readonly [Person, Person, Person];
  const caller = callerOf(server.fetch, ann);
  const { ticket } = await openSession(caller, { documentId: read, reason: 'Look' });
  const known = { ticket, givers: new Set<string>(), isDone: false };
  told.sessions.set(ticket.sessionId, known);
  const isLeft = [...told.sessions.values()].filter(({ isDone }) => !isDone).length < 3;
  for (const person of isLeft ? [bob] : [bob, cyd]) {
    await contribute(callerOf(server.fetch, person), ticket, person.keys);
    known.givers.add(person.id);
  }
  if (isLeft) return;
  await finishUnseal(caller, ticket);
  known.isDone = true;
}

/** Finishes the sessions that a killed server left, with the tickets from before, and ends those whose beginning nobody heard of. */
export async function finishSessions(server: QuorumServer, { people }: Parties, told: Told): Promise<Uint8Array[]> {
  const [ann] = people as readonly [Person];
  const contents: Uint8Array[] = [];
  const { sessions }: Json = await server.ask('GET', '/unseal-sessions?which=mine&limit=100', ann.token);
  for (const session of sessions.filter((one: Json) => one.status === 'open' && one.purpose === 'unseal')) {
    const known = told.sessions.get(session.id);
    if (known === undefined) {
      await server.ask('DELETE', `/documents/${session.documentId}/unseal-sessions/${session.id}`, ann.token, {});
      continue;
    }
    for (const person of people.filter(({ id }) => session.waitingFor.includes(id)))
      await contribute(callerOf(server.fetch, person), known.ticket, person.keys);
    contents.push(await finishUnseal(callerOf(server.fetch, ann), known.ticket));
    known.isDone = true;
  }
  return contents;
}

/** Goes on with the re-sharing where it is, up to its end. */
export async function reshare(server: QuorumServer, { people, moved }: Parties, told: Told): Promise<void> {
  const [ann] = people as readonly [Person];
  const caller = callerOf(server.fetch, ann);
  told.reshare ??= await freshReshare(server, { people, moved }, told);
  const { ticket, confirmed } = told.reshare;
  const path = `/documents/${moved}/reshares/${ticket.reshareId}`;
  const { reshare: so }: Json = await server.ask('GET', path, ann.token);
  if (so.status === 'collecting') {
    const { session }: Json = await server.ask(
      'GET',
      `/documents/${moved}/unseal-sessions/${ticket.sessionId}`,
      ann.token,
    );
    for (const person of people.filter(({ id }) => session.waitingFor.includes(id)).slice(0, 2))
      await contribute(callerOf(server.fetch, person), ticket, person.keys);
    await dealShares(caller, ticket);
    told.reshare.isDealt = true;
  }
  let { status } = so;
  for (const person of people) {
    if (status === 'done' || !ticket.memberIds.includes(person.id) || so.confirmedBy.includes(person.id)) continue;
    ({ status } = await confirmNewShare(callerOf(server.fetch, person), ticket, person.keys));
    confirmed.add(person.id);
  }
  told.reshare = undefined;
  told.reshared += 1;
}

async function freshReshare(server: QuorumServer, { people, moved }: Pick<Parties, 'people' | 'moved'>, told: Told) {
  const [ann] = people as readonly [Person];
  // Of one whose beginning nobody heard of, nobody has the key.
  const { reshares }: Json = await server.ask('GET', '/reshares?which=mine', ann.token);
  for (const { id, status } of reshares)
    if (status === 'collecting') await server.ask('DELETE', `/documents/${moved}/reshares/${id}`, ann.token);
  const memberIds = (told.reshared % 2 === 0 ? people : people.slice(0, 3)).map(({ id }) => id);
  const wanted = {
    documentId: moved,
    reason: 'Other holders',
    memberIds,
    sharesRequired: 2,
    rekey: told.reshared % 3 === 1,
  };
  const { ticket } = await beginReshare(callerOf(server.fetch, ann), wanted);
  return { ticket, isDealt: false, confirmed: new Set<string>() };
}

/** All of it at once, until the server is gone. */
export async function burst(server: QuorumServer, parties: Parties, told: Told): Promise<void> {
  const endlessly = async (step: (...given: [QuorumServer, Parties, Told]) => Promise<unknown>): Promise<never> => {
    for (;;) await step(server, parties, told);
  };
  const outcomes = await Promise.allSettled([seal, govern, collect, reshare].map(endlessly));
  for (const outcome of outcomes)
    if (outcome.status === 'rejected' && !(outcome.reason instanceof Killed)) throw outcome.reason;
}
