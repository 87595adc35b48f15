import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { quorumSessions, type UnsealSession } from '../../contract/quorum/sessions.ts';
import { Problem } from '../../problem.ts';
import { pick } from '../kit/pick.ts';
import { prompts } from '../kit/prompts.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

/** The sessions that wait for the share of the caller. */
export async function waitingSessions(client: Client): Promise<UnsealSession[]> {
  const filter = { which: 'waiting' } as const;
  return (await collectPages(client, quorumSessions.listUnsealSessions, filter, 'sessions')).items;
}

/**
 * The session that a person means: the only one that waits, or the one whose id begins so.
 * @throws Problem missing NOT_FOUND, conflict AMBIGUOUS, invalid USAGE
 */
export async function chosenSession(
  client: Client,
  terminal: Terminal,
  id: string | undefined,
): Promise<UnsealSession> {
  const waiting = await waitingSessions(client);
  const candidates = waiting.map((session) => ({ id: session.id, label: labelOf(session), session }));
  if (id !== undefined) return pick('session that waits for your share', id, candidates).session;
  const [first, ...more] = candidates;
  if (first === undefined) throw new Problem('missing', 'NOT_FOUND', 'No session waits for your share.');
  if (more.length === 0) return first.session;
  if (isInteractive(terminal))
    return await prompts(terminal).menu(
      'Several sessions wait for your share',
      candidates.map(({ label, session }) => ({ name: label, value: session })),
    );
  throw new Problem('invalid', 'USAGE', 'Several sessions wait for your share. Name one of them:', {
    fields: candidates.map(({ id: path, label: message }) => ({ path, message })),
  });
}

function labelOf({ requesterName, requesterId, reason }: UnsealSession): string {
  const [line = ''] = reason.split('\n');
  return `${requesterName ?? requesterId}: ${line}`;
}
