import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import Evidence from '../../commands/ledger/evidence.ts';
import Head from '../../commands/ledger/head.ts';
import Proof from '../../commands/ledger/proof.ts';
import Verify from '../../commands/ledger/verify.ts';
import PoolStatus from '../../commands/pool/status.ts';
import { deriveNodeKeys, type NodeKeys } from '../../src/config/node-keys.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import { witnessNameOf } from '../../src/crypto/verifier-key.ts';
import { appendEntry } from '../../src/platform/ledger/append.ts';
import { signCheckpoint } from '../../src/crypto/formats/ledger/checkpoint.ts';
import { issueCheckpoint } from '../../src/platform/ledger/issue-checkpoint.ts';
import { parseNote, signatureLine } from '../../src/crypto/formats/ledger/signed-note.ts';
import { cosign } from '../../src/crypto/formats/ledger/cosignature.ts';
import { keepEvidence } from '../../src/platform/ledger/witness/evidence.ts';
import { notice } from '../../src/platform/ledger/witness/notices.ts';
import { openHome, type Home } from './home.ts';
import { runCommand } from './run-command.ts';

const [liar, ...witnesses] = [1, 2, 3].map((fill) => deriveNodeKeys(new Uint8Array(32).fill(fill))) as [
  NodeKeys,
  NodeKeys,
  NodeKeys,
];

async function contradict(context: Context): Promise<void> {
  const [one, other] = [1, 2].map((fill) => signCheckpoint(liar, 5, new Uint8Array(32).fill(fill))) as [string, string];
  const node = { nodeId: liar.nodeId, nodeKey: toHex(liar.identity.publicKey) };
  await keepEvidence(context, { kind: 'same-size', ...node, one, other }, liar.nodeId);
  await notice(context, liar.nodeId, 'copied', {});
}

/** Six entries, and a checkpoint that two others have cosigned. */
async function cosigned(context: Context): Promise<void> {
  for (let count = 0; count < 5; count += 1)
    await transaction(context, (tx) => appendEntry(tx, { type: 'POOL_ACL', data: { count } }));
  await context.ledger.settled();
  const { size, note } = await issueCheckpoint(context);
  const checkpoint = parseNote(note)!.text;
  for (const { nodeId, witness, witnessKey } of witnesses) {
    const line = signatureLine(cosign(checkpoint, witnessNameOf(nodeId), witness, 1_700_000_000));
    await context.db
      .insertInto('ledger_cosignatures')
      .values({ size, witness: witnessKey, checkpoint, line, created_at: 1 })
      .execute();
  }
}

const nobody = (home: Home) => ({
  HOME: join(home.folder, 'nobody'),
  CONCLAVE_DATA_DIR: join(home.folder, 'nowhere'),
});

describe('conclave ledger evidence', () => {
  it('says that there is none', async () => {
    await using home = await openHome('process');
    const run = await home.operate(Evidence);
    expect(run).toMatchObject({ code: 0, stdout: '' });
    expect(run.stderr).toContain('keeps no evidence');
    expect((await home.operate(Evidence, ['0'])).code).toBe(6);
  });

  it('writes what convinces anybody, without a node', async () => {
    await using home = await openHome('socket', { prepare: contradict });
    const [kept] = (await home.operate(Evidence, ['--json'])).json().contradictions;
    expect(kept).toMatchObject({ nodeId: liar.nodeId, kind: 'same-size' });
    const shown = await home.operate(Evidence, [], { person: [] });
    expect(shown.stdout).toContain(kept.id.slice(0, 12));
    for (const line of shown.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const file = join(home.folder, 'liar.evidence');
    expect(await home.operate(Evidence, [kept.id.slice(0, 12), '--out', file])).toMatchObject({ code: 0, stdout: '' });
    expect((await home.operate(Evidence, [kept.id])).stdout).toBe(`${await readFile(file, 'utf8')}\n`);

    const env = nobody(home);
    const verdict = await runCommand(Verify, ['--bundle', file], { env });
    expect(verdict.code).toBe(0);
    expect(verdict.stdout).toContain(`The node ${liar.nodeId} signed two different ledgers of the same size.`);
    expect(verdict.stdout).toContain(`The key ${toHex(liar.identity.publicKey)} signed all of this:`);
    expect(verdict.stdout).toContain('Not proven:');
    const changed = (await readFile(file, 'utf8')).replace('\\n5\\n', '\\n6\\n');
    const bad = await runCommand(Verify, ['--bundle', await home.file('bad', changed)], { env });
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('signatures\tFAILED');
    expect(bad.stdout).not.toContain('Proven');

    const keyed = await runCommand(Verify, ['--bundle', file, '--key', 'conclave/1+2+3'], { env });
    expect(keyed).toMatchObject({ code: 2, stdout: '' });
    expect(keyed.stderr).toContain('Leave out --key and --witness-policy.');

    const checked = await home.operate(Verify, ['--full']);
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain('contradictions\tok\tcontradictions of other nodes that are kept: 1');
    expect(checked.stdout).toContain(`node ${liar.nodeId} signed two different ledgers`);
    expect(checked.stdout).toContain(`node ${liar.nodeId} runs as two processes`);
    const status = await home.operate(PoolStatus);
    expect(status.stdout).toContain('contradictions: 1; see conclave ledger evidence');
    expect(status.stdout).toContain(`${liar.nodeId} runs as two processes`);
  });
});

describe('conclave ledger verify --witness-policy', () => {
  const policyOf = (least: number, logKey?: string) =>
    [
      ...(logKey === undefined ? [] : [`log ${logKey}`]),
      ...witnesses.map(({ witnessKey }, at) => `witness w${at} ${witnessKey}`),
      `witness never ${liar.witnessKey}`,
      `group home ${least} w0 w1 never`,
      'quorum home',
    ].join('\n');

  it('is satisfied by enough cosignatures in a proof, and by nothing else', async () => {
    await using home = await openHome('process', { prepare: cosigned });
    const { logKey } = (await home.run(Head, ['--json'])).json();
    const file = join(home.folder, 'entry.tlog-proof');
    await home.run(Proof, ['3', '--out', file]);
    const proof = await readFile(file, 'utf8');
    const env = nobody(home);
    const check = async (bundle: string, policy: string) => {
      const argv = ['--bundle', bundle, '--witness-policy', await home.file('policy', policy), '--json'];
      const run = await runCommand(Verify, argv, { env });
      const report = run.json();
      return { code: run.code, ...report, failed: report.checks.filter(({ ok }: { ok: boolean }) => !ok) };
    };
    const good = await check(file, policyOf(2, logKey));
    expect(good).toMatchObject({ code: 0, ok: true, trust: 'pinned', failed: [] });
    expect(good.proven.join(' ')).toContain('w0 (2023-11-14T22:13:20.000Z), w1');

    const few = await check(file, policyOf(3, logKey));
    expect(few).toMatchObject({ code: 1, ok: false, proven: [] });
    expect(few.failed).toMatchObject([{ name: 'witnesses', detail: expect.stringContaining('not enough') }]);

    const other = await check(file, policyOf(2, liar.ledgerLogKey));
    expect(other.failed.map(({ name }: { name: string }) => name)).toContain('policy log');

    // One cosignature is damaged, or was made for another checkpoint: what is left is one.
    const lines = proof.trimEnd().split('\n');
    const last = lines.at(-1)!;
    const at = last.length - 10;
    const flipped = last.slice(0, at) + (last[at] === 'A' ? 'B' : 'A') + last.slice(at + 1);
    const damaged = await home.file('damaged', `${[...lines.slice(0, -1), flipped].join('\n')}\n`);
    const left = await check(damaged, policyOf(2, logKey));
    expect(left.failed).toMatchObject([{ name: 'witnesses', detail: expect.stringMatching(/not enough.*w\d/) }]);
    expect((await check(damaged, policyOf(1, logKey))).code).toBe(0);
  });

  it.each([
    ['no quorum', 'witness a b', 'line 1'],
    ['a word of every object', 'constructor x', 'line 1 is not known'],
    ['a word that is no function', '__proto__ x', 'line 1 is not known'],
    ['nothing', '', 'it has no quorum'],
  ])('refuses a policy with %s', async (_, policy, fault) => {
    await using home = await openHome('process', { prepare: cosigned });
    const file = join(home.folder, 'entry.tlog-proof');
    await home.run(Proof, ['3', '--out', file]);
    const run = await runCommand(Verify, ['--bundle', file, '--witness-policy', await home.file('policy', policy)], {
      env: nobody(home),
    });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(fault);
  });
});
