import { DAY, duration, HOUR, integer, MINUTE } from '../../config/kinds.ts';
import { set } from '../../config/option.ts';
import { quorumLimits } from '../../contract/quorum/limits.ts';

export const quorumSettings = {
  threshold: set(
    'threshold',
    integer(2, quorumLimits.members),
    '2',
    'How many members decide together when the quorum begins; later it changes by a proposal',
  ),
  sessionMs: set(
    'session',
    duration(MINUTE, 30 * DAY),
    '1d',
    'How long members can contribute to the unsealing of a document',
  ),
  reshareMs: set(
    'reshare',
    duration(HOUR, 365 * DAY),
    '30d',
    'How long a re-sharing waits for contributions and confirmations',
  ),
  permitMs: set('permit', duration(MINUTE, 365 * DAY), '7d', 'How long what an executed proposal allows can be used'),
  timelockMs: set(
    'timelock',
    duration(0, 90 * DAY),
    '0s',
    'How long an approved destructive action waits before it is carried out, so that it can still be cancelled',
  ),
};
