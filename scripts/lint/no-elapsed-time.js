import { declaredAs, isCallOf, nodesIn } from './syntax.js';

/** How long something took says how busy the machine is. What a test means by it is a state: who came first, how often, how many at once. */
const isReading = (node) => isCallOf(node, 'performance', 'now') || isCallOf(node, 'Date', 'now');

export const noElapsedTime = {
  meta: { type: 'problem', docs: { description: 'Assertions on elapsed time fail on a busy machine.' } },
  create(context) {
    const isDifference = (node) =>
      node.type === 'BinaryExpression' &&
      node.operator === '-' &&
      [node.left, node.right].some((side) => isReading(declaredAs(context, side)));
    return {
      CallExpression(node) {
        if (node.callee.type !== 'Identifier' || node.callee.name !== 'expect') return;
        for (const argument of node.arguments)
          for (const one of nodesIn(argument))
            if (isDifference(declaredAs(context, one)))
              context.report({
                node: one,
                message: 'How long it took says how busy the machine is: compare states, or use a clock of the test.',
              });
      },
    };
  },
};
