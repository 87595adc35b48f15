import { headerFieldsOf, headerOf, type HeaderFields } from '../contract/header-fields.ts';
import { pathParameters, type Operation } from '../contract/operation.ts';
import { RawJson } from '../contract/raw-json.ts';
import { fieldProblem, Problem } from '../base/problem.ts';
import type { WireRequest } from './transport.ts';

/** Puts an operation's flat input and its other declared values where the contract says: path, headers, query or body. */
export function requestOf(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
): WireRequest & { readonly body?: string } {
  const inPath = pathParameters(operation.path);
  const inHeaders = headerFieldsOf(operation);
  const rest = Object.entries(input).filter(
    ([name, value]) => value !== undefined && !inPath.includes(name) && !Object.hasOwn(inHeaders, name),
  );
  const headers = headersFor(inHeaders, input);
  const path = operation.path.replaceAll(/([:*])(\w+)/g, (_, mark: string, name: string) => {
    const given = input[name];
    const value = typeof given === 'number' ? String(given) : given;
    if (typeof value !== 'string' || value === '') throw fieldProblem(name, 'is missing');
    return mark === '*' ? value.split('/').map(encodeSegment).join('/') : encodeSegment(value);
  });
  const { method } = operation;
  if (operation.form !== 'json' || method === 'GET' || (method === 'DELETE' && rest.length === 0)) {
    return { method, path: path + queryOf(rest), headers };
  }
  headers['content-type'] = 'application/json';
  return { method, path, headers, body: bodyOf(rest) };
}

/** What is JSON already goes out as it is. */
function bodyOf(fields: readonly (readonly [string, unknown])[]): string {
  const members = fields.map(([name, value]) => {
    const json = value instanceof RawJson ? value.text : JSON.stringify(value);
    return `${JSON.stringify(name)}:${json}`;
  });
  return `{${members.join(',')}}`;
}

/** Checks header values here, because the transport's error for an invalid value does not name the field. */
function headersFor(fields: HeaderFields, input: Readonly<Record<string, unknown>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, schema] of Object.entries(fields)) {
    const value = input[name];
    if (value === undefined) continue;
    const header = headerOf(schema) ?? name;
    if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw fieldProblem(header, 'must be text of visible ASCII characters and spaces');
    }
    headers[header.toLowerCase()] = value;
  }
  return headers;
}

/** URLs treat the segments `.` and `..` as steps in the tree, even if they are percent-encoded. No id has this form. */
function encodeSegment(segment: string): string {
  if (segment === '.' || segment === '..')
    throw new Problem('missing', 'NOT_FOUND', 'There is nothing with this name.');
  return encodeURIComponent(segment);
}

function queryOf(fields: readonly (readonly [string, unknown])[]): string {
  const query = new URLSearchParams();
  for (const [name, value] of fields) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}
