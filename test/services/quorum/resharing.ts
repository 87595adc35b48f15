import { contribute } from '../../../src/client/quorum/contribute.ts';
import { beginReshare, confirmNewShare, dealShares, type ReshareTicket } from '../../../src/client/quorum/reshare.ts';
import { finishUnseal, openSession } from '../../../src/client/quorum/unseal.ts';
import { callerOf } from './callers.ts';
import type { Person, QuorumScene } from './scene.ts';

interface Resharing {
  readonly documentId: string;
  readonly dealer: Person;
  readonly givers: readonly Person[];
  readonly to?: readonly Person[];
  readonly sharesRequired?: number;
  readonly rekey?: boolean;
}

/** Begins a re-sharing, and has holders contribute their old shares. */
export async function begun(scene: QuorumScene, { dealer, givers, to, ...wanted }: Resharing): Promise<ReshareTicket> {
  const caller = callerOf(scene.house.fetch, dealer);
  const memberIds = to?.map(({ id }) => id);
  const { ticket } = await beginReshare(caller, { reason: 'New holders', ...wanted, ...(memberIds && { memberIds }) });
  for (const person of givers) await contribute(callerOf(scene.house.fetch, person), ticket, person.keys);
  return ticket;
}

/** The same, up to the confirmations. */
export async function dealt(scene: QuorumScene, given: Resharing): Promise<ReshareTicket> {
  const ticket = await begun(scene, given);
  await dealShares(callerOf(scene.house.fetch, given.dealer), ticket);
  return ticket;
}

export async function confirmed(scene: QuorumScene, ticket: ReshareTicket, person: Person): Promise<string> {
  return (await confirmNewShare(callerOf(scene.house.fetch, person), ticket, person.keys)).status;
}

/** Opens a document with the shares of members, at the client of the first. */
export async function unsealed(scene: QuorumScene, documentId: string, people: readonly Person[]): Promise<Uint8Array> {
  const caller = callerOf(scene.house.fetch, people[0]!);
  const { ticket } = await openSession(caller, { documentId, reason: 'Look' });
  for (const person of people) await contribute(callerOf(scene.house.fetch, person), ticket, person.keys);
  return await finishUnseal(caller, ticket);
}

/** What went wrong, as people read it. */
export async function rejection(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => 'no error',
    (error: unknown) => {
      if (!(error instanceof Error)) return String(error);
      return 'code' in error ? `${String(error.code)}: ${error.message}` : error.message;
    },
  );
}
