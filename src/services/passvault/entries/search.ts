import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { EntryType } from '../../../contract/passvault/entry.ts';
import type { PageRequest } from '../../../platform/store/page.ts';
import { openVault } from '../vaults/access.ts';
import type { Properties } from '../vaults/properties.ts';
import { listRecords } from './record-pages.ts';

interface Criteria extends PageRequest {
  readonly vaultId: string;
  readonly query?: string | undefined;
  readonly type?: EntryType | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly favorite?: boolean | undefined;
}

/** Folds case and Unicode composition, so that they don't matter in a comparison. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** All criteria that are given must match. */
export async function search(ctx: Context, actor: Actor, criteria: Criteria) {
  const vault = await openVault(ctx, actor, criteria.vaultId);
  const { query, type, tags, favorite } = criteria;
  const list = {
    list: 'passvault.search',
    filter: { query, type, favorite, ...(tags !== undefined && { tags: JSON.stringify(tags) }) },
    passes: mayHold(query),
    matches: matcher(criteria),
  };
  const { records, next } = await listRecords(ctx, actor, vault, list, criteria);
  return { results: records.map((record) => resultOf(record)), ...next };
}

function resultOf({ id, entryType, title, tags, favorite, siteUrl, username }: Properties) {
  return { id, type: entryType, title, tags: [...tags], favorite, siteUrl, username };
}

/**
 * Whether a page can match the query. It runs before the page is parsed, because parsing is most of the work. If JSON may write the query
 * with escapes, every page passes.
 */
function mayHold(query = ''): (page: string, ascii: boolean) => boolean {
  const needle = folded(query.trim());
  // oxlint-disable-next-line no-control-regex -- JSON escapes control characters
  if (/["\\\u0000-\u001f]/.test(needle)) return () => true;
  // ASCII is always in normal form, and a regular expression compares it in a third of the time, without a copy of the page.
  const inAscii = new RegExp(needle.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'i');
  return (page, ascii) => (ascii ? inAscii.test(page) : folded(page).includes(needle));
}

function matcher({ query, type, tags = [], favorite }: Criteria): (found: Properties) => boolean {
  const needle = query === undefined ? '' : folded(query.trim());
  const wanted = tags.map(folded);
  return (found) => {
    if (needle !== '' && !textOf(found).includes(needle)) return false;
    if (type === undefined && favorite === undefined && wanted.length === 0) return true;
    if (type !== undefined && found.entryType !== type) return false;
    if (favorite !== undefined && found.favorite !== favorite) return false;
    const has = new Set(found.tags.map(folded));
    return wanted.every((tag) => has.has(tag));
  };
}

/** The text to search in. Line ends between the fields keep a query from matching across two of them. */
function textOf({ title, username, siteUrl, tags, urls }: Properties): string {
  return folded([title, username, siteUrl, ...tags, ...urls.map(({ uri }) => uri)].join('\n'));
}
