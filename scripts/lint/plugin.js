/** Rules of ours, for oxlint. Each says in its file what it keeps out, and why. */
import { noChosenPort } from './no-chosen-port.js';
import { noElapsedTime } from './no-elapsed-time.js';
import { noLateRejection } from './no-late-rejection.js';
import { noMathRandom } from './no-math-random.js';
import { noRegexpInMatchObject } from './no-regexp-in-match-object.js';
import { noShortDeadline } from './no-short-deadline.js';
import { noSleep } from './no-sleep.js';
import { ownDatabaseState } from './own-database-state.js';
import { ownStatements } from './own-statements.js';
import { sortedBeforeCompared } from './sorted-before-compared.js';

export default {
  meta: { name: 'conclave' },
  rules: {
    'no-chosen-port': noChosenPort,
    'no-elapsed-time': noElapsedTime,
    'no-late-rejection': noLateRejection,
    'no-math-random': noMathRandom,
    'no-regexp-in-match-object': noRegexpInMatchObject,
    'no-short-deadline': noShortDeadline,
    'no-sleep': noSleep,
    'own-database-state': ownDatabaseState,
    'own-statements': ownStatements,
    'sorted-before-compared': sortedBeforeCompared,
  },
};
