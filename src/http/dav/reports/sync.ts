import { davRefusal } from '../../../service/dav-matching.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { isBrief } from '../conditions.ts';
import { wantedIn } from '../methods/propfind.ts';
import { responseOf, statusResponse, syncTokenElement, type Wanted } from '../multistatus.ts';
import { needContent } from '../properties/resource.ts';
import type { DavRequest } from '../request.ts';
import { respondMultistatus } from '../respond-multistatus.ts';
import { addressOf, type CollectionTarget } from '../targets.ts';
import { childOf, textIn, type XmlElement } from '../xml/read.ts';
import { element } from '../xml/write.ts';

const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** What has changed in a collection since a token (RFC 6578). */
export async function syncCollection(
  request: DavRequest,
  target: CollectionTarget,
  report: XmlElement,
): Promise<Response> {
  const level = textIn(report, 'd:sync-level');
  if (level === 'infinite') {
    const message = 'Ask with the sync-level 1: nothing here has an inner collection.';
    throw davRefusal('forbidden', 'FORBIDDEN', 'd:sync-traversal-supported', message);
  }
  const token = textIn(report, 'd:sync-token');
  const limit = limitIn(report, 'd') ?? EVERYTHING;
  const wanted = wantedIn(report, isBrief(request.request.headers));
  const since = token === undefined || token === '' ? undefined : token;
  return await respondMultistatus(request, target, responses(request, target, wanted, { since, limit }));
}

/** How many results a program wants at most. @returns undefined without a limit that is a number */
export function limitIn(report: XmlElement, prefix: 'd' | 'card'): number | undefined {
  const limit = wholeNumber(textIn(childOf(report, `${prefix}:limit`), `${prefix}:nresults`));
  return limit === 0 ? undefined : limit;
}

async function* responses(
  request: DavRequest,
  target: CollectionTarget,
  wanted: Wanted,
  { since, limit }: { readonly since: string | undefined; readonly limit: number },
): AsyncGenerator<string> {
  const { ctx, actor } = request;
  const { space, collection } = target;
  const withContent = wanted.names !== 'all' && needContent(wanted.names);
  const changes = space.changes(ctx, actor, collection, since, limit);
  for (;;) {
    const { done, value } = await changes.next();
    if (done === true) {
      // RFC 6578 3.6
      if (value.more) yield statusResponse(addressOf(request, target), 507, numberOfMatches());
      yield syncTokenElement(value.token);
      return;
    }
    for (const { name, resource } of value) {
      const child = { kind: 'resource', space, collection, name } as const;
      if (resource === undefined) yield statusResponse(addressOf(request, child), 404);
      else {
        const [content] = withContent ? await space.read(ctx, actor, collection, [name]) : [resource];
        // It may have gone meanwhile, which the next synchronisation says.
        if (content !== undefined) yield await responseOf(request, { ...child, resource: content }, wanted);
      }
    }
  }
}

/** That there are more results than are given (RFC 5323, RFC 6352 8.6.2). */
export function numberOfMatches(): string {
  return element('d:error', element('d:number-of-matches-within-limits'));
}
