import { FastResponse } from 'srvx';
import { Problem } from '../../../base/problem.ts';
import { documentOf, element, href, textElement } from '../xml/write.ts';
import { mediaTypeOf } from '../../upload.ts';
import { respondXml } from '../answers.ts';
import { bodyOf, type DavRequest } from '../request.ts';
import { notThere, targetOf, type CollectionTarget } from '../targets.ts';
import { childOf, unreadable, type XmlElement } from '../xml/read.ts';
import { closedRange } from './filters.ts';

const calendarType = 'text/calendar; charset=utf-8';

/** When the time of a calendar is taken (RFC 4791 7.10). */
export async function freeBusyReport(
  { ctx, actor, sent }: DavRequest,
  { space, collection }: CollectionTarget,
  report: XmlElement,
): Promise<Response> {
  if (space.kind !== 'calendar') throw notThere();
  const range = childOf(report, 'c:time-range');
  if (range === undefined) throw unreadable('The report must have a time-range.');
  const text = await space.freeBusy(ctx, actor, collection, closedRange(range));
  return new FastResponse(text, { status: 200, headers: { ...sent, 'content-type': calendarType } });
}

/** Bytes of a request for free/busy: it names people and a range. */
const MOST_BYTES = 128 * 1024;

/** Asks when the time of others is taken (RFC 6638 5). Nothing else is sent through the outbox: the server invites by itself. */
export async function postToOutbox(request: DavRequest): Promise<Response> {
  const target = await targetOf(request);
  if (target.kind !== 'outbox')
    throw new Problem('invalid', 'METHOD_NOT_ALLOWED', 'Requests for free/busy go to the outbox, and nothing else.');
  if (mediaTypeOf(request.request.headers.get('content-type')) !== 'text/calendar')
    throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', 'The body must be text/calendar.');
  const bytes = await bodyOf(request, MOST_BYTES);
  const answers = await target.space.requestBusy(request.ctx, request.actor, bytes);
  const responses = answers.map(({ recipient, status, text }) =>
    element(
      'c:response',
      element('c:recipient', href(recipient)) +
        textElement('c:request-status', status) +
        (text === undefined ? '' : textElement('c:calendar-data', text)),
    ),
  );
  const { begin, end } = documentOf('c:schedule-response');
  return respondXml(200, begin + responses.join('') + end, request.sent);
}
