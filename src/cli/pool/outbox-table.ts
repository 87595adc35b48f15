import type { WaitingMessage } from '../../contract/pool/outbox.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { shortId } from './pool-details.ts';

/** Short enough for a column. The full sentence is in the answer for programs. */
const words: Readonly<Record<string, string>> = {
  ADMISSION_EXPIRED: 'its admission expired',
  ANSWER_MALFORMED: 'answers nonsense',
  CHANNEL_UNKNOWN: 'does not know it',
  HANDLING_FAILED: 'failed there',
  INTERNAL: 'failed here, see log',
  LIST_UNKNOWN: 'has a newer list',
  NOT_ADMITTED: 'not admitted',
  NO_POOL: 'no pool yet',
  OUTCOME_NOT_RECORDED: 'failed here, see log',
  PEER_UNREACHABLE: 'unreachable',
  RATE_LIMITED: 'busy there',
  RECEIPT_INVALID: 'signature not valid',
};

export function outboxTable(screen: Screen, messages: readonly WaitingMessage[]): string {
  return table(screen, messages, [
    { title: 'NODE', of: ({ nodeId }) => shortId(screen, nodeId), whole: true },
    { title: 'CHANNEL', of: ({ channel }) => channel, main: true },
    { title: 'MESSAGE', of: ({ id }) => id, spare: true },
    { title: 'SINCE', of: ({ createdAt }) => moment(screen, createdAt), spare: true },
    { title: 'NEXT TRY', of: ({ nextAttemptAt }) => moment(screen, nextAttemptAt), whole: true },
    { title: 'EXPIRES', of: ({ expiresAt }) => moment(screen, expiresAt), spare: true },
    { title: 'WHY', of: why },
  ]);
}

function why({ failure, reason, connected }: WaitingMessage): string {
  if (failure === undefined) return connected ? 'being sent' : 'not tried yet';
  return words[failure] ?? reason ?? failure;
}
