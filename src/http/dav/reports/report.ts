import { davRefusal } from '../../../service/dav-matching.ts';
import { syncTokenElement } from '../multistatus.ts';
import { xmlOf, type DavRequest } from '../request.ts';
import { respondMultistatus } from '../respond-multistatus.ts';
import { reportsOf } from '../properties/basic-properties.ts';
import { notThere, targetOf, type CollectionTarget, type Target } from '../targets.ts';
import { unreadable, type XmlElement } from '../xml/read.ts';
import { freeBusyReport } from './free-busy.ts';
import { multiget } from './multiget.ts';
import { expandProperty, principalSearch, searchableProperties } from './principals.ts';
import { query } from './queries.ts';
import { syncCollection } from './sync.ts';

type Report<T extends Target> = (request: DavRequest, target: T, report: XmlElement) => Promise<Response>;

const everywhere: Readonly<Record<string, Report<Target>>> = {
  'd:expand-property': expandProperty,
  'd:principal-property-search': principalSearch,
  'd:principal-search-property-set': searchableProperties,
};

const ofCollections: Readonly<Record<string, Report<CollectionTarget>>> = {
  'c:calendar-multiget': multiget,
  'c:calendar-query': query,
  'c:free-busy-query': freeBusyReport,
  'card:addressbook-multiget': multiget,
  'card:addressbook-query': query,
  'd:sync-collection': syncCollection,
};

/** Nothing comes into the inbox, so there is nothing to find, and nothing new. */
async function ofEmptyInbox(request: DavRequest, target: Target, name: string): Promise<Response> {
  async function* nothing(): AsyncGenerator<string> {
    if (name === 'd:sync-collection') yield syncTokenElement('urn:conclave:sync:inbox');
  }
  return await respondMultistatus(request, target, nothing());
}

/**
 * Answers a report (RFC 3253 3.6). `Depth` is not looked at: some programs send 1 where the RFCs want 0 and the other way round, and what each
 * report is about is clear without it.
 */
export async function report(request: DavRequest): Promise<Response> {
  const body = await xmlOf(request);
  if (body === undefined) throw unreadable('The body must name a report.');
  const target = await targetOf(request);
  if (target.kind === 'free') throw notThere();
  const { name } = body;
  if (reportsOf(target).includes(name)) {
    const general = Object.hasOwn(everywhere, name) ? everywhere[name] : undefined;
    if (general !== undefined) return await general(request, target, body);
    if (target.kind === 'inbox') return await ofEmptyInbox(request, target, name);
    const own = Object.hasOwn(ofCollections, name) ? ofCollections[name] : undefined;
    if (own !== undefined && target.kind === 'collection') return await own(request, target, body);
  }
  throw davRefusal('forbidden', 'FORBIDDEN', 'd:supported-report', 'There is no such report here.');
}
