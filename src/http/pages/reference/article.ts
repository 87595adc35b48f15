import type { FailureObject, Json, OpenApiDocument, OperationObject, Reference } from '../../openapi/types.ts';
import { answerSections } from './answer-sections.ts';
import { html, nothing, paragraphs, prose, type Html } from './html.ts';
import { resolveIn, rules, schemaRows, typeName, type Resolve, type SchemaRow } from './schema-rows.ts';

/** The description of one operation. */
export function article(document: OpenApiDocument, method: string, path: string, op: OperationObject): Html {
  const resolve = resolveIn(document.components.schemas);
  return html` <article id="${op.operationId}">
    <h3><a href="#${op.operationId}">${op.summary}</a></h3>
    <p class="request"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
    ${paragraphs(op.description)}
    <dl>
      <dt>Operation</dt>
      <dd><code>${op.operationId}</code></dd>
      <dt>Token</dt>
      <dd>${tokenText(op)}</dd>
      <dt>Limits</dt>
      <dd>${limitText(op)}</dd>
    </dl>
    ${fieldTable(op, resolve)} ${answerSections(op, resolve)} ${failureTable(document, op)}
    <h4>Example</h4>
    <pre><code>${curlExample(method, path, op)}</code></pre>
  </article>`;
}

function tokenText(op: OperationObject): string {
  if (op.security.length === 0) return 'none';
  return op.security.some((requirement) => Object.keys(requirement).length === 0) ? 'optional' : 'needed';
}

function limitText(op: OperationObject): string {
  const { enabled, perAccount, perAddress, guesses } = op['x-rate-limit'];
  const what = guesses === true ? 'wrong guesses' : 'requests';
  const rates = [['account', perAccount] as const, ['address', perAddress] as const].flatMap(([whose, rate]) =>
    rate === undefined ? [] : [`${rate.requests} ${what} in ${duration(rate.seconds)} per ${whose}`],
  );
  const counted = enabled ? rates : ['requests are not counted'];
  const bytes = op['x-max-body-bytes'];
  return [...counted, ...(bytes === undefined ? [] : [`body up to ${size(bytes)}`])].join('; ');
}

function duration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function size(bytes: number): string {
  if (bytes % 1024 ** 2 === 0) return `${bytes / 1024 ** 2} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

function fieldTable(op: OperationObject, resolve: Resolve): Html {
  const parameters = op.parameters.map((parameter) => ({
    name: parameter.name,
    type: typeName(parameter.schema, resolve),
    required: parameter.required,
    text: [parameter.description, rules(resolve(parameter.schema))].filter(Boolean).join('; '),
    place: parameter.in,
  }));
  const body = schemaRows(op.requestBody?.content['application/json']?.schema ?? {}, resolve).map((row) =>
    Object.assign(row, { place: 'body' }),
  );
  const rows = [...parameters, ...body];
  if (rows.length === 0) return nothing;
  return html`<h4>Fields</h4>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">In</th>
            <th scope="col">Type</th>
            <th scope="col">Rules</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                <th scope="row">${nameCell(row)}</th>
                <td>${row.place}</td>
                <td>${row.type}</td>
                <td>${prose(row.text)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

function nameCell(row: SchemaRow): Html {
  return html`<code>${row.name}</code>${row.required ? html` <span class="required">required</span>` : nothing}`;
}

function failureTable(document: OpenApiDocument, op: OperationObject): Html {
  const failures = Object.entries(op.responses).flatMap(([status, response]) => {
    const failure = '$ref' in response ? failureOf(document, response) : undefined;
    return (failure?.['x-error-codes'] ?? []).map((code) => ({ status, code, text: summaryOf(failure, code) }));
  });
  return html`<details>
    <summary>Errors (${failures.length})</summary>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Code</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          ${failures.map(
            ({ status, code, text }) =>
              html`<tr>
                <td>${status}</td>
                <th scope="row"><code>${code}</code></th>
                <td>${prose(text)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}

function failureOf(document: OpenApiDocument, { $ref }: Reference): FailureObject | undefined {
  return document.components.responses[$ref.slice('#/components/responses/'.length)];
}

function summaryOf(failure: FailureObject | undefined, code: string): string {
  const example = failure?.content?.['application/json']?.examples?.[code] as Json | undefined;
  return typeof example?.['summary'] === 'string' ? example['summary'] : '';
}

/** A request for a shell with CONCLAVE_SERVER and CONCLAVE_TOKEN. The body comes from standard input, because arguments are public. */
function curlExample(method: string, path: string, op: OperationObject): string {
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
