import { isCallOf } from './syntax.js';

/** What a test draws must come again with the seed that a failed run printed: `testRandom()` of `test/support/seeded.ts`, or a count. */
export const noMathRandom = {
  meta: { type: 'problem', docs: { description: 'Math.random follows no seed.' } },
  create(context) {
    return {
      CallExpression(node) {
        if (isCallOf(node, 'Math', 'random'))
          context.report({ node, message: 'Math.random() follows no seed: draw from testRandom(), or count.' });
      },
    };
  },
};
