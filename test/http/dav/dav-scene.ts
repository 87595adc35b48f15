import { accounts } from '../../../src/contract/accounts.ts';
import type { Scope } from '../../../src/contract/scopes.ts';
import { readXml, type XmlElement } from '../../../src/http/dav/xml/read.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openCalendars, type CalendarScene } from '../../services/calendar/calendar-scene.ts';
import type { HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

/** One request of a program. */
export interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** the client's, as a listener would see it; without it, the request comes from this process */
  readonly address?: string;
  /** instead of that of the member */
  readonly authorization?: string;
}

export interface DavAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** what a multistatus says of each address, in its order */
  readonly responses: ReadonlyMap<string, DavResponse>;
  /** names of elements in an error, but for the sentence for people */
  readonly preconditions: readonly string[];
  readonly syncToken: string | undefined;
}

/** What a multistatus says of one address. */
export interface DavResponse {
  /** of the whole, if it has one */
  readonly status: number | undefined;
  /** properties that are there: their text, or the names of what is in them */
  readonly found: Readonly<Record<string, string>>;
  /** names of the others, by their status */
  readonly missing: Readonly<Record<number, readonly string[]>>;
}

export interface DavScene extends CalendarScene {
  /** the value of the header `Authorization` for a new app password */
  password(who: HouseMember, scopes?: readonly Scope[]): Promise<string>;
  /** asks as a program of the member, which has an app password for calendars and contacts */
  dav(who: HouseMember, method: string, path: string, asked?: Asked): Promise<DavAnswer>;
}

export async function openDav(engine: EngineName, options: HouseOptions = {}): Promise<DavScene> {
  const scene = await openCalendars(engine, options);
  const { house } = scene;
  const known = new Map<string, string>();
  const password: DavScene['password'] = async (who, scopes = ['calendar', 'contacts']) => {
    const input = { name: 'Telephone', scopes: [...scopes] };
    const { body } = await house.perform(accounts.createAppPassword, input, who.token);
    return basic(who.username, body.password);
  };
  return {
    ...scene,
    password,
    async dav(who, method, path, { headers, body, address, authorization } = {}) {
      const own = authorization ?? known.get(who.memberId) ?? (await password(who));
      if (authorization === undefined) known.set(who.memberId, own);
      const request = new Request(`http://house.test${path}`, {
        method,
        headers: { ...(own !== '' && { authorization: own }), 'user-agent': 'dav-test', ...headers },
        redirect: 'manual',
        ...(body !== undefined && { body }),
      });
      if (address !== undefined) Object.defineProperty(request, 'ip', { value: address });
      return await answerOf(await house.fetch(request));
    },
  };
}

export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

async function answerOf(response: Response): Promise<DavAnswer> {
  const text = await response.text();
  const isXml = response.headers.get('content-type')?.startsWith('application/xml') === true;
  const root = isXml ? await readXml(Buffer.from(text)) : undefined;
  const responses = root?.name === 'd:multistatus' ? root.children.filter(({ name }) => name === 'd:response') : [];
  return {
    status: response.status,
    headers: response.headers,
    text,
    responses: new Map(responses.map((one) => [inside(one, 'd:href')?.text ?? '', toResponse(one)])),
    preconditions:
      root?.name === 'd:error'
        ? root.children.map(({ name }) => name).filter((name) => name !== 'd:responsedescription')
        : [],
    syncToken: root && inside(root, 'd:sync-token')?.text,
  };
}

function inside(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => child.name === name);
}

function toResponse(element: XmlElement): DavResponse {
  const found: Record<string, string> = {};
  const missing: Record<number, string[]> = {};
  for (const stat of element.children.filter(({ name }) => name === 'd:propstat')) {
    const status = statusOf(stat) ?? 0;
    for (const property of inside(stat, 'd:prop')?.children ?? [])
      if (status === 200) found[property.name] = valueOf(property);
      else (missing[status] ??= []).push(property.name);
  }
  return { status: statusOf(element), found, missing };
}

function statusOf(element: XmlElement): number | undefined {
  const [, status] = / (\d{3}) /.exec(`${inside(element, 'd:status')?.text} `) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** The text of a property, or what is in it: addresses by themselves, other elements by their names and attributes. */
function valueOf({ text, children }: XmlElement): string {
  if (children.length === 0) return text;
  return children
    .map((child) =>
      child.text.trim() !== '' || child.children.length > 0
        ? valueOf(child)
        : [child.name, ...Object.values(child.attributes)].join(' '),
    )
    .join(' ');
}

// Bodies as programs send them

/** @param names of properties, with prefixes as answers have them */
export function propfindBody(...names: readonly string[]): string {
  return document('d:propfind', prop(...names));
}

export function prop(...names: readonly string[]): string {
  return `<d:prop>${names.map((name) => `<${name}/>`).join('')}</d:prop>`;
}

export function document(name: string, inner: string): string {
  const spaces =
    'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:card="urn:ietf:params:xml:ns:carddav" ' +
    'xmlns:cs="http://calendarserver.org/ns/" xmlns:a="http://apple.com/ns/ical/"';
  return `<?xml version="1.0" encoding="utf-8"?><${name} ${spaces}>${inner}</${name}>`;
}

export function syncBody(token = '', more = prop('d:getetag')): string {
  return document('d:sync-collection', `<d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level>${more}`);
}

export const depth = (value: string) => ({ depth: value });

interface WrittenEvent {
  readonly uid: string;
  readonly summary?: string;
  readonly start?: string;
  readonly end?: string;
  /** further lines */
  readonly lines?: readonly string[];
}

/** An event as a program writes it: with an order of lines, and a property, that the server would not choose. */
export function eventText({
  uid,
  summary = 'Meeting',
  start = 'DTSTART:20260120T100000Z',
  end = 'DTEND:20260120T110000Z',
  lines = [],
}: WrittenEvent): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Example//Program//EN',
    'BEGIN:VEVENT',
    `SUMMARY:${summary}`,
    'X-EXAMPLE;VALUE=TEXT:kept',
    `UID:${uid}`,
    'DTSTAMP:20260115T120000Z',
    start,
    end,
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}
