import { DAY, duration, integer, MINUTE, path, serviceUrl } from '../../config/kinds.ts';
import { set, unset } from '../../config/option.ts';
import { mostBcryptRounds } from '../../crypto/cost-limits.ts';

export const vaultSettings = {
  bcryptRounds: set(
    'bcrypt_rounds',
    integer(12, mostBcryptRounds, 'the minimum for master passwords'),
    '12',
    'bcrypt cost of master passwords; it applies when one is set or changed',
  ),
  idleMs: set('idle', duration(MINUTE, DAY), '15m', 'How long a password vault stays open without use'),
  emergencyWaitMs: set(
    'emergency_wait',
    duration(0, 90 * DAY),
    '0s',
    'Waiting period in which the owner of a password vault can deny a recovery by its trustees; 7d suits most groups, 0s turns it off',
  ),
  breachUrl: set(
    'breach_url',
    serviceUrl,
    'https://api.pwnedpasswords.com',
    'Range service of breached passwords; it receives only five digits of a hash',
  ),
  breachList: unset(
    'breach_list',
    path,
    'Local list of breached passwords, used instead of the service: a file sorted by hash, or a folder of range files',
  ),
};
