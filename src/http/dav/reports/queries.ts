import type { DavContent, DavResource } from '../../../service/ports/dav.ts';
import { isBrief } from '../conditions.ts';
import { wantedIn } from '../methods/propfind.ts';
import { responseOf, statusResponse, type Wanted } from '../multistatus.ts';
import { needContent } from '../properties/resource.ts';
import type { DavRequest } from '../request.ts';
import { respondMultistatus } from '../respond-multistatus.ts';
import { addressOf, notThere, type CollectionTarget } from '../targets.ts';
import type { XmlElement } from '../xml/read.ts';
import { calendarFormOf } from './calendar-data.ts';
import { calendarFilterOf, cardFilterOf } from './filters.ts';
import { limitIn, numberOfMatches } from './sync.ts';

/** Objects of a calendar that a filter finds (RFC 4791 7.8). */
export async function calendarQuery(
  request: DavRequest,
  target: CollectionTarget,
  report: XmlElement,
): Promise<Response> {
  const { ctx, actor } = request;
  const { space, collection } = target;
  if (space.kind !== 'calendar') throw notThere();
  const wanted = wantedIn(report, isBrief(request.request.headers));
  const filter = calendarFilterOf(report);
  const form = withContent(wanted) ? calendarFormOf(report) : undefined;
  const found = space.query(ctx, actor, collection, filter, form);
  return await respondMultistatus(request, responses(request, target, found, { wanted, limit: undefined }));
}

/** Contacts that a filter finds (RFC 6352 8.6). */
export async function addressbookQuery(
  request: DavRequest,
  target: CollectionTarget,
  report: XmlElement,
): Promise<Response> {
  const { ctx, actor } = request;
  const { space, collection } = target;
  if (space.kind !== 'addressbook') throw notThere();
  const wanted = wantedIn(report, isBrief(request.request.headers));
  const found = space.query(ctx, actor, collection, cardFilterOf(report), withContent(wanted));
  const limit = limitIn(report, 'card');
  return await respondMultistatus(request, responses(request, target, found, { wanted, limit }));
}

function withContent({ names }: Wanted): boolean {
  return names !== 'all' && needContent(names);
}

async function* responses(
  request: DavRequest,
  target: CollectionTarget,
  found: AsyncIterable<readonly (DavResource | DavContent)[]>,
  { wanted, limit = Number.MAX_SAFE_INTEGER }: { readonly wanted: Wanted; readonly limit: number | undefined },
): AsyncGenerator<string> {
  const { space, collection } = target;
  let count = 0;
  for await (const some of found)
    for (const resource of some) {
      count += 1;
      if (count > limit) {
        yield statusResponse(addressOf(request, target), 507, numberOfMatches());
        return;
      }
      yield await responseOf(request, { kind: 'resource', space, collection, name: resource.name, resource }, wanted);
    }
}
