import type { Filter } from './line-ends.ts';
import type { MaildirState } from './maildir.ts';

/**
 * Flags of a message in an mbox. They stand in fields of its header, which programs write into the file and which are no part of the message:
 * `Status` and `X-Status` (UW IMAP, mutt, Dovecot), and `X-Mozilla-Status` (Thunderbird, `nsMsgMessageFlags.idl`).
 */
export interface MboxState extends MaildirState {
  readonly inTrash: boolean;
}

const LF = 10;
/** Bytes of a line. Those with flags are below 40. */
const LONGEST = 200;

/** Other values are of other fields with these names, such as those of bug trackers, and belong to the message. */
const forms: Readonly<Record<string, RegExp>> = {
  status: /^[RONUD]*$/,
  'x-status': /^[ADFT]*$/,
  'x-mozilla-status': /^[0-9a-f]{4}$/i,
  'x-mozilla-status2': /^[0-9a-f]{8}$/i,
};

/** Keywords by the letters of X-Status and the bits of X-Mozilla-Status. */
const keywords = [
  { keyword: '$answered', letter: 'A', bit: 0x00_02 },
  { keyword: '$draft', letter: 'T', bit: 0 },
  { keyword: '$flagged', letter: 'F', bit: 0x00_04 },
  { keyword: '$forwarded', letter: '', bit: 0x10_00 },
] as const;
const READ = 0x00_01;
const EXPUNGED = 0x00_08;

function flagsIn(line: string): { readonly name: string; readonly value: string } | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon)).toLowerCase();
  const value = line.slice(colon + 1).trim();
  return Object.hasOwn(forms, name) && forms[name]?.test(value) ? { name, value } : undefined;
}

/** What a message of an mbox says of itself. @param head its beginning, with any ends of lines */
export function stateOfHead(head: string): MboxState {
  let letters = '';
  let bits = 0;
  for (const line of head.split(/\r?\n/)) {
    if (line === '') break;
    const { name, value = '' } = flagsIn(line) ?? {};
    if (name === 'status' || name === 'x-status') letters += value;
    if (name === 'x-mozilla-status') bits |= Buffer.from(value, 'hex').readUInt16BE();
  }
  const has = (letter: string, bit: number) => (letter !== '' && letters.includes(letter)) || (bits & bit) !== 0;
  return {
    read: has('R', READ),
    keywords: keywords.flatMap(({ keyword, letter, bit }) => (has(letter, bit) ? [keyword] : [])),
    inTrash: has('D', EXPUNGED),
  };
}

/**
 * The fields with the flags of a message, each with LF. What is in the trash is not told to Thunderbird, which would show nothing of it and
 * take it out of the file.
 */
export function fieldsOfState({ read, keywords: own, inTrash }: MboxState): string {
  const found = keywords.filter(({ keyword }) => own.includes(keyword));
  const letters = [...found.map(({ letter }) => letter), inTrash ? 'D' : ''].toSorted().join('');
  const bits = found.reduce((sum, { bit }) => sum | bit, read ? READ : 0);
  return [
    `Status: ${read ? 'RO' : 'O'}\n`,
    letters === '' ? '' : `X-Status: ${letters}\n`,
    `X-Mozilla-Status: ${bits.toString(16).padStart(4, '0')}\n`,
  ].join('');
}

/** Takes the fields with flags out of the header of a message. Lines end with LF. */
export function withoutFlags(): Filter {
  let held: Uint8Array = new Uint8Array();
  let place: 'line' | 'rest of a line' | 'body' = 'line';
  let drops = false;
  const isDropped = (line: string): boolean => {
    // A folded line belongs to the one before.
    drops = /^[ \t]/.test(line) ? drops : flagsIn(line) !== undefined;
    return drops;
  };
  return {
    push(bytes) {
      if (place === 'body') return bytes;
      const parts: Uint8Array[] = [];
      for (let at = 0; at < bytes.length;) {
        const end = place === 'body' ? -1 : bytes.indexOf(LF, at);
        const until = end === -1 ? bytes.length : end + 1;
        const piece = bytes.subarray(at, until);
        at = until;
        if (place !== 'line') {
          parts.push(piece);
          if (end !== -1) place = 'line';
          continue;
        }
        held = Buffer.concat([held, piece]);
        if (end === -1 && held.length <= LONGEST) continue;
        const isLong = held.length > LONGEST;
        if (held.length === 1 && end !== -1) place = 'body';
        else if (isLong && end === -1) place = 'rest of a line';
        if (isLong) drops = false;
        if (isLong || !isDropped(Buffer.from(held).toString('latin1'))) parts.push(held);
        held = new Uint8Array();
      }
      return Buffer.concat(parts);
    },
    end: () => held,
  };
}
