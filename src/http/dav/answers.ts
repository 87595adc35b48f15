import { FastResponse } from 'srvx';
import type { Problem } from '../../base/problem.ts';
import { statusOf } from '../../base/problem-status.ts';
import type { HeaderFields } from '../respond.ts';
import { collectionPath, pathOf, segmentsOf } from './dav-paths.ts';
import { documentOf, element, href, textElement } from './xml/write.ts';

const xmlType = 'application/xml; charset=utf-8';

export function respondXml(status: number, xml: string, headers: HeaderFields): Response {
  return new FastResponse(xml, { status, headers: { 'content-type': xmlType, ...headers } });
}

export function respondEmpty(status: number, headers: HeaderFields): Response {
  // Node would send no length, and some programs wait for one.
  const length = status === 204 || status === 304 ? {} : { 'content-length': '0' };
  return new FastResponse(null, { status, headers: { ...length, ...headers } });
}

/**
 * A problem as programs read it: the condition that was not met, and the sentence for people (RFC 4918 16).
 * @param pathname what was asked for
 */
export function respondRefusal(problem: Problem, pathname: string, headers: HeaderFields): Response {
  const more: Record<string, string> = {};
  if (problem.retryAfterSeconds !== undefined) more['retry-after'] = String(Math.ceil(problem.retryAfterSeconds));
  if (problem.kind === 'unauthenticated') more['www-authenticate'] = 'Basic realm="Conclave", charset="UTF-8"';
  // The rest of a refused body is not read, so the connection cannot serve another request.
  if (problem.kind === 'tooLarge' || problem.code === 'REQUEST_TIMEOUT') more['connection'] = 'close';
  const { begin, end } = documentOf('d:error');
  const said = textElement('d:responsedescription', problem.message);
  return respondXml(davStatusOf(problem), `${begin}${preconditionOf(problem, pathname)}${said}${end}`, {
    ...headers,
    ...more,
  });
}

function davStatusOf(problem: Problem): number {
  // RFC 4331 6: that there is no room left is no fault of the request.
  return problem.code === 'STORAGE_QUOTA_EXCEEDED' ? 507 : statusOf(problem);
}

/** The element of the condition that a problem names. */
function preconditionOf({ code, details }: Problem, pathname: string): string {
  if (code === 'STORAGE_QUOTA_EXCEEDED') return element('d:quota-not-exceeded');
  if (code === 'INSUFFICIENT_SCOPE') return element('d:need-privileges');
  const precondition = details?.['precondition'];
  if (precondition === undefined) return '';
  const name = details?.['name'];
  return element(precondition, name === undefined ? '' : href(besides(pathname, name)));
}

/** The address of another resource of the same collection. */
function besides(pathname: string, name: string): string {
  const segments = segmentsOf(pathname)?.slice(0, -1) ?? [];
  return name === '' ? collectionPath(...segments) : pathOf(...segments, name);
}

export function statusLine(status: number): string {
  const words: Readonly<Record<number, string>> = {
    200: 'OK',
    403: 'Forbidden',
    404: 'Not Found',
    424: 'Failed Dependency',
    500: 'Internal Server Error',
    507: 'Insufficient Storage',
  };
  return textElement('d:status', `HTTP/1.1 ${status} ${words[status] ?? ''}`.trimEnd());
}
