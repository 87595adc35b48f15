import { sql, type RawBuilder } from 'kysely';
import { contains } from '../../../platform/store/contains.ts';
import type { Db } from '../../../platform/store/database.ts';
import { nameKey } from '../tree/names.ts';

export interface Filters {
  readonly query?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly mimeType?: string | undefined;
  readonly folderId?: string | undefined;
  readonly vaultContainerId?: string | undefined;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly sizeMin?: number | undefined;
  readonly sizeMax?: number | undefined;
  readonly fileType?: FileType | undefined;
  readonly deleted?: boolean | undefined;
}

type FileType = 'image' | 'video' | 'audio' | 'document' | 'text' | 'archive' | 'other';

/** Patterns of media types, as after `like`. */
const patterns: Readonly<Record<Exclude<FileType, 'other'>, readonly string[]>> = {
  image: ['image/%'],
  video: ['video/%'],
  audio: ['audio/%'],
  text: ['text/%'],
  document: [
    'application/pdf%',
    'application/msword%',
    'application/rtf%',
    'application/vnd.ms-%',
    'application/vnd.openxmlformats-officedocument.%',
    'application/vnd.oasis.opendocument.%',
    'application/epub+zip%',
  ],
  archive: [
    'application/zip%',
    'application/gzip%',
    'application/x-tar%',
    'application/x-7z-compressed%',
    'application/vnd.rar%',
    'application/x-bzip2%',
    'application/x-xz%',
    'application/zstd%',
  ],
};

/** Whether any file in these containers has a description. */
export async function haveDescriptions(db: Db, containers: readonly string[]): Promise<boolean> {
  const { rows } = await sql`select id from file_nodes where ${describedIn(containers)} limit 1`.execute(db);
  return rows.length > 0;
}

/** The conditions of the index `file_nodes_described`. */
function describedIn(containers: readonly string[]): RawBuilder<unknown> {
  return sql`container_id in (${sql.join([...containers])}) and description is not null`;
}

/** What a file `f` must be, all of it. @param described containers where it may have a description; undefined: none has any */
export function conditionsOf(described: readonly string[] | undefined, filters: Filters): RawBuilder<unknown>[] {
  const { query, tags = [], mimeType, dateFrom, dateTo, sizeMin, sizeMax, fileType } = filters;
  const conditions = [sql`1 = 1`];
  if (query !== undefined) {
    const text = nameKey(query);
    const named = contains(sql`f.name_key`, text);
    // Few files have a description. Those that match are found by an index of theirs, so that the others need only their names.
    const about = contains(sql`lower(description)`, text);
    conditions.push(
      described === undefined
        ? named
        : sql`(${named} or f.id in (select id from file_nodes where ${describedIn(described)} and ${about}))`,
    );
  }
  for (const tag of tags) conditions.push(sql`f.tags like ${containing(JSON.stringify(tag))} escape '!'`);
  if (mimeType !== undefined) conditions.push(sql`f.mime_type = ${mimeType}`);
  if (dateFrom !== undefined) conditions.push(sql`f.created_at >= ${Date.parse(dateFrom)}`);
  if (dateTo !== undefined) conditions.push(sql`f.created_at < ${Date.parse(dateTo)}`);
  if (sizeMin !== undefined) conditions.push(sql`f.size >= ${sizeMin}`);
  if (sizeMax !== undefined) conditions.push(sql`f.size <= ${sizeMax}`);
  if (fileType === 'other') conditions.push(sql`not (${isAny(Object.values(patterns).flat())})`);
  else if (fileType !== undefined) conditions.push(sql`(${isAny(patterns[fileType])})`);
  return conditions;
}

function isAny(likes: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    likes.map((like) => sql`f.mime_type like ${like}`),
    sql` or `,
  );
}

function containing(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, '!$&')}%`;
}
