import { quorumLimits } from '../contract/quorum/limits.ts';
import { mostArgon2, mostBcryptRounds, wrapIterations } from '../crypto/cost-limits.ts';
import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  WrongValue,
  choice,
  duration,
  host,
  integer,
  list,
  onOff,
  path,
  serviceUrl,
  type Kind,
} from './kinds.ts';
import { set, unset } from './option.ts';

/** What a running server takes over when it reads its configuration again. */
const reloads = { reloads: true } as const;

const sessionSettings = {
  lifetimeMs: set('lifetime', duration(MINUTE, 365 * DAY), '7d', 'How long a session lasts'),
  refreshGraceMs: set('refresh_grace', duration(0, 10 * MINUTE), '30s', 'How long the old token works after a refresh'),
  challengeMs: set('challenge', duration(10 * SECOND, HOUR), '5m', 'How long a sign-in challenge is valid'),
};

/** The minimum of Argon2id is OWASP's for password storage. */
const passwordSettings = {
  memoryKib: set(
    'memory_kib',
    integer(19_456, mostArgon2.memoryKiB, 'the minimum for Argon2id'),
    '33792',
    'Memory of Argon2id in KiB',
  ),
  passes: set('passes', integer(2, mostArgon2.passes, 'the minimum for Argon2id'), '2', 'Passes of Argon2id'),
  lanes: set('lanes', integer(1, mostArgon2.lanes), '1', 'Lanes of Argon2id'),
  pbkdf2Iterations: set(
    'pbkdf2_iterations',
    integer(wrapIterations.min, wrapIterations.max, 'the minimum for the key wrap'),
    '100000',
    'PBKDF2 iterations between password and wrapped key',
  ),
};

const vaultSettings = {
  bcryptRounds: set(
    'bcrypt_rounds',
    integer(12, mostBcryptRounds, 'the minimum for master passwords'),
    '12',
    'bcrypt cost of master passwords; it applies when one is set or changed',
  ),
  idleMs: set('idle', duration(MINUTE, DAY), '15m', 'How long a password vault stays open without use'),
  emergencyWaitMs: set(
    'emergency_wait',
    duration(0, 90 * DAY),
    '0s',
    'Waiting period in which the owner of a password vault can deny a recovery by its trustees; 7d suits most groups, 0s turns it off',
  ),
  breachUrl: set(
    'breach_url',
    serviceUrl,
    'https://api.pwnedpasswords.com',
    'Range service of breached passwords; it receives only five digits of a hash',
  ),
  breachList: unset(
    'breach_list',
    path,
    'Local list of breached passwords, used instead of the service: a file sorted by hash, or a folder of range files',
  ),
};

const quorumSettings = {
  threshold: set(
    'threshold',
    integer(2, quorumLimits.members),
    '2',
    'How many members decide together when the quorum begins; later it changes by a proposal',
  ),
  sessionMs: set(
    'session',
    duration(MINUTE, 30 * DAY),
    '1d',
    'How long members can contribute to the unsealing of a document',
  ),
  reshareMs: set(
    'reshare',
    duration(HOUR, 365 * DAY),
    '30d',
    'How long a re-sharing waits for contributions and confirmations',
  ),
  permitMs: set('permit', duration(MINUTE, 365 * DAY), '7d', 'How long what an executed proposal allows can be used'),
  timelockMs: set(
    'timelock',
    duration(0, 90 * DAY),
    '0s',
    'How long an approved destructive action waits before it is carried out, so that it can still be cancelled',
  ),
};

/** A hundred years: longer than anybody configures. */
const LONGEST_DAYS = 36_500;

const fileSettings = {
  erasureKeysFile: unset(
    'erasure_keys_file',
    path,
    'File of the keys that make destroyed files unreadable in old backups; default: erasure.keys in the data directory. Backups have it only with --with-secrets',
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
    reloads,
  ),
  scanUrl: unset(
    'scan_url',
    serviceUrl,
    'Service that gets the bytes of each new file by POST and answers {"clean": true} or {"clean": false, "name": "…"}',
    reloads,
  ),
  scanTimeoutMs: set(
    'scan_timeout',
    duration(SECOND, HOUR),
    '1m',
    'How long the scanner may take for one file; after that it is ended, and counts as failed',
    reloads,
  ),
  scanAtOnce: set('scan_at_once', integer(1, 64), '2', 'How many files are scanned at once; others wait', reloads),
  scanFailure: set(
    'scan_failure',
    choice('refuse', 'accept'),
    'refuse',
    'What happens to a file when the scanner fails: refuse answers 503 and keeps the upload, accept stores it',
    reloads,
  ),
};

/** As the name stands in a sign-in: RFC 4616 allows anything but NUL, and lines are ours to refuse. */
const relayUser: Kind<string> = {
  parse(raw) {
    const wanted = 'must be the user name at the mail server, without spaces around it';
    if (typeof raw !== 'string' || !/^(?! )[^\p{Cc}]{1,255}(?<! )$/u.test(raw)) throw new WrongValue(wanted);
    return raw;
  },
  show: String,
};

const mailSettings = {
  domain: unset(
    'domain',
    host,
    'Domain of the addresses of members, as in name@domain; the host name of the machine if it is not set',
  ),
  expiryMs: set(
    'expiry',
    duration(HOUR, 30 * DAY),
    '5d',
    'How long a message to another node is tried before its delivery fails',
  ),
  relayHost: unset(
    'relay.host',
    host,
    'Mail server that takes what the calendar mails (bookings, invitations) to addresses that no node of the pool serves; without it they get none',
    reloads,
  ),
  relayPort: set(
    'relay.port',
    integer(1, 65_535),
    '587',
    'Port of this mail server; usually 465 with implicit TLS',
    reloads,
  ),
  relayTls: set(
    'relay.tls',
    choice('starttls', 'implicit', 'off'),
    'starttls',
    'How the connection to it is encrypted; its certificate is always verified; off only on loopback',
    reloads,
  ),
  relayUser: unset('relay.user', relayUser, 'User name at the mail server, if it wants a sign-in', reloads),
  relayPasswordFile: unset(
    'relay.password_file',
    path,
    'File whose first line is the password of this user; it is read whenever mail is sent',
    reloads,
  ),
  relayPerDay: set(
    'relay.per_day',
    integer(1, 1_000_000),
    '1000',
    'Recipients a day whom the node mails over this server, for all members together; further mail fails, and its sender is told',
    reloads,
  ),
};

/** RFC 8292, 2.1. */
const contact: Kind<string> = {
  parse(raw) {
    const wanted = 'must be a mailto: or https: URL of at most 200 characters';
    if (typeof raw !== 'string' || raw.length > 200 || !/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(raw))
      throw new WrongValue(wanted);
    return raw;
  },
  show: String,
};

const notificationSettings = {
  push: set(
    'push',
    onOff,
    'on',
    'Send push messages to browsers that members subscribed, over the push services of the browsers',
  ),
  pushContact: unset(
    'push_contact',
    contact,
    'Where push services can reach the operator of the node: a mailto: or https: URL; some services want one',
  ),
  email: set('email', onOff, 'on', 'Put digests of unread notifications into the mailboxes of members'),
  digestMs: set(
    'digest',
    duration(MINUTE, 30 * DAY),
    '1h',
    'How long unread notifications are collected for a digest; a member gets at most one in this time',
  ),
};

const socialSettings = {
  rss: set(
    'rss',
    onOff,
    'off',
    'Whether everybody can read the public posts of members and hashtags as RSS, without a sign-in',
  ),
  publicUrl: unset(
    'public_url',
    serviceUrl,
    'What addresses in RSS feeds begin with, such as https://home.example; without it, the address that the server listens on',
  ),
};

const chatSettings = {
  begunPerHour: set(
    'begun_per_hour',
    integer(1, 100_000),
    '30',
    'How many conversations with strangers one member may begin in an hour',
  ),
  idleAfterMs: set(
    'idle_after',
    duration(2 * MINUTE, DAY),
    '10m',
    'How long after the last sign of a member others see them as idle, while a socket of theirs is connected',
  ),
  retentionMs: unset(
    'retention',
    duration(HOUR, 3_650 * DAY),
    'How long messages of conversations are kept at most, those of the social network included; without it as long as their members want',
  ),
};

const calendarSettings = {
  subscriptions: set(
    'subscriptions',
    onOff,
    'off',
    'Whether members can follow calendars at addresses elsewhere, which the node then fetches; only public addresses, over https',
    reloads,
  ),
  autoAdd: set(
    'auto_add',
    choice('known', 'all', 'none'),
    'known',
    'Whose invitations come into the calendars of members at once: those of people whom the member knows, of all, or of nobody; others wait until they are accepted',
  ),
};

/**
 * What operators configure of the services, by its table in `conclave.toml`. It stands here and not beside the services, because every
 * command reads the configuration, and few need the services.
 */
export const settings = {
  sessions: sessionSettings,
  passwords: passwordSettings,
  vaults: vaultSettings,
  quorum: quorumSettings,
  files: fileSettings,
  mail: mailSettings,
  notifications: notificationSettings,
  social: socialSettings,
  chat: chatSettings,
  calendar: calendarSettings,
};
