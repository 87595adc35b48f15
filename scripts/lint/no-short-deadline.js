import { isCallOf, isExpectation, isFunction, nameOf, numberOf } from './syntax.js';

/**
 * A deadline by the real clock that a test sets is one that a busy machine misses, however generous it looked. Time that matters to a test
 * is that of a clock in its hand (`house.clock.advance(…)`); what only keeps a test from hanging is a minute at least. A limit that the
 * test wants to see exceeded is `elapses(…)` of `test/support/real-time.ts`.
 */
const least = 60_000;
const limits = new Set(
  `answerMs challengeMs deafMs discardMs drainMs expiresInMs expiryMs graceMs handshakeMs headersTimeoutMs
   hearingMs idleMs keepAliveMs leaseMs lifetimeMs patienceMs perMs pingAnswerMs questionMs refreshGraceMs
   requestTimeoutMs scanTimeoutMs timeout timeoutMs`.split(/\s+/),
);
/** The same as variables of the environment, whose times are written as `700ms` or `5s`. */
const variables = /^CONCLAVE_\w+_(?:TIMEOUT|GRACE|LIFETIME|EXPIRY|IDLE)$/;
const shortTime = /^(?:[1-9]\d* ?ms|[1-5]?\d ?s)$/;
const tests = new Set(['it', 'test', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach']);

/** A clock that is wrong by some time sets no deadline. */
function isOfShiftedClock(node) {
  let at = node.parent;
  while (at && !isFunction(at)) at = at.parent;
  const holder = at?.parent;
  return (holder?.type === 'Property' && nameOf(holder) === 'now') || holder?.id?.name === 'now';
}

const isTooShort = (node) => {
  const value = numberOf(node);
  return value !== undefined && value > 0 && value < least;
};

export const noShortDeadline = {
  meta: { type: 'problem', docs: { description: 'A deadline by the real clock is missed on a busy machine.' } },
  create(context) {
    const report = (node, what) =>
      context.report({
        node,
        message: `${what} is missed on a busy machine: advance a clock of the test, or give it a minute at least (elapses(…) for what must run out).`,
      });
    return {
      Property(node) {
        const name = nameOf(node);
        if (variables.test(name) && shortTime.test(node.value.value)) report(node, `${name} below a minute`);
        if (limits.has(name) && isTooShort(node.value) && !isExpectation(node)) report(node, `${name} below a minute`);
      },
      BinaryExpression(node) {
        if (node.operator !== '+') return;
        const added = isCallOf(node.left, 'Date', 'now') ? node.right : node.left;
        if (added === node.left && !isCallOf(node.right, 'Date', 'now')) return;
        if (isOfShiftedClock(node) || added.callee?.name === 'elapses') return;
        const value = numberOf(added);
        if (value === undefined || value < least) report(node, 'A time counted from Date.now()');
      },
      CallExpression(node) {
        if (isCallOf(node, 'AbortSignal', 'timeout') && isTooShort(node.arguments[0]))
          report(node, 'AbortSignal.timeout(…) below a minute');
        const { callee } = node;
        const last = node.arguments.at(-1);
        if (callee.type === 'Identifier' && tests.has(callee.name) && node.arguments.length > 1 && isTooShort(last))
          report(last, `The time limit of ${callee.name}(…)`);
        if (isCallOf(node, 'vi', 'waitFor') || isCallOf(node, 'vi', 'waitUntil'))
          if (node.arguments.length < 2) report(node, 'The second after which vi.waitFor gives up');
      },
    };
  },
};
