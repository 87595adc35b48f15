import { isExpectation, nameOf, numberOf } from './syntax.js';

/**
 * A port that a test chooses is taken by another process sooner or later. The system gives one (`0`), and the test reads it back; who needs
 * to know it before, or twice, has `reservePort()` of `test/support/reserved-ports.ts`, which no other test and no ephemeral port gets.
 */
const message = 'Another process may have this port: listen on 0 and read it back, or take reservePort().';

const isPort = (value) => Number.isInteger(value) && value >= 1024 && value <= 65_535;

export const noChosenPort = {
  meta: { type: 'problem', docs: { description: 'Ports that tests choose are taken by others.' } },
  create(context) {
    return {
      CallExpression(node) {
        if (node.callee.type !== 'MemberExpression' || nameOf(node.callee) !== 'listen') return;
        const [first] = node.arguments;
        if (first !== undefined && isPort(numberOf(first))) context.report({ node: first, message });
        if (first?.type === 'ObjectExpression')
          for (const property of first.properties)
            if (property.type === 'Property' && nameOf(property) === 'port' && isPort(numberOf(property.value)))
              context.report({ node: property, message });
      },
      Property(node) {
        if (nameOf(node) !== 'listen' || isExpectation(node)) return;
        for (const { value } of node.value.type === 'ArrayExpression' ? node.value.elements : [node.value])
          if (typeof value === 'string' && /\/tcp\/[1-9]/.test(value)) context.report({ node, message });
      },
    };
  },
};
