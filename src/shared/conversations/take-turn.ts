import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Seat } from './conversation.ts';

const EACH_MS = 1_000;

/**
 * Counts one message of a member in a conversation: 60 at once and one more each second, in all processes together. Each message makes the
 * member busy for a second more, and nobody may be busy for longer than a minute.
 * @returns the new `busy_until`, for the transaction that stores the message
 * @throws Problem tooMany RATE_LIMITED
 */
export function takeTurn(
  { clock }: Pick<Context, 'clock'>,
  { busy_until: busyUntil }: Pick<Seat, 'busy_until'>,
): number {
  const now = clock.now();
  const busy = Math.max(now, busyUntil) + EACH_MS;
  const over = busy - now - chatLimits.burst * EACH_MS;
  if (over <= 0) return busy;
  const retryAfterSeconds = Math.ceil(over / 1000);
  const message = `You send too many messages to this conversation. Wait ${retryAfterSeconds} s.`;
  throw new Problem('tooMany', 'RATE_LIMITED', message, { retryAfterSeconds });
}
