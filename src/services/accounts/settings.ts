import { DAY, duration, HOUR, integer, MINUTE, SECOND } from '../../config/kinds.ts';
import { set } from '../../config/option.ts';
import { mostArgon2, wrapIterations } from '../../crypto/cost-limits.ts';

export const sessionSettings = {
  lifetimeMs: set('lifetime', duration(MINUTE, 365 * DAY), '7d', 'How long a session lasts'),
  refreshGraceMs: set('refresh_grace', duration(0, 10 * MINUTE), '30s', 'How long the old token works after a refresh'),
  challengeMs: set('challenge', duration(10 * SECOND, HOUR), '5m', 'How long a sign-in challenge is valid'),
};

/** The minimum of Argon2id is OWASP's for password storage. */
export const passwordSettings = {
  memoryKib: set(
    'memory_kib',
    integer(19_456, mostArgon2.memoryKiB, 'the minimum for Argon2id'),
    '33792',
    'Memory of Argon2id in KiB',
  ),
  passes: set('passes', integer(2, mostArgon2.passes, 'the minimum for Argon2id'), '2', 'Passes of Argon2id'),
  lanes: set('lanes', integer(1, mostArgon2.lanes), '1', 'Lanes of Argon2id'),
  pbkdf2Iterations: set(
    'pbkdf2_iterations',
    integer(wrapIterations.min, wrapIterations.max, 'the minimum for the key wrap'),
    '100000',
    'PBKDF2 iterations between password and wrapped key',
  ),
};
