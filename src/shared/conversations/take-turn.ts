import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import { isAtLeast } from '../groups/roles.ts';
import type { Seat } from './conversation.ts';

const EACH_MS = 1_000;

type Turn = Pick<Seat, 'busy_until' | 'spoke_at' | 'slow_seconds' | 'role'>;

/**
 * Counts one message of a member in a conversation: 60 at once and one more each second, in all processes together. Each message makes the
 * member busy for a second more, and nobody may be busy for longer than a minute. Where members have to wait from one message to the next, those
 * below moderators do. That counts from their last message, so that it holds at once when somebody changes how long it is.
 * @returns the new `busy_until`, for the transaction that stores the message
 * @throws Problem tooMany RATE_LIMITED
 */
export function takeTurn({ clock }: Pick<Context, 'clock'>, seat: Turn): number {
  const now = clock.now();
  const busy = busyAfter(now, seat.busy_until, chatLimits.burst, 'You send too many messages to this conversation.');
  const waits = seat.slow_seconds > 0 && !isAtLeast(seat.role, 'moderator');
  const next = waits ? seat.spoke_at + seat.slow_seconds * 1000 : now;
  if (next > now) throw tooSoon(`You can send one message in ${seat.slow_seconds} s here.`, next - now);
  return busy;
}

/**
 * Counts one more of what may be done so often at once, and then once each second.
 * @returns the new `busy_until`
 * @throws Problem tooMany RATE_LIMITED, which begins with `what`
 */
export function busyAfter(now: number, busyUntil: number, burst: number, what: string): number {
  const busy = Math.max(now, busyUntil) + EACH_MS;
  const over = busy - now - burst * EACH_MS;
  if (over > 0) throw tooSoon(what, over);
  return busy;
}

function tooSoon(what: string, waitMs: number): Problem {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new Problem('tooMany', 'RATE_LIMITED', `${what} Wait ${retryAfterSeconds} s.`, { retryAfterSeconds });
}
