import { describe, expect, it } from 'vitest';
import { deriveNodeKeys } from '../../../../src/config/node-keys.ts';
import { COSIGNATURE_TYPE, parseVerifierKey, witnessNameOf } from '../../../../src/crypto/verifier-key.ts';
import { parseNote, writeNote } from '../../../../src/crypto/formats/ledger/signed-note.ts';
import { parseAddCheckpoint, writeAddCheckpoint } from '../../../../src/platform/ledger/witness/add-checkpoint.ts';
import { cosign, cosignedAt } from '../../../../src/crypto/formats/ledger/cosignature.ts';
import { judge, parsePolicy, type Policy } from '../../../../src/crypto/formats/ledger/policy.ts';
import {
  addCheckpointExample,
  cosignatureExample,
  cosignedCheckpoints,
  witnessKey,
  witnessKeys,
} from '../../../vectors/cosigned-checkpoints.ts';

const keys = [1, 2, 3].map((fill) => deriveNodeKeys(new Uint8Array(32).fill(fill)));
const witness = parseVerifierKey(witnessKey, COSIGNATURE_TYPE)!;

describe('cosignatures', () => {
  it.each(cosignedCheckpoints)('of a public witness are valid: $seconds', ({ note, seconds }) => {
    expect(cosignedAt(parseNote(note)!, witness)).toBe(seconds);
    for (const changed of [note.replace('\n', ' \n'), note.replace(/\n(\d+)\n/, '\n1$1\n')])
      expect(cosignedAt(parseNote(changed)!, witness)).toBeUndefined();
  });

  it('have the form of the published example', () => {
    const { signature } = parseNote(cosignatureExample.note)!.signatures[1]!;
    expect(signature).toHaveLength(72);
    expect(Buffer.from(signature).readBigUInt64BE()).toBe(cosignatureExample.seconds);
  });

  it.each(witnessKeys)('are checked with a key of their own type: %s', (text) => {
    expect(parseVerifierKey(text, COSIGNATURE_TYPE)?.type).toBe(4);
    expect(parseVerifierKey(text)).toBeUndefined();
  });

  const [own] = keys as [(typeof keys)[0]];
  const key = parseVerifierKey(own.witnessKey, COSIGNATURE_TYPE)!;
  const text = 'a.example\n5\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
  const signed = (...seconds: number[]) => ({
    text,
    signatures: seconds.map((time) => cosign(text, witnessNameOf(own.nodeId), own.witness, time)),
  });

  it('survive writing and reading, and the newest time counts', () => {
    const note = parseNote(writeNote(signed(1_000, 3_000, 2_000)))!;
    expect(cosignedAt(note, key)).toBe(3_000);
  });

  it('are worth nothing when one of the key is wrong, or when there is none', () => {
    const note = signed(1_000, 2_000);
    note.signatures[1]!.signature[7]! ^= 1;
    expect(cosignedAt(note, key)).toBeUndefined();
    expect(cosignedAt({ text, signatures: [] }, key)).toBeUndefined();
    const short = { ...signed(1_000).signatures[0]!, signature: new Uint8Array(64) };
    expect(cosignedAt({ text, signatures: [short] }, key)).toBeUndefined();
    const late = signed(1_000);
    late.signatures[0]!.signature.fill(0xff, 0, 8);
    expect(cosignedAt(late, key)).toBeUndefined();
  });
});

describe('requests to a witness', () => {
  it('have the published form', () => {
    const read = parseAddCheckpoint(addCheckpointExample)!;
    expect(read).toMatchObject({ oldSize: 20852014, checkpoint: expect.stringMatching(/^example\.com/) });
    expect(read.proof).toHaveLength(4);
    expect(writeAddCheckpoint(read)).toBe(addCheckpointExample);
  });

  it.each([
    ['no text', 7],
    ['no empty line', 'old 1'],
    ['no old size', addCheckpointExample.replace('old', 'new')],
    ['a leading zero', addCheckpointExample.replace('old ', 'old 0')],
    ['a short hash', addCheckpointExample.replace('PlRN', '')],
    ['too many hashes', `old 1\n${`${'A'.repeat(43)}=\n`.repeat(64)}\nx\n`],
    ['too much', addCheckpointExample + 'x'.repeat(20_000)],
  ])('with %s are refused', (_what, body) => {
    expect(parseAddCheckpoint(body)).toBeUndefined();
  });
});

describe('policies', () => {
  const vkeys = keys.map((one) => one.witnessKey);
  const head = vkeys.map((vkey, at) => `witness w${at} ${vkey}`).join('\n');
  const read = (text: string) => parsePolicy(text) as Policy;
  const text = 'a.example\n5\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
  const cosignedBy = (...which: number[]) => ({
    text,
    signatures: which.map((at) => cosign(text, witnessNameOf(keys[at]!.nodeId), keys[at]!.witness, 1_000)),
  });

  it('ask for k of n, of groups too', () => {
    const two = read(`# two of three\n${head}\n\tgroup g 2 w0 w1 w2 \nquorum g\n`);
    expect(judge(two, cosignedBy(0))).toMatchObject({ hasQuorum: false, isOfLog: true });
    expect(judge(two, cosignedBy(2, 0))).toEqual({
      hasQuorum: true,
      isOfLog: true,
      cosigned: new Map([
        ['w0', 1_000],
        ['w2', 1_000],
      ]),
    });
    const nested = read(`${head}\ngroup any any w0 w1\ngroup both all any w2\nquorum both`);
    expect(judge(nested, cosignedBy(0, 1)).hasQuorum).toBe(false);
    expect(judge(nested, cosignedBy(1, 2)).hasQuorum).toBe(true);
    expect(judge(read(`${head}\nquorum w1`), cosignedBy(0, 2)).hasQuorum).toBe(false);
    expect(judge(read('quorum none'), cosignedBy()).hasQuorum).toBe(true);
  });

  it('hold for a checkpoint that a public witness cosigned', () => {
    const policy = read(`${witnessKeys.map((vkey, at) => `witness w${at} ${vkey} https://w.example/`).join('\n')}
group g any w0 w1 w2 w3 w4
quorum g`);
    const verdict = judge(policy, parseNote(cosignedCheckpoints[0]!.note)!);
    expect(verdict).toMatchObject({ hasQuorum: true, cosigned: new Map([['w0', cosignedCheckpoints[0]!.seconds]]) });
  });

  it('that name logs count for these alone', () => {
    const [one] = keys as [(typeof keys)[0]];
    const policy = read(`log ${one.ledgerLogKey} https://a.example/\nquorum none`);
    expect(judge(policy, cosignedBy()).isOfLog).toBe(false);
  });

  it.each([
    ['it has no quorum', head],
    ['line 1 is not known', 'witnesses none'],
    ['line 4 names what no line above defines', `${head}\nquorum w9`],
    ['line 5 is a second quorum', `${head}\nquorum w0\nquorum w1`],
    ['line 1 does not name the key of a witness', `witness w ${keys[0]!.ledgerLogKey}\nquorum w`],
    ['line 1 does not name the key of a log', `log ${vkeys[0]}\nquorum none`],
    ['line 2 names a key twice', `witness a ${vkeys[0]}\nwitness b ${vkeys[0]}\nquorum a`],
    ['line 2 uses a name twice', `witness a ${vkeys[0]}\nwitness a ${vkeys[1]}\nquorum a`],
    ['line 1 uses a name twice', `witness none ${vkeys[0]}\nquorum none`],
    ['line 5 names a member that is in a group already', `${head}\ngroup g any w0\ngroup h any w0\nquorum g`],
    ['line 4 names a member that no line above defines', `${head}\ngroup g any h\ngroup h any w0\nquorum g`],
    ['line 4 names a member that no line above defines', `${head}\ngroup g any none\nquorum g`],
    ['line 4 needs all, any, or a number from 1 to the number of members', `${head}\ngroup g 4 w0 w1 w2\nquorum g`],
    ['line 4 needs all, any, or a number from 1 to the number of members', `${head}\ngroup g 0 w0\nquorum g`],
    ['line 4 is a group without members', `${head}\ngroup g any\nquorum g`],
    ['it has control characters', `${head}\r\nquorum w0`],
    ['it has more than 1000 lines', '\n'.repeat(1_001)],
  ])('are refused: %s', (fault, policy) => {
    expect(parsePolicy(policy)).toEqual({ fault });
  });
});
