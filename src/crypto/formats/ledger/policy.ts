import { toHex } from '../../bytes.ts';
import { COSIGNATURE_TYPE, parseVerifierKey, type VerifierKey } from '../../verifier-key.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { isSignedBy, type SignedNote } from './signed-note.ts';
import { cosignedAt } from './cosignature.ts';

/** A policy of witnesses (https://c2sp.org/tlog-policy): which logs count, and whose cosignatures a checkpoint needs. */
export interface Policy {
  /** empty: the log is known from elsewhere */
  readonly logs: readonly VerifierKey[];
  readonly witnesses: ReadonlyMap<string, VerifierKey>;
  readonly groups: ReadonlyMap<string, Group>;
  /** name of a witness or a group; `none`: no cosignature is needed */
  readonly quorum: string;
}

interface Group {
  readonly least: number;
  readonly members: readonly string[];
}

const MOST_LINES = 1_000;

/** @returns the policy, or what is wrong with it */
export function parsePolicy(text: string): Policy | { readonly fault: string } {
  // oxlint-disable-next-line no-control-regex -- what the format forbids
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) return { fault: 'it has control characters' };
  const lines = text.split('\n');
  if (lines.length > MOST_LINES) return { fault: `it has more than ${MOST_LINES} lines` };
  const reading: Reading = { logs: [], witnesses: new Map(), groups: new Map(), used: new Set(), keys: new Set() };
  for (const [at, line] of lines.entries()) {
    const [word, ...rest] = line.split(/[ \t]+/).filter((item) => item !== '');
    if (word === undefined || word.startsWith('#')) continue;
    const read = Object.hasOwn(readers, word) ? readers[word] : undefined;
    const fault = read === undefined ? 'is not known' : read(reading, rest);
    if (fault !== undefined) return { fault: `line ${at + 1} ${fault}` };
  }
  const { quorum } = reading;
  return quorum === undefined ? { fault: 'it has no quorum' } : { ...reading, quorum };
}

interface Reading {
  readonly logs: VerifierKey[];
  readonly witnesses: Map<string, VerifierKey>;
  readonly groups: Map<string, Group>;
  /** names that are in a group, each in one at most */
  readonly used: Set<string>;
  readonly keys: Set<string>;
  quorum?: string;
}

type Read = (reading: Reading, items: readonly string[]) => string | undefined;

const readers: Readonly<Record<string, Read>> = {
  log(reading, [vkey = '', , ...more]) {
    const key = parseVerifierKey(vkey);
    if (key === undefined || more.length > 0) return 'does not name the key of a log';
    if (!isNew(reading, key)) return 'names a key twice';
    reading.logs.push(key);
    return undefined;
  },
  witness(reading, [name = '', vkey = '', , ...more]) {
    const key = parseVerifierKey(vkey, COSIGNATURE_TYPE);
    if (key === undefined || more.length > 0) return 'does not name the key of a witness';
    if (isTaken(reading, name)) return 'uses a name twice';
    if (!isNew(reading, key)) return 'names a key twice';
    reading.witnesses.set(name, key);
    return undefined;
  },
  group(reading, [name = '', how = '', ...members]) {
    if (isTaken(reading, name)) return 'uses a name twice';
    if (members.length === 0) return 'is a group without members';
    for (const member of members) {
      if (!isDefined(reading, member)) return 'names a member that no line above defines';
      if (reading.used.has(member)) return 'names a member that is in a group already';
      reading.used.add(member);
    }
    const least =
      how === 'any' ? 1 : how === 'all' ? members.length : (wholeNumber(/^[1-9]\d{0,3}$/.exec(how)?.[0]) ?? 0);
    if (least < 1 || least > members.length) return 'needs all, any, or a number from 1 to the number of members';
    reading.groups.set(name, { least, members });
    return undefined;
  },
  quorum(reading, [name = '', ...more]) {
    if (reading.quorum !== undefined) return 'is a second quorum';
    if (more.length > 0 || (name !== 'none' && !isDefined(reading, name))) return 'names what no line above defines';
    reading.quorum = name;
    return undefined;
  },
};

function isDefined({ witnesses, groups }: Reading, name: string): boolean {
  return witnesses.has(name) || groups.has(name);
}

function isTaken(reading: Reading, name: string): boolean {
  return name === 'none' || isDefined(reading, name);
}

function isNew({ keys }: Reading, { type, key }: VerifierKey): boolean {
  const id = `${type} ${toHex(key)}`;
  if (keys.has(id)) return false;
  keys.add(id);
  return true;
}

/** What a policy says about a checkpoint. */
export interface Verdict {
  /** one of the logs signed it; true when the policy names none */
  readonly isOfLog: boolean;
  /** names of the witnesses that cosigned it, with the time in seconds since 1970 */
  readonly cosigned: ReadonlyMap<string, number>;
  readonly hasQuorum: boolean;
}

export function judge({ logs, witnesses, groups, quorum }: Policy, note: SignedNote): Verdict {
  const origin = note.text.slice(0, note.text.indexOf('\n'));
  const cosigned = new Map<string, number>();
  for (const [name, key] of witnesses) {
    const time = cosignedAt(note, key);
    if (time !== undefined) cosigned.set(name, time);
  }
  const met = new Set(cosigned.keys());
  // A group comes after its members.
  for (const [name, { least, members }] of groups)
    if (members.filter((member) => met.has(member)).length >= least) met.add(name);
  return {
    isOfLog: logs.length === 0 || logs.some((key) => key.name === origin && isSignedBy(note, key)),
    cosigned,
    hasQuorum: quorum === 'none' || met.has(quorum),
  };
}
