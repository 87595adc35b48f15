import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { Problem } from '../../base/problem.ts';
import { quorumReshares, type Reshare } from '../../contract/quorum/reshares.ts';
import { quorumSessions, type UnsealSession } from '../../contract/quorum/sessions.ts';
import { pick } from '../kit/pick.ts';
import { prompts } from '../kit/prompts.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

/** The sessions that wait for the share of the caller. */
export async function waitingSessions(client: Client): Promise<UnsealSession[]> {
  const filter = { which: 'waiting' } as const;
  return (await collectPages(client, quorumSessions.listUnsealSessions, filter, 'sessions')).items;
}

/** The re-sharings that wait until the caller has confirmed the new share. */
export async function waitingReshares(client: Client): Promise<Reshare[]> {
  const filter = { which: 'waiting' } as const;
  return (await collectPages(client, quorumReshares.listReshares, filter, 'reshares')).items;
}

/** The session that a person means. @throws Problem as `chosen` */
export async function chosenSession(
  client: Client,
  terminal: Terminal,
  id: string | undefined,
): Promise<UnsealSession> {
  const label = ({ requesterName, requesterId, reason }: UnsealSession): string =>
    `${requesterName ?? requesterId}: ${reason.split('\n')[0] ?? ''}`;
  const what = { one: 'session that waits for your share', none: 'No session waits for your share.' };
  const several = 'Several sessions wait for your share';
  return await chosen(terminal, await waitingSessions(client), label, id, { ...what, several });
}

/** The re-sharing that a person means. @throws Problem as `chosen` */
export async function chosenReshare(client: Client, terminal: Terminal, id: string | undefined): Promise<Reshare> {
  const label = ({ documentId, requesterName, requesterId }: Reshare): string =>
    `of ${documentId}, by ${requesterName ?? requesterId}`;
  const what = { one: 're-sharing that waits for you', none: 'No re-sharing waits for your confirmation.' };
  const several = 'Several re-sharings wait for you';
  return await chosen(terminal, await waitingReshares(client), label, id, { ...what, several });
}

interface Words {
  readonly one: string;
  readonly none: string;
  readonly several: string;
}

/**
 * The only one that waits, or the one whose id begins so.
 * @throws Problem missing NOT_FOUND, conflict AMBIGUOUS, invalid USAGE
 */
async function chosen<T extends { readonly id: string }>(
  terminal: Terminal,
  waiting: readonly T[],
  labelOf: (one: T) => string,
  id: string | undefined,
  words: Words,
): Promise<T> {
  const candidates = waiting.map((item) => ({ id: item.id, label: labelOf(item), item }));
  if (id !== undefined) return pick(words.one, id, candidates).item;
  const [first, ...more] = candidates;
  if (first === undefined) throw new Problem('missing', 'NOT_FOUND', words.none);
  if (more.length === 0) return first.item;
  if (isInteractive(terminal))
    return await prompts(terminal).menu(
      words.several,
      candidates.map(({ label, item }) => ({ name: label, value: item })),
    );
  throw new Problem('invalid', 'USAGE', `${words.several}. Name one of them:`, {
    fields: candidates.map(({ id: path, label: message }) => ({ path, message })),
  });
}
