import { isFunction, nodesIn } from './syntax.js';

/**
 * A test that sleeps and then looks whether something has happened fails on a busy machine. It polls a state (`eventually`, `expect.poll`,
 * `until`), or holds what it waits for in its hand (`deferred`). The few pauses that are meant have a name in `test/support/real-time.ts`
 * which says why no busy machine can make them too short.
 */
const message =
  'A pause is too short on a busy machine: poll with eventually(…) or until(…), hold a deferred(), or take a pause of test/support/real-time.ts by its reason.';

/** Whether the function does nothing but resolve, at once or in a call. */
const resolves = (node, resolve) =>
  (node?.type === 'Identifier' && node.name === resolve) ||
  (isFunction(node) &&
    [...nodesIn(node.body)].some((one) => one.type === 'CallExpression' && one.callee.name === resolve));

export const noSleep = {
  meta: { type: 'problem', docs: { description: 'Tests wait for states, not for times.' } },
  create(context) {
    return {
      ImportDeclaration(node) {
        if (!/^(node:)?timers\/promises$/.test(node.source.value)) return;
        for (const specifier of node.specifiers)
          if (specifier.type !== 'ImportSpecifier' || specifier.imported.name !== 'setImmediate')
            context.report({ node: specifier, message });
      },
      NewExpression(node) {
        const [executor] = node.arguments;
        if (node.callee.name !== 'Promise' || !isFunction(executor)) return;
        const [resolve] = executor.params;
        for (const one of nodesIn(executor.body))
          if (
            one.type === 'CallExpression' &&
            one.callee.name === 'setTimeout' &&
            resolves(one.arguments[0], resolve?.name)
          )
            context.report({ node: one, message });
      },
    };
  },
};
