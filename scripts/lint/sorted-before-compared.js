import { declaredAs, expectedIn, nameOf } from './syntax.js';

/**
 * Nobody promises the order of a folder's entries, nor of rows that a query asked for without `orderBy`; another file system or another plan
 * shows them in another order. So they are sorted before they are compared with a list.
 */
const compares = new Set(['toEqual', 'toStrictEqual', 'toMatchObject']);

/** The names of what is called in a chain `a.b(…).c(…)`, the last first. */
function calledIn(node) {
  const names = [];
  for (let at = node; at;) {
    if (at.type === 'AwaitExpression') at = at.argument;
    else if (at.type === 'CallExpression') {
      if (at.callee.type === 'Identifier') names.push(at.callee.name);
      at = at.callee;
    } else if (at.type === 'MemberExpression') {
      names.push(nameOf(at));
      at = at.object;
    } else at = undefined;
  }
  return names;
}

const onlyOne = ['insertInto', 'updateTable', 'deleteFrom'];

/** What the unsorted list is of; undefined if its order is promised. */
function unsorted(node) {
  if (node?.type !== 'AwaitExpression') return undefined;
  const names = calledIn(node);
  if (names[0] === 'readdir') return 'a folder';
  if (names[0] !== 'execute' || !(names.includes('selectFrom') || names.includes('selectAll'))) return undefined;
  if (names.includes('orderBy') || onlyOne.some((name) => names.includes(name))) return undefined;
  return 'a table';
}

export const sortedBeforeCompared = {
  meta: { type: 'problem', docs: { description: 'Lists whose order nobody promises are compared sorted.' } },
  create(context) {
    return {
      CallExpression(node) {
        if (node.callee.type !== 'MemberExpression' || !compares.has(nameOf(node.callee))) return;
        const [wanted] = node.arguments;
        if (wanted?.type !== 'ArrayExpression') return;
        const shapes = new Set(wanted.elements.map((one) => context.sourceCode.getText(one)));
        const several = shapes.size > 1 || wanted.elements.some((one) => one?.type === 'SpreadElement');
        const given = expectedIn(node);
        if (!several || given === undefined) return;
        const what = unsorted(declaredAs(context, given));
        if (what !== undefined)
          context.report({ node: given, message: `The order of what is in ${what} isn't promised: sort it first.` });
      },
    };
  },
};
