import { fromHex, toHex, utf8 } from '../../bytes.ts';
import { leafHash, verifyConsistency, verifyInclusion } from '../../merkle.ts';
import { parseVerifierKey, writeVerifierKey } from '../../verifier-key.ts';
import { isSignedByNode, parseCheckpoint, type Checkpoint } from './checkpoint.ts';
import { parseEntry, type LedgerEntry } from './entry.ts';
import { genesisOf, type Genesis } from './genesis.ts';
import { chainIdOf } from './log-key.ts';
import { parseProofFile, type ProofFile } from './proof-file.ts';
import { isSignedBy, parseNote, type SignedNote } from './signed-note.ts';
import { judge, type Policy } from './policy.ts';

/** Checks the statements of a node about its ledger offline, without a store or a server. */

export interface ProofCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface ProofReport {
  readonly ok: boolean;
  readonly checks: readonly ProofCheck[];
  readonly origin: string | undefined;
  readonly chainId: string | undefined;
  /** the key that all signatures were checked against */
  readonly logKey: string | undefined;
  /** `pinned`: the caller knew the key. `first-use`: the key came with the checked data, so the check doesn't show whose key it is. */
  readonly trust: 'pinned' | 'first-use';
  readonly nodeId: string | undefined;
  readonly size: number | undefined;
  readonly index: number | undefined;
  readonly leafHash: string | undefined;
  readonly entry: LedgerEntry | undefined;
  readonly proven: readonly string[];
  readonly notProven: readonly string[];
}

export interface ProofOptions {
  /** the verifier key of the log, if the caller already knows it */
  readonly key?: string | undefined;
  /** whose cosignatures the checkpoint needs, and which logs count */
  readonly policy?: Policy | undefined;
}

/** Checks the text of a proof file. No content of the file makes it throw. */
export function verifyProofFile(text: string, { key: given, policy }: ProofOptions = {}): ProofReport {
  const checks: ProofCheck[] = [];
  const check = (name: string, ok: boolean, detail: string): boolean => {
    checks.push({ name, ok, detail });
    return ok;
  };
  const file = parseProofFile(text);
  const note = file === undefined ? undefined : parseNote(file.checkpoint);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (file === undefined || note === undefined || checkpoint === undefined) {
    check('form', false, 'this is not a proof in the format c2sp.org/tlog-proof@v1');
    return report(checks, {}, given);
  }
  const key = given ?? keyInPolicy(policy, checkpoint);
  check('form', true, 'c2sp.org/tlog-proof@v1');
  const genesis = genesisIn(file, checkpoint);
  const logKey = key ?? genesis?.logKey;
  const found = { file, checkpoint, genesis, logKey };
  checkSignatures(check, note, found);
  const witnesses = policy === undefined ? undefined : checkPolicy(check, note, policy);
  const entry = checkEntry(check, file, checkpoint);
  return report(checks, { ...found, entry, witnesses }, key);
}

/** The key of a log that a policy names, in text form. */
function keyInPolicy(policy: Policy | undefined, { origin }: Checkpoint): string | undefined {
  const log = policy?.logs.find(({ name }) => name === origin);
  return log && writeVerifierKey(log.name, log.type, log.key);
}

/** @returns the witnesses that cosigned, with the time of each, if they are enough */
function checkPolicy(check: Check, note: SignedNote, policy: Policy): string[] | undefined {
  const { isOfLog, cosigned, hasQuorum } = judge(policy, note);
  if (policy.logs.length > 0)
    check('policy log', isOfLog, isOfLog ? 'the policy names this log' : 'no log of the policy signed the checkpoint');
  const names = [...cosigned].map(([name, seconds]) => `${name} (${timeOf(seconds)})`);
  const who = names.length === 0 ? 'none of them has cosigned' : `cosigned by ${names.join(', ')}`;
  const enough = check('witnesses', hasQuorum, hasQuorum ? who : `not enough for the policy: ${who}`);
  return enough ? names : undefined;
}

function timeOf(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return Number.isNaN(time.getTime()) ? 'at an impossible time' : time.toISOString();
}

interface Found {
  readonly file?: ProofFile;
  readonly checkpoint?: Checkpoint;
  readonly genesis?: Genesis | undefined;
  readonly logKey?: string | undefined;
  readonly entry?: LedgerEntry | undefined;
  readonly witnesses?: readonly string[] | undefined;
}

type Check = (name: string, ok: boolean, detail: string) => boolean;

function checkSignatures(check: Check, note: SignedNote, { file, checkpoint, genesis, logKey }: Found): void {
  const verifier = logKey === undefined ? undefined : parseVerifierKey(logKey);
  if (verifier === undefined) {
    const why =
      logKey === undefined ? 'the proof has no key: give the one that you know with --key' : 'the key is malformed';
    check('log signature', false, why);
  } else {
    const signed = verifier.name === checkpoint?.origin && isSignedBy(note, verifier);
    check('log signature', signed, signed ? `by ${verifier.name}` : 'the checkpoint is not signed by this key');
  }
  if (file?.extra?.genesis === undefined) return;
  if (genesis === undefined) {
    check('node identity', false, 'the entry that binds the log key to the node is wrong, or not in the log');
  } else {
    const bound = genesis.logKey === logKey && isSignedByNode(note, genesis.origin, fromHex(genesis.nodeKey));
    check('node identity', bound, bound ? `node ${genesis.nodeId}` : 'the node did not sign this key and checkpoint');
  }
}

/** The genesis in a proof, after checking that it is in the log. */
function genesisIn({ extra }: ProofFile, { size, root }: Checkpoint): Genesis | undefined {
  if (extra?.genesis === undefined) return undefined;
  const { index, entry: text, proof } = extra.genesis;
  const body = bytesOf(text);
  if (body === undefined || !verifyInclusion({ index, size, root, proof, leafHash: leafHash(body) })) return undefined;
  const entry = parseEntry(body, index);
  return 'fault' in entry ? undefined : genesisOf(entry);
}

function checkEntry(check: Check, file: ProofFile, { size, root }: Checkpoint): LedgerEntry | undefined {
  const { index, proof, extra } = file;
  const body = extra === undefined ? undefined : bytesOf(extra.entry);
  if (body === undefined) {
    check('inclusion', false, 'the proof does not contain its entry');
    return undefined;
  }
  const included = verifyInclusion({ index, size, root, proof, leafHash: leafHash(body) });
  check('inclusion', included, included ? `entry ${index} of ${size}` : `this is not entry ${index} of the log`);
  const entry = parseEntry(body, index);
  if ('fault' in entry) {
    check('entry', false, `entry ${index} ${entry.fault}`);
    return undefined;
  }
  check('entry', true, `${entry.type}, ${entry.time}`);
  return entry;
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return utf8(text);
  } catch {
    return undefined;
  }
}

function report(checks: readonly ProofCheck[], found: Found, key: string | undefined): ProofReport {
  const { file, checkpoint, genesis, logKey, entry, witnesses = [] } = found;
  const ok = checks.every((one) => one.ok);
  const body = file?.extra === undefined ? undefined : bytesOf(file.extra.entry);
  return {
    ok,
    checks,
    origin: checkpoint?.origin,
    chainId: logKey === undefined ? undefined : chainIdOf(logKey),
    logKey,
    trust: key === undefined ? 'first-use' : 'pinned',
    nodeId: genesis?.nodeId,
    size: checkpoint?.size,
    index: file?.index,
    leafHash: body === undefined ? undefined : toHex(leafHash(body)),
    entry,
    proven: ok && checkpoint && entry ? provenBy(checkpoint, entry, found) : [],
    notProven: notProven(key, genesis, witnesses),
  };
}

function provenBy({ origin, size }: Checkpoint, entry: LedgerEntry, { genesis, witnesses = [] }: Found): string[] {
  return [
    `The holder of the log key of ${origin} signed a ledger of ${size} entries, and its entry ${entry.index} is exactly this one.`,
    'This entry, and those before it, cannot be changed without contradicting that signature.',
    ...(genesis === undefined ? [] : [`The node ${genesis.nodeId} signed that this log key is its own.`]),
    ...(witnesses.length === 0
      ? []
      : [
          `These witnesses of the policy signed that this ledger continues all that they had seen of it: ${witnesses.join(', ')}.`,
        ]),
  ];
}

function notProven(key: string | undefined, genesis: Genesis | undefined, witnesses: readonly string[]): string[] {
  return [
    ...(key === undefined
      ? ['That the log key is the one you expect: it came with the proof. Compare it, then give it with --key.']
      : []),
    ...(genesis === undefined
      ? ['Which node the log belongs to: the proof does not contain the entry that says so.']
      : []),
    witnesses.length === 0
      ? 'That others were shown the same ledger: compare checkpoints with them, or give a policy of witnesses.'
      : 'That others were shown the same ledger, if the witnesses of the policy work together with the node.',
    'That the entry and its time are true: they are what the node recorded.',
    'That the node recorded everything.',
  ];
}

export interface HistoryCheck {
  readonly older: Checkpoint;
  readonly newer: Checkpoint;
  readonly proof: readonly Uint8Array[];
}

/** Whether the newer checkpoint is a continuation of the older one of the same log. */
export function isContinued({ older, newer, proof }: HistoryCheck): boolean {
  const { size: from, root: fromRoot } = older;
  const { size: to, root: toRoot } = newer;
  return older.origin === newer.origin && verifyConsistency({ from, to, fromRoot, toRoot, proof });
}

/** Parses a checkpoint that the key signed; undefined for anything else. */
export function signedCheckpoint(text: string, key: string): Checkpoint | undefined {
  const [note, verifier] = [parseNote(text), parseVerifierKey(key)];
  if (note === undefined || verifier === undefined || !isSignedBy(note, verifier)) return undefined;
  const checkpoint = parseCheckpoint(note.text);
  return checkpoint?.origin === verifier.name ? checkpoint : undefined;
}
