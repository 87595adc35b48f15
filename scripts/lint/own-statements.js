/**
 * Statements of a whole store, or of all of them, are those of jobs and of other tests too: what falls between makes a count differ by chance.
 * `ownStatements()` of `test/support/own-statements.ts` gives those of one piece of work.
 */
export const ownStatements = {
  meta: { type: 'problem', docs: { description: 'Recorders of statements hear what happens in the background.' } },
  create(context) {
    const check = (node) =>
      context.report({ node, message: 'This hears the statements of others as well: use ownStatements().' });
    return {
      MemberExpression(node) {
        if (node.object.name === 'SessionExecutor' && node.property.name === 'prototype') check(node);
      },
      CallExpression(node) {
        const [watched] = node.arguments;
        const watches = node.callee.property?.name === 'spyOn' && watched?.type === 'CallExpression';
        if (watches && watched.callee.property?.name === 'getExecutor') check(node);
      },
    };
  },
};
