import { nodesIn, nodesRunBy } from './syntax.js';

/**
 * What is begun and only looked at after another wait may be refused before: Node then reports an unhandled rejection, and the run fails
 * though the test is right. `Promise.allSettled([begun])` where it begins hears of it in time.
 */
const isRejects = (node) => node.type === 'MemberExpression' && !node.computed && node.property.name === 'rejects';

/** The constant whose refusal is expected: `expect(name).rejects`. */
function expectedName(node) {
  if (!isRejects(node) || node.object.type !== 'CallExpression' || node.object.callee.name !== 'expect')
    return undefined;
  const [argument] = node.object.arguments;
  return argument?.type === 'Identifier' ? argument.name : undefined;
}

const mentions = (node, name) => [...nodesIn(node)].some((one) => one.type === 'Identifier' && one.name === name);
const waits = (node) =>
  [...nodesRunBy(node)].some((one) => one.type === 'AwaitExpression' || (one.type === 'ForOfStatement' && one.await));

export const noLateRejection = {
  meta: { type: 'problem', docs: { description: 'A refusal that comes before it is awaited ends the run.' } },
  create(context) {
    function check(statements) {
      for (const [at, statement] of statements.entries()) {
        if (statement.type !== 'VariableDeclaration') continue;
        for (const { id, init } of statement.declarations) {
          if (id.type !== 'Identifier' || init?.type !== 'CallExpression') continue;
          const after = statements.slice(at + 1);
          const first = after.findIndex((one) => mentions(one, id.name));
          if (first < 1) continue;
          const expected = [...nodesIn(after[first])].find((one) => expectedName(one) === id.name);
          if (expected === undefined || !after.slice(0, first).some(waits)) continue;
          context.report({
            node: expected,
            message: `${id.name} may be refused before it is looked at: gather it with Promise.allSettled([…]) where it begins.`,
          });
        }
      }
    }
    return { BlockStatement: ({ body }) => check(body), Program: ({ body }) => check(body) };
  },
};
