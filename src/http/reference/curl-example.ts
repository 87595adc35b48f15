import type { OperationObject } from '../openapi/types.ts';

/** A request to copy into a shell in which CONCLAVE_SERVER and CONCLAVE_TOKEN are set. The body comes from standard input: arguments are public. */
export function curlExample(method: string, path: string, op: OperationObject): string {
  const verb = method.toUpperCase();
  const body = op.requestBody?.content['application/json'];
  const lines = [
    `curl ${verb === 'GET' ? '' : `-X ${verb} `}"$CONCLAVE_SERVER${path.replaceAll(/\{(\w+)\}/g, '<$1>')}${queryOf(op)}"`,
    ...(op.security.length > 0 ? ['-H "Authorization: Bearer $CONCLAVE_TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", "-d @- <<'JSON'"]),
  ];
  const command = lines.join(' \\\n  ');
  return body === undefined ? command : `${command}\n${JSON.stringify(body.example, null, 2)}\nJSON`;
}

function queryOf(op: OperationObject): string {
  const needed = op.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return needed.length === 0 ? '' : `?${needed.map(({ name }) => `${name}=<${name}>`).join('&')}`;
}
