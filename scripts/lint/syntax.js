/** The name of a property that is written as such: `a.name`, `{ name: … }`, `{ 'name': … }`. */
export function nameOf(node) {
  const key = node.type === 'MemberExpression' ? node.property : node.key;
  if (node.computed) return undefined;
  return key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined;
}

/** The value of a number that is written out, products and sums of such numbers included. */
export function numberOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : undefined;
  if (node.type !== 'BinaryExpression') return undefined;
  const [left, right] = [numberOf(node.left), numberOf(node.right)];
  if (left === undefined || right === undefined) return undefined;
  switch (node.operator) {
    case '*':
      return left * right;
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '/':
      return left / right;
    default:
      return undefined;
  }
}

/** Whether it is a call `object.method(…)`. */
export function isCallOf(node, object, method) {
  return (
    node?.type === 'CallExpression' &&
    node.callee.type === 'MemberExpression' &&
    node.callee.object.type === 'Identifier' &&
    node.callee.object.name === object &&
    nameOf(node.callee) === method
  );
}

/** Everything below a node, itself included, in the order of the text. */
export function* nodesIn(node, goesInto = () => true) {
  yield node;
  if (!goesInto(node)) return;
  for (const [key, child] of Object.entries(node)) {
    if (key === 'parent') continue;
    for (const one of Array.isArray(child) ? child : [child])
      if (typeof one?.type === 'string') yield* nodesIn(one, goesInto);
  }
}

const functions = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration']);

export const isFunction = (node) => functions.has(node?.type);

/** What is run where it stands: without the functions in it. */
export function* nodesRunBy(node) {
  yield* nodesIn(node, (one) => one === node || !isFunction(one));
}

/** What `expect(…)` is given, at the other end of a chain of matchers; undefined if the call is no matcher. */
export function expectedIn(matcher) {
  let node = matcher.callee;
  while (node.type === 'MemberExpression') node = node.object;
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'expect')
    return undefined;
  return node.arguments[0];
}

/** Whether it stands in what a matcher is given: there it is compared, and nothing is set to it. */
export function isExpectation(node) {
  for (let at = node; at.parent; at = at.parent) {
    const { type, callee, arguments: given } = at.parent;
    if (type === 'CallExpression' && callee.type === 'MemberExpression' && given.includes(at) && expectedIn(at.parent))
      return true;
    if (isFunction(at)) return false;
  }
  return false;
}

/** What a constant is declared as, when it is in sight; else the expression itself. */
export function declaredAs(context, node) {
  if (node?.type !== 'Identifier') return node;
  let scope = context.sourceCode.getScope(node);
  while (scope !== null && !scope.set.has(node.name)) scope = scope.upper;
  const [definition] = scope?.set.get(node.name)?.defs ?? [];
  const { node: declarator, parent } = definition ?? {};
  if (declarator?.type !== 'VariableDeclarator' || declarator.id.type !== 'Identifier') return node;
  return (parent ?? declarator.parent).kind === 'const' && declarator.init ? declarator.init : node;
}
