import type { Json, OperationObject } from '../openapi/types.ts';

/** A request to copy into a shell in which CONCLAVE_SERVER and CONCLAVE_TOKEN are set. The body comes from standard input: arguments are public. */
export function curlExample(method: string, path: string, op: OperationObject): string {
  const verb = method.toUpperCase();
  const server =
    op['x-local-only'] === true
      ? '--unix-socket "$CONCLAVE_DATA_DIR/control.sock" "http://localhost'
      : '"$CONCLAVE_SERVER';
  const body = op.requestBody?.content['application/json'];
  const lines = [
    `curl ${verb === 'GET' ? '' : `-X ${verb} `}${server}${path.replaceAll(/\{(\w+)\}/g, '<$1>')}${queryOf(op)}"`,
    ...(op.security.length > 0 ? ['-H "Authorization: Bearer $CONCLAVE_TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", "-d @- <<'JSON'"]),
  ];
  const command = lines.join(' \\\n  ');
  return body === undefined ? command : `${command}\n${JSON.stringify(sample(body.schema, 'value'), null, 2)}\nJSON`;
}

function queryOf(op: OperationObject): string {
  const needed = op.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return needed.length === 0 ? '' : `?${needed.map(({ name }) => `${name}=<${name}>`).join('&')}`;
}

/** A value of the right shape, `<name>` where only the reader knows better. */
function sample(schema: Json, name: string): unknown {
  if (schema['default'] !== undefined) return schema['default'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  switch (schema['type']) {
    case 'object':
      return sampleObject(schema);
    case 'array':
      return [sample(schema['items'] as Json, name)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    default:
      return `<${name}>`;
  }
}

function sampleObject(schema: Json): Json {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>);
  const required = (schema['required'] ?? []) as readonly string[];
  const shown = required.length === 0 ? properties : properties.filter(([name]) => required.includes(name));
  return Object.fromEntries(shown.map(([name, property]) => [name, sample(property, name)]));
}
