/** The servers of the tests hold many databases at once, and these views show the sessions of all of them. */
const views = /\bpg_(locks|stat_activity)\b/;

export const ownDatabaseState = {
  meta: { type: 'problem', docs: { description: 'Views of the whole PostgreSQL server show other tests.' } },
  create(context) {
    const check = (node, text) => {
      const [view] = views.exec(text) ?? [];
      if (view !== undefined && !text.includes('current_database()'))
        context.report({
          node,
          message: `${view} shows the sessions of other tests as well: keep to current_database().`,
        });
    };
    return {
      CallExpression: ({ arguments: given }) => {
        for (const node of given) if (typeof node.value === 'string') check(node, node.value);
      },
      TemplateLiteral: (node) => check(node, node.quasis.map(({ value }) => value.raw).join(' ')),
    };
  },
};
