import type { Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import type { writtenQuery } from '../../../platform/store/written-query.ts';
import type { ArchiveFile } from './archive-file.ts';

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** @param things how many of the things that are counted it has */
export function json(name: string, value: unknown, things = 0): ArchiveFile {
  const bytes = utf8(`${JSON.stringify(value, undefined, 1)}\n`);
  return { name, size: bytes.length, content: [bytes], things };
}

export function numberedName(folder: string, number: number): string {
  return `${folder}/${String(number).padStart(6, '0')}.json`;
}

/** A row whose key is after the keys of the rows before it. */
export interface Keyed {
  readonly key: string;
}

export interface Folder<Row extends Keyed> {
  readonly name: string;
  /** $1 is the member, $2 a key that the rows are behind, $3 their number */
  readonly read: ReturnType<typeof writtenQuery<Row>>;
  /** rows of one file and of one query, so that a member with many of them takes no more memory */
  readonly most: number;
  /** whether its rows are among the things that are counted */
  readonly counted: boolean;
  readonly shown: (rows: readonly Row[]) => Promise<object[]> | object[];
}

/** The files of one kind of thing; none without such things. */
export async function* filesOfFolder<Row extends Keyed>(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  { name, read, most, counted, shown }: Folder<Row>,
): AsyncGenerator<ArchiveFile> {
  let after = '';
  for (let number = 1; ; number += 1) {
    const { rows } = await db.executeQuery(read(memberId, after, most));
    if (rows.length === 0) return;
    yield json(numberedName(name, number), await shown(rows), counted ? rows.length : 0);
    after = rows.at(-1)?.key ?? '';
  }
}
