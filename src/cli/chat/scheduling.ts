import { Args } from '@oclif/core';
import { perform, type Caller } from '../../client/perform.ts';
import { collectPages } from '../../client/pages.ts';
import { chat } from '../../contract/chat.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ScheduledMessage } from '../../contract/chat/scheduled.ts';
import { Problem } from '../../base/problem.ts';
import { expiryOf } from '../kit/expiry.ts';
import { idFrom } from '../kit/id-part.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { idColumn } from '../mail/mail-columns.ts';
import { nameOf } from './conversation-table.ts';
import type { OwnSide, SealedPlace } from './sealed/own-side.ts';

/** The argument of commands that are about one scheduled message; see `scheduledNamed`. */
export const scheduledArgument = {
  message: Args.string({
    description: 'id of the scheduled message, or its first eight or more digits',
    required: true,
  }),
};

export const atFlag = {
  description: 'when: after so long (90m, 8h, 2d, 1w), on a date, or at a time (2027-01-31T09:00:00Z)',
  helpValue: 'TIME',
};

/** What `--at` says. @throws Problem invalid USAGE */
export function timeAt(text: string, nowMs: number): string {
  const at = expiryOf(text, nowMs, '--at');
  if (at !== undefined) return at;
  throw new Problem('invalid', 'USAGE', '--at must be a time: 90m, 8h, 2d, 2027-01-31, 2027-01-31T09:00:00Z.');
}

/** Nothing is sent later where only members can read, and no text of it to the node. @throws Problem invalid CLIENT_ENCRYPTED */
export async function requireReadable(side: OwnSide, place: SealedPlace): Promise<void> {
  if (!(await side.isSealed(place))) return;
  const message = `Only its members can read ${nameOf(place)}, so the node cannot send anything there later.`;
  throw new Problem('invalid', 'CLIENT_ENCRYPTED', message);
}

/** The id of a scheduled message, from all of it or its first eight or more digits. @throws Problem missing SCHEDULED_NOT_FOUND, conflict AMBIGUOUS */
export async function scheduledNamed(caller: Caller, text: string): Promise<string> {
  const message = `You have no scheduled message whose id begins with ${JSON.stringify(text)}. To list them, run: conclave chat scheduled list`;
  return await idFrom(
    text,
    async () => {
      const { items } = await perform(caller, chat.listScheduled, { limit: chatLimits.scheduled });
      return items.map(({ id, sendAt }) => ({ id, label: sendAt }));
    },
    () => new Problem('missing', 'SCHEDULED_NOT_FOUND', message),
  );
}

/** @param where names of conversations by their ids */
export function scheduledTable(
  screen: Screen,
  rows: readonly ScheduledMessage[],
  where: ReadonlyMap<string, string>,
): string {
  return table(screen, rows, [
    { title: 'TIME', of: ({ sendAt }, shown) => moment(shown, sendAt), whole: true },
    { title: 'IN', of: ({ conversationId }) => where.get(conversationId) ?? conversationId, main: true },
    { title: 'STATUS', of: ({ status, reason }) => (reason === null ? status : `${status} (${reason})`) },
    { title: 'MESSAGE', of: ({ content }) => content ?? '-', prose: true },
    idColumn(rows),
  ]);
}

/** A part of the list. */
export async function scheduledPage(
  caller: Caller,
  conversationId: string | undefined,
  shown: Parameters<typeof collectPages>[4],
) {
  return await collectPages(caller, chat.listScheduled, { conversationId }, 'items', shown);
}
