import { davRefusal } from '../../../service/dav-matching.ts';
import { isBrief } from '../conditions.ts';
import { pathOf, segmentsOfHref } from '../dav-paths.ts';
import { wantedIn } from '../methods/propfind.ts';
import { responseOf, statusResponse, type Wanted } from '../multistatus.ts';
import type { DavRequest } from '../request.ts';
import { respondMultistatus } from '../respond-multistatus.ts';
import type { CollectionTarget } from '../targets.ts';
import { childrenOf, type XmlElement } from '../xml/read.ts';
import { calendarFormOf, cardFormOf } from './forms.ts';
import type { DavResource } from '../../../service/ports/dav.ts';

/** Resources of one request. Programs ask for tens, and some for all that have changed. */
const MOST = 5_000;
/** Resources whose contents are in memory together. */
const TOGETHER = 20;

/** Named resources of one collection (RFC 4791 7.9, RFC 6352 8.7). */
export async function multiget(request: DavRequest, target: CollectionTarget, report: XmlElement): Promise<Response> {
  const hrefs = [...new Set(childrenOf(report, 'd:href').map(({ text }) => text.trim()))];
  if (hrefs.length > MOST) {
    const message = `Ask for at most ${MOST} resources at once.`;
    throw davRefusal('forbidden', 'FORBIDDEN', 'd:number-of-matches-within-limits', message);
  }
  const wanted = wantedIn(report, isBrief(request.request.headers));
  const read = readingOf(request, target, report);
  return await respondMultistatus(request, target, responses(request, target, hrefs, { wanted, read }));
}

type Read = (names: readonly string[]) => Promise<readonly DavResource[]>;

/** Reads resources in the form that the report wants. */
function readingOf({ ctx, actor }: DavRequest, { space, collection }: CollectionTarget, report: XmlElement): Read {
  if (space.kind === 'calendar') {
    const form = calendarFormOf(report);
    return async (names) => await space.read(ctx, actor, collection, names, form);
  }
  const form = cardFormOf(report);
  return async (names) => await space.read(ctx, actor, collection, names, form);
}

async function* responses(
  request: DavRequest,
  target: CollectionTarget,
  hrefs: readonly string[],
  { wanted, read }: { readonly wanted: Wanted; readonly read: Read },
): AsyncGenerator<string> {
  const { space, collection } = target;
  for (let at = 0; at < hrefs.length; at += TOGETHER) {
    const some = hrefs.slice(at, at + TOGETHER);
    const names = some.map((href) => nameIn(request, target, href));
    const own = names.filter((name) => name !== undefined);
    const found = own.length === 0 ? [] : await read(own);
    const byName = new Map(found.map((content) => [content.name, content]));
    for (const [index, href] of some.entries()) {
      const name = names[index];
      const resource = name === undefined ? undefined : byName.get(name);
      if (name === undefined || resource === undefined) yield statusResponse(notFoundAs(href), 404);
      else yield await responseOf(request, { kind: 'resource', space, collection, name, resource }, wanted);
    }
  }
}

/** @returns undefined for what does not lie in the collection: nothing else is looked up */
function nameIn({ actor }: DavRequest, { space, collection }: CollectionTarget, href: string): string | undefined {
  const [root, memberId, segment, name, ...more] = segmentsOfHref(href) ?? [];
  const isInside = root === space.root && memberId === actor.memberId && segment === collection.segment;
  return isInside && more.length === 0 ? name : undefined;
}

/** The address as an answer can have it. */
function notFoundAs(href: string): string {
  const segments = segmentsOfHref(href);
  return segments === undefined ? href : pathOf(...segments);
}
