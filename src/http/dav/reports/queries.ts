import type { DavResource } from '../../../service/ports/dav.ts';
import { isBrief } from '../conditions.ts';
import { wantedIn } from '../methods/propfind.ts';
import { responseOf, statusResponse, type Wanted } from '../multistatus.ts';
import { needContent } from '../properties/resource.ts';
import type { DavRequest } from '../request.ts';
import { respondMultistatus } from '../respond-multistatus.ts';
import { addressOf, type CollectionTarget } from '../targets.ts';
import type { XmlElement } from '../xml/read.ts';
import { calendarFormOf, cardFormOf } from './forms.ts';
import { calendarFilterOf, cardFilterOf } from './filters.ts';
import { limitIn, numberOfMatches } from './sync.ts';

/** Objects of a calendar that a filter finds (RFC 4791 7.8), or contacts (RFC 6352 8.6). */
export async function query(request: DavRequest, target: CollectionTarget, report: XmlElement): Promise<Response> {
  const wanted = wantedIn(report, isBrief(request.request.headers));
  const found = foundBy(request, target, report, withContent(wanted));
  const limit = target.space.kind === 'addressbook' ? limitIn(report, 'card') : undefined;
  return await respondMultistatus(request, target, responses(request, target, found, { wanted, limit }));
}

/** @throws Problem forbidden FORBIDDEN for a filter that is none */
function foundBy(
  { ctx, actor }: DavRequest,
  { space, collection }: CollectionTarget,
  report: XmlElement,
  content: boolean,
): AsyncIterable<readonly DavResource[]> {
  if (space.kind === 'calendar')
    return space.query(ctx, actor, collection, calendarFilterOf(report), content ? calendarFormOf(report) : undefined);
  return space.query(ctx, actor, collection, cardFilterOf(report), content ? cardFormOf(report) : undefined);
}

function withContent({ names }: Wanted): boolean {
  return names !== 'all' && needContent(names);
}

async function* responses(
  request: DavRequest,
  target: CollectionTarget,
  found: AsyncIterable<readonly DavResource[]>,
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
