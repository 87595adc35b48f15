import type { SourceFile } from './source-files.ts';

/**
 * Where `Number` and its like may be applied, how often in the file, and to what. What comes from outside (requests, files, flags,
 * peers, the environment) is read with `wholeNumber`, which takes digits and nothing else.
 */
const places: Readonly<Record<string, readonly [times: number, what: string]>> = {
  'src/base/whole-number.ts': [2, 'this is the place for it, behind a pattern'],
  'src/contract/text.ts': [1, 'behind a pattern; the contract imports nothing'],
  'src/contract/passvault/entries.ts': [1, 'behind a pattern; the contract imports nothing'],
  'src/cli/files/transfer/file-stats.ts': [2, 'bigints of the file system'],
  'src/services/accounts/signing-in/direct-login.ts': [1, 'a bigint out of 8 bytes'],
  'src/services/accounts/members/members.ts': [1, 'a count of the database'],
  'src/services/accounts/purge.ts': [1, 'a bigint, how many rows'],
  'src/crypto/bloom-filter.ts': [1, 'bigints out of 8 bytes, which were compared the line before'],
  'src/crypto/fingerprint.ts': [1, 'bits that were written the line before'],
  'src/platform/network/rows.ts': [1, 'a bigint, how many rows'],
  'src/http/json-parse.ts': [1, 'an index that was written a moment before'],
  'src/http/limits.ts': [1, 'headers of our own answer; NaN where there is none'],
  'src/http/openapi/example.ts': [2, 'numbers of our own schemas'],
  'src/services/passvault/entries/autofill.ts': [2, 'booleans'],
  'src/services/passvault/emergency/emergency-access.ts': [1, 'a count of the database'],
  'src/services/passvault/transfer/import/keepass-entry.ts': [1, 'a bigint out of 8 bytes'],
  'src/services/passvault/sharing/notices.ts': [1, 'a bigint, how many rows'],
  'src/shared/members/blocks.ts': [1, 'a bigint, how many rows'],
  'src/services/pool/joining/queue.ts': [1, 'a bigint, how many rows'],
  'src/node/listeners/websockets.ts': [1, 'what sending a frame gave back'],
  'src/platform/store/backup/restore-backup.ts': [1, 'a bigint, how many rows'],
  'src/platform/store/event-rows.ts': [1, 'a bigint, how many rows'],
  'src/platform/store/backup/tar.ts': [
    2,
    'octal; the header that follows from it is compared with the one that was read',
  ],
  'src/platform/store/postgres/pool.ts': [1, 'numbers as PostgreSQL writes them'],
  'src/platform/store/search/merge.ts': [2, 'bigints, how many rows'],
  'src/platform/store/search/postings.ts': [1, 'a bigint, how many rows'],
  'src/platform/store/sqljs/check-file.ts': [1, 'a bigint of a system call'],
  'src/platform/store/sqljs/system-calls.ts': [2, 'bigints of system calls'],
};

// `Number(text)`, `.map(Number)`, `parseInt`, `parseFloat`, and `+text`.
const reading =
  /(?<![\w.])Number\(|\(Number\)|\bparse(?:Int|Float)\(|(?:[=(,:?[{!&|>]|\breturn)\s*\+(?!\+)\s*[A-Za-z_(`'"]/g;

/** Uses of `Number` that nobody gave a reason for, and reasons that are left over. */
export function foreignNumbers(files: readonly SourceFile[]): string[] {
  const found: string[] = [];
  for (const { path, text } of files) {
    if (!/^(?:src|commands)\//.test(path)) continue;
    const code = text
      .replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, '')
      .replace(/\/(?:\\.|\[[^\]\n]*\]|[^/\n\\[])+\/[a-z]*(?=[.,;)])/g, '');
    const times = [...code.matchAll(reading)].length;
    const [allowed] = places[path] ?? [0];
    if (times > allowed) found.push(`${path} reads ${times} numbers, ${allowed} of them for a reason: use wholeNumber`);
    if (times < allowed)
      found.push(`${path} reads ${times} numbers, and ${allowed} are allowed: take them off the list`);
  }
  return found;
}
