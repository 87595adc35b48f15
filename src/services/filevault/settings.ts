import { choice, duration, integer, list, path, SECOND, serviceUrl, HOUR } from '../../config/kinds.ts';
import { set, unset } from '../../config/option.ts';

/** A hundred years: longer than anybody configures. */
const LONGEST_DAYS = 36_500;

export const fileSettings = {
  erasureKeysFile: unset(
    'erasure_keys_file',
    path,
    'File of the keys that make destroyed files unreadable in old backups; default: erasure.keys in the data directory. Keep a copy of it apart from the backups',
  ),
  publicUrl: unset(
    'public_url',
    serviceUrl,
    'Address that links to files begin with, such as https://files.example; default: the one that the maker of the link used',
  ),
  trashDays: set(
    'trash_days',
    integer(0, LONGEST_DAYS),
    '30',
    'Days after which what is in the trash is destroyed for good; 0: only by hand. The owner of a container can choose another number',
  ),
  versionsKept: set(
    'versions_kept',
    integer(0, 1_000_000),
    '0',
    'How many versions of a file stay, the current one included; 0: all. The owner of a container can choose another number',
  ),
  versionsDays: set(
    'versions_days',
    integer(0, LONGEST_DAYS),
    '0',
    'Days after which a version that was replaced is destroyed for good; 0: never. The owner of a container can choose another number',
  ),
  scanCommand: unset(
    'scan_command',
    list((item) => item),
    'Program with its arguments that gets the bytes of each new file on its standard input: exit code 0 is clean, 1 is infected. No shell runs it',
  ),
  scanUrl: unset(
    'scan_url',
    serviceUrl,
    'Service that gets the bytes of each new file by POST and answers {"clean": true} or {"clean": false, "name": "…"}',
  ),
  scanTimeoutMs: set(
    'scan_timeout',
    duration(SECOND, HOUR),
    '1m',
    'How long the scanner may take for one file; after that it is ended, and counts as failed',
  ),
  scanAtOnce: set('scan_at_once', integer(1, 64), '2', 'How many files are scanned at once; others wait'),
  scanFailure: set(
    'scan_failure',
    choice('refuse', 'accept'),
    'refuse',
    'What happens to a file when the scanner fails: refuse answers 503 and keeps the upload, accept stores it',
  ),
};
