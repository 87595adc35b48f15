/**
 * Vitest compares what `toMatchObject` is given by its own properties, and a RegExp has none; so it
 * fits everything, and the test can't fail. `expect.stringMatching(…)` is what is meant. The same goes for `toEqual` and its like,
 * where a RegExp fits no string at all.
 */
const compares = new Set(['toMatchObject', 'objectContaining']);

/** What the matcher gets as a value, at any depth; what is handed to another function is that function's business. */
function* regexpsIn(node) {
  switch (node?.type) {
    case 'Literal':
      if (node.regex !== undefined && node.regex !== null) yield node;
      break;
    case 'NewExpression':
      if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') yield node;
      break;
    case 'ObjectExpression':
      for (const property of node.properties)
        yield* regexpsIn(property.type === 'SpreadElement' ? property.argument : property.value);
      break;
    case 'ArrayExpression':
      for (const element of node.elements)
        yield* regexpsIn(element?.type === 'SpreadElement' ? element.argument : element);
      break;
    case 'ConditionalExpression':
      yield* regexpsIn(node.consequent);
      yield* regexpsIn(node.alternate);
      break;
    case 'LogicalExpression':
      yield* regexpsIn(node.left);
      yield* regexpsIn(node.right);
      break;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      yield* regexpsIn(node.expression);
      break;
  }
}

export const noRegexpInMatchObject = {
  meta: { type: 'problem', docs: { description: 'A RegExp in toMatchObject fits everything.' } },
  create(context) {
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type !== 'MemberExpression' || callee.computed || !compares.has(callee.property.name)) return;
        for (const argument of node.arguments)
          for (const found of regexpsIn(argument))
            context.report({
              node: found,
              message: `A RegExp in ${callee.property.name} fits everything: say expect.stringMatching(…).`,
            });
      },
    };
  },
};
