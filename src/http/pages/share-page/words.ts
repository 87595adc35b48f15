import type { Failed, FailureKind } from './failure.ts';
import type { LinkMode } from './link-api.ts';

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** In powers of 1,000, as browsers and disks count. */
export function sizeText(bytes: number): string {
  let unit = 0;
  let shown = bytes;
  for (; shown >= 999.5 && unit < units.length - 1; unit += 1) shown /= 1000;
  if (unit === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${shown < 9.95 ? shown.toFixed(1) : Math.round(shown)} ${units[unit]}`;
}

/** Roughly, as it is an estimate. */
export function timeText(seconds: number): string {
  if (seconds < 1.5) return '1 second';
  if (seconds < 60) return `${Math.round(seconds)} seconds`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return `${hours === 1 ? '1 hour' : `${hours} hours`}${rest === 0 ? '' : ` ${rest} min`}`;
}

export function untilText(expiresAt: string | null | undefined): string | undefined {
  const time = new Date(expiresAt ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return undefined;
  return `The link works until ${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' }).format(time)}.`;
}

export const protection: Readonly<Record<LinkMode, string>> = {
  ephemeral_key_pair: 'Decrypted on this device. The key was in your link, and is not sent to the server.',
  recipient_public_key: 'Decrypted on this device. Your key stays here, and is not sent to the server.',
  server_proxied: 'The server decrypts this file, and sends it over the connection of this page.',
};

export interface Message {
  readonly title: string;
  readonly text: string;
  /** whether the same thing may work now or later */
  readonly again?: true;
}

const command = 'conclave files open';

const messages: Readonly<Record<FailureKind, Message>> = {
  'password-required': { title: 'This file has a password', text: 'You get it from the person who sent you the link.' },
  'password-wrong': { title: 'This file has a password', text: 'That was not the password. Check it and try again.' },
  'not-found': {
    title: 'This link does not work',
    text: 'It has expired, was used as often as it may be, or is not complete. Ask the sender for a new one.',
  },
  revoked: {
    title: 'This link was withdrawn',
    text: 'The sender took it back. Ask the sender if you still need the file.',
  },
  destroyed: { title: 'This file no longer exists', text: 'It was destroyed, and nobody can bring it back.' },
  'keys-lost': {
    title: 'This file cannot be opened any more',
    text: 'The server lost the key of it. Ask whoever shared it for another link.',
  },
  'too-many': { title: 'Too many tries', text: 'The server answers again after a pause.', again: true },
  'key-missing': {
    title: 'A part of the link is missing',
    text: 'The key of this file stands behind the # of the link. Open the whole link once more, as it was sent to you. After a page is loaded again, the key is gone.',
  },
  'key-wrong': {
    title: 'The link is not complete',
    text: 'What stands behind its # is not the key of this file. Open the whole link, as it was sent to you.',
  },
  'entered-no-key': { title: '', text: 'This is neither a recovery phrase nor a private key. Check it and try again.' },
  'entered-other-key': { title: '', text: 'This key belongs to somebody else. The file is encrypted to another one.' },
  damaged: {
    title: 'The file is damaged',
    text: 'What the server sent is not what was stored, so nothing of it was kept as a finished download. Tell the sender.',
    again: true,
  },
  changed: {
    title: 'The file changed on the way',
    text: 'The server had another state of it when the connection was back. Begin the download again.',
    again: true,
  },
  network: {
    title: 'The server cannot be reached',
    text: 'Check your connection to the internet, and try again.',
    again: true,
  },
  server: {
    title: 'The server has a problem',
    text: 'It did not answer as it should. Try again in a few minutes.',
    again: true,
  },
  cancelled: { title: '', text: 'You stopped the download.', again: true },
  disk: {
    title: 'The file could not be saved',
    text: 'Is there enough space on the disk? Then try again.',
    again: true,
  },
  'not-begun': {
    title: 'The download did not begin',
    text: 'Does the browser ask whether this page may download? Allow it, and try again.',
    again: true,
  },
  insecure: {
    title: 'This connection is not secure',
    text: `A browser decrypts files only on pages that come over https. Ask the sender for a link that begins with https://, or use the command ${command}.`,
  },
  'no-way': {
    title: 'This browser cannot save a file of this size',
    text: `In a private window some browsers take only small files. Open the link in an ordinary window or in another browser, or use the command ${command}.`,
  },
};

export function messageFor({ kind, retryAfterSeconds }: Failed): Message {
  const message = messages[kind];
  if (kind !== 'too-many' || retryAfterSeconds === undefined) return message;
  return { ...message, text: `The server answers again in ${timeText(retryAfterSeconds)}.` };
}
