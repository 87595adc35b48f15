import { respondXml } from '../answers.ts';
import { isBrief } from '../conditions.ts';
import { segmentsOfHref } from '../dav-paths.ts';
import { wantedIn } from '../methods/propfind.ts';
import { propstat, responseOf } from '../multistatus.ts';
import { mailAddressOf } from '../properties/principal.ts';
import { propertiesOf } from '../properties/tables.ts';
import type { DavRequest } from '../request.ts';
import { respondMultistatus } from '../respond-multistatus.ts';
import { addressOf, targetAt, type Target } from '../targets.ts';
import { nameOf } from '../xml/names.ts';
import { childOf, childrenOf, type XmlElement } from '../xml/read.ts';
import { documentOf, element, href } from '../xml/write.ts';

/** What programs find people by. */
const searchable: Readonly<Record<string, { readonly text: string; of(request: DavRequest): string }>> = {
  'd:displayname': { text: 'Name', of: ({ actor }) => actor.username },
  'c:calendar-user-address-set': { text: 'Address', of: (request) => mailAddressOf(request) ?? '' },
  'cs:email-address-set': { text: 'E-mail address', of: (request) => mailAddressOf(request) ?? '' },
};

/**
 * Finds principals (RFC 3744 9.4): only that of the member who asks. Others are found as contacts, in the book of members, by the rules of that
 * book.
 */
export async function principalSearch(request: DavRequest, target: Target, report: XmlElement): Promise<Response> {
  const isAny = report.attributes['test'] === 'anyof';
  const answers = childrenOf(report, 'd:property-search').flatMap((search) => {
    const wanted = childOf(search, 'd:match')?.text.trim().toLowerCase() ?? '';
    const names = childOf(search, 'd:prop')?.children.map(({ name }) => name) ?? [];
    return names.map((name) => {
      const value = Object.hasOwn(searchable, name) ? searchable[name]?.of(request).toLowerCase() : undefined;
      return wanted !== '' && value?.includes(wanted) === true;
    });
  });
  const isFound = answers.length > 0 && (isAny ? answers.some(Boolean) : answers.every(Boolean));
  const wanted = wantedIn(report, isBrief(request.request.headers));
  async function* found(): AsyncGenerator<string> {
    if (isFound) yield await responseOf(request, { kind: 'principal' }, wanted);
  }
  return await respondMultistatus(request, target, found());
}

/** By which properties principals are found (RFC 3744 9.5). */
export async function searchableProperties({ sent }: DavRequest): Promise<Response> {
  const { begin, end } = documentOf('d:principal-search-property-set');
  const properties = Object.entries(searchable).map(([name, { text }]) =>
    element(
      'd:principal-search-property',
      element('d:prop', element(name)) + element('d:description', text, { 'xml:lang': 'en' }),
    ),
  );
  return respondXml(200, begin + properties.join('') + end, sent);
}

/** How deep properties of properties are followed. */
const DEPTH = 3;
/** Targets of one request whose properties are read. Programs ask for some four. */
const MOST = 100;

/** Properties, and instead of the addresses in them the properties of what is there (RFC 3253 3.8). */
export async function expandProperty(request: DavRequest, target: Target, report: XmlElement): Promise<Response> {
  async function* expanded(): AsyncGenerator<string> {
    yield await expandedResponse(request, target, report, { depth: 0, left: { targets: MOST } });
  }
  return await respondMultistatus(request, target, expanded());
}

/** How far properties have been followed. What is beyond stays an address. */
interface Far {
  readonly depth: number;
  readonly left: { targets: number };
}

async function expandedResponse(request: DavRequest, target: Target, wanted: XmlElement, far: Far): Promise<string> {
  const table = propertiesOf(target);
  let found = '';
  let missing = '';
  const named = new Map(childrenOf(wanted, 'd:property').map((property) => [nameOfProperty(property), property]));
  for (const [name, property] of named) {
    if (name === undefined) continue;
    const value = Object.hasOwn(table, name) ? await table[name]?.(request, target) : undefined;
    if (value === undefined) missing += element(name);
    else found += element(name, await withInner(request, value, property, far));
  }
  const bad = missing === '' || isBrief(request.request.headers) ? '' : propstat(missing, 404);
  return element('d:response', href(addressOf(request, target)) + propstat(found, 200) + bad);
}

function nameOfProperty({ attributes }: XmlElement): string | undefined {
  const { name, namespace = 'DAV:' } = attributes;
  if (name === undefined || !/^[A-Za-z_][\w.-]{0,63}$/.test(name)) return undefined;
  return nameOf(namespace, name);
}

async function withInner(
  request: DavRequest,
  value: string,
  property: XmlElement,
  { depth, left }: Far,
): Promise<string> {
  if (depth >= DEPTH || childrenOf(property, 'd:property').length === 0) return value;
  let inner = '';
  for (const [whole, path = ''] of value.matchAll(/<d:href>([^<]*)<\/d:href>/g)) {
    left.targets -= 1;
    const found = left.targets < 0 ? undefined : await targetAt(request, segmentsOfHref(path)).catch(() => undefined);
    if (found === undefined || found.kind === 'free' || found.kind === 'resource') inner += whole;
    else inner += await expandedResponse(request, found, property, { depth: depth + 1, left });
  }
  return inner === '' ? value : inner;
}
