import type { EntryType, KeptEntry, PropertyRecord, UrlMatch } from '../../../contract/passvault/entry.ts';
import { passvaultLimits } from '../../../contract/passvault/limits.ts';

/** An address that an entry is for. */
export interface EntryUrl {
  readonly uri: string;
  readonly match: UrlMatch;
}

/** The data of an entry that lists, search and autofill can read without opening the entry. Times in milliseconds since 1970. */
export interface Properties {
  readonly id: string;
  readonly entryType: EntryType;
  readonly title: string;
  readonly tags: readonly string[];
  readonly favorite: boolean;
  readonly archived: boolean;
  readonly hasTotp: boolean;
  readonly siteUrl: string;
  readonly username: string;
  readonly urls: readonly EntryUrl[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

const types: readonly EntryType[] = ['login', 'credit_card', 'secure_note'];
const FAVORITE = 1;
const ARCHIVED = 2;
const HAS_TOTP = 4;

/** The stored form in a page. A list takes half the space of an object, and half the time to parse. Only this module reads it. */
type Packed = readonly [
  id: string,
  type: number,
  flags: number,
  version: number,
  createdAt: number,
  updatedAt: number,
  title: string,
  username: string,
  siteUrl: string,
  tags: readonly string[] | 0,
  urls: readonly (readonly [uri: string, match: UrlMatch])[] | 0,
];

/** The details that an entry's row holds. */
interface EntryDetails {
  readonly id: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Imported texts may have a megabyte. A page is written as a whole, so it holds only as much as lists can show. */
const SHOWN = passvaultLimits.title;
const ADDRESS = 2_000;
const SEVERAL = 100;

/** Shortens a text, but never in the middle of a character. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

export function propertiesOf(entry: KeptEntry, details: EntryDetails): Properties {
  const siteUrl = entry.siteUrl ?? '';
  // A shortened address would be another address. So a long address is left out, and the entry isn't offered for it.
  const urls = (entry.urls ?? []).filter((url) => url.uri.length <= ADDRESS).slice(0, SEVERAL);
  return {
    id: details.id,
    entryType: entry.type,
    title: cut(entry.title, SHOWN),
    tags: entry.tags.slice(0, SEVERAL).map((tag) => cut(tag, SHOWN)),
    favorite: entry.favorite,
    archived: entry.archived,
    hasTotp: Boolean(entry.totpSecret),
    siteUrl: siteUrl.length <= ADDRESS ? siteUrl : '',
    username: cut(entry.username ?? '', SHOWN),
    urls,
    createdAt: details.createdAt,
    updatedAt: details.updatedAt,
    version: details.version,
  };
}

/** The text of a page. */
export function packPage(records: readonly Properties[]): string {
  return JSON.stringify(records.map(pack));
}

export function unpackPage(text: string): Properties[] {
  return (JSON.parse(text) as Packed[]).map(unpack);
}

function pack({ tags, urls, favorite, archived, hasTotp, ...of }: Properties): Packed {
  return [
    of.id,
    types.indexOf(of.entryType),
    (favorite ? FAVORITE : 0) | (archived ? ARCHIVED : 0) | (hasTotp ? HAS_TOTP : 0),
    of.version,
    of.createdAt,
    of.updatedAt,
    of.title,
    of.username,
    of.siteUrl,
    tags.length === 0 ? 0 : tags,
    urls.length === 0 ? 0 : urls.map(({ uri, match }) => [uri, match] as const),
  ];
}

function unpack(packed: Packed): Properties {
  const [id, type, flags, version, createdAt, updatedAt, title, username, siteUrl, tags, urls] = packed;
  return {
    id,
    entryType: types[type] ?? 'secure_note',
    title,
    tags: tags === 0 ? [] : tags,
    favorite: (flags & FAVORITE) !== 0,
    archived: (flags & ARCHIVED) !== 0,
    hasTotp: (flags & HAS_TOTP) !== 0,
    siteUrl,
    username,
    urls: urls === 0 ? [] : urls.map(([uri, match]) => ({ uri, match })),
    createdAt,
    updatedAt,
    version,
  };
}

export function recordOf(found: Properties): PropertyRecord {
  const { urls: _, ...properties } = found;
  return {
    ...properties,
    tags: [...properties.tags],
    createdAt: new Date(properties.createdAt).toISOString(),
    updatedAt: new Date(properties.updatedAt).toISOString(),
  };
}
