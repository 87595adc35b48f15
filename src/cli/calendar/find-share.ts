import { perform, type Caller } from '../../client/perform.ts';
import { calendar } from '../../contract/calendar.ts';
import type { Calendar } from '../../contract/calendar/calendars.ts';
import type { CalendarShare } from '../../contract/calendar/shares.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';
import { shellWord } from '../kit/shell-word.ts';

/** The share of a calendar with a member, by the member or by its id. @throws Problem missing NOT_FOUND, conflict AMBIGUOUS */
export async function shareNamed(
  caller: Caller,
  { id: calendarId, displayName }: Pick<Calendar, 'id' | 'displayName'>,
  text: string,
): Promise<CalendarShare> {
  const { shares } = await perform(caller, calendar.listShares, { calendarId });
  const name = text.toLowerCase();
  const byMember = shares.find(({ grantedTo }) => grantedTo.username.toLowerCase() === name || grantedTo.id === name);
  if (byMember !== undefined) return byMember;
  const missing = () =>
    new Problem(
      'missing',
      'NOT_FOUND',
      `${displayName} is not shared with ${JSON.stringify(text)}. To list who it is shared with, run: conclave calendar shares ${shellWord(displayName)}`,
    );
  const candidates = shares.map(({ id, grantedTo }) => ({ id, label: grantedTo.username }));
  const id = await idFrom(text, async () => candidates, missing);
  const found = shares.find((share) => share.id === id);
  if (found === undefined) throw missing();
  return found;
}
