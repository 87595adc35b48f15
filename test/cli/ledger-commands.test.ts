import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import Call from '../../commands/call.ts';
import Head from '../../commands/ledger/head.ts';
import Proof from '../../commands/ledger/proof.ts';
import Show from '../../commands/ledger/show.ts';
import Verify from '../../commands/ledger/verify.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { appendEntry } from '../../src/platform/ledger/append.ts';
import { openHome, ways, type Home } from './home.ts';
import { runCommand } from './run-command.ts';

const escape = '\u001b]0;title\u0007';

async function fill(context: Context): Promise<void> {
  for (let count = 0; count < 6; count += 1) {
    const data = { count, text: escape };
    await transaction(context, (tx) => appendEntry(tx, { type: 'POOL_ACL', data, details: { hidden: count } }));
  }
}

async function headOf(home: Home) {
  return (await home.run(Head, ['--json'])).json();
}

describe.each(ways)('the ledger by %s', (way) => {
  it('is shown, proven and verified by anybody', async () => {
    await using home = await openHome(way, { prepare: fill });
    const head = await headOf(home);
    expect(head).toMatchObject({ size: 7, genesis: 0 });
    expect(head.checkpoint).toContain(`conclave/${head.nodeId}\n7\n`);
    expect((await home.run(Head)).stdout).toContain(`Log key\t${head.logKey}`);

    const shown = (await home.run(Show, ['--from', '5', '--json'])).json();
    expect(shown).toMatchObject({
      size: 7,
      entries: [{ index: 5, type: 'POOL_ACL', data: { count: 4 } }, { index: 6 }],
    });
    const page = await home.run(Show, ['--from', '0', '--limit', '2']);
    expect(page.stdout.split('\n')[0]).toMatch(/^0\t\S+\tLOG_GENESIS\t/);
    expect(page.stderr).toContain('--from 2');
    expect(page.stdout).not.toContain('\u001b');
    expect((await home.run(Show, ['--json'])).stdout).not.toContain('\u001b');
    expect((await home.run(Show, ['--from', '99'])).code).toBe(6);

    const file = join(home.folder, 'entry.tlog-proof');
    const made = await home.run(Proof, ['3', '--out', file]);
    expect(made).toMatchObject({ code: 0, stdout: '' });
    expect(made.stderr).toContain(head.logKey);
    expect(await home.run(Proof, ['3', '--out', file])).toMatchObject({ code: 7 });
    const printed = (await home.run(Proof, ['3', '--json'])).json();
    expect(printed).toMatchObject({ index: 3, leafHash: expect.stringMatching(/^[0-9a-f]{64}$/), size: 7 });
    expect(printed.proof).toBe(await readFile(file, 'utf8'));
    expect((await home.run(Proof, ['7'])).code).toBe(6);

    const verified = await home.run(Verify, ['--key', head.logKey, '--json']);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.json()).toMatchObject({ ok: true, trust: 'pinned', size: 7, nodeId: head.nodeId });
    const onTrust = await home.run(Verify);
    expect(onTrust).toMatchObject({ code: 0 });
    expect(onTrust.stderr).toContain(`Warning: The log key is not verified:\n${head.logKey}`);
    const wrong = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    expect((await home.run(Verify, ['--key', wrong])).code).toBe(1);
    const full = (await home.run(Verify, ['--full', '--key', head.logKey, '--json'])).json();
    expect(full).toMatchObject({ ok: true, size: 7 });
    expect(full.checks.map(({ name }: { name: string }) => name)).toContain('entries');
  });
});

describe('conclave ledger verify', () => {
  it('checks a bundle with nothing else at hand, and says what it proves', async () => {
    await using home = await openHome('process', { prepare: fill });
    const { logKey } = await headOf(home);
    const file = join(home.folder, 'entry.tlog-proof');
    await home.run(Proof, ['4', '--out', file]);
    // No store, no server, no home.
    const env = { HOME: join(home.folder, 'nobody'), CONCLAVE_DATA_DIR: join(home.folder, 'nowhere') };
    const report = (await runCommand(Verify, ['--bundle', file, '--key', logKey, '--json'], { env })).json();
    expect(report).toMatchObject({ ok: true, index: 4, entry: { data: { count: 3 } } });
    const shown = await runCommand(Verify, ['--bundle', file], { env });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('Proven:');
    expect(shown.stdout).toContain('Not proven:\n  - That the log key is the one you expect');
    expect(shown.stderr).toContain('not verified');
    expect(shown.stdout + shown.stderr).not.toContain('\u001b');

    const changed = (await readFile(file, 'utf8')).replace('\n7\n', '\n8\n');
    const bad = await runCommand(Verify, ['--bundle', await home.file('bad', changed), '--key', logKey], { env });
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('log signature\tFAILED');
    expect(bad.stdout).not.toContain('Proven');
    const garbage = await runCommand(Verify, ['--bundle', await home.file('garbage', `${escape}\n`)], { env });
    expect(garbage).toMatchObject({ code: 1 });
    expect(garbage.stdout).not.toContain('\u001b');
    // That a file can't be read says nothing about the ledger.
    const none = join(home.folder, 'none');
    for (const flags of [
      ['--bundle', none],
      ['--bundle', file, '--witness-policy', none],
    ]) {
      const unread = await runCommand(Verify, flags, { env });
      expect(unread.code).toBe(2);
      expect(unread.stderr).toContain(`${flags.at(-2)}: ${none} cannot be read: it does not exist.`);
    }
    expect((await runCommand(Verify, ['--bundle', file, '--full'], { env })).code).toBe(2);
  });

  it('checks that the ledger continues a checkpoint from earlier', async () => {
    await using home = await openHome('process', { prepare: fill });
    const out = join(home.folder, 'before.checkpoint');
    await home.run(Head, ['--out', out]);
    const kept = await readFile(out, 'utf8');
    const report = (await home.run(Verify, ['--since', out, '--json'])).json();
    expect(report).toMatchObject({ ok: true });
    expect(report.proven.join(' ')).toContain('first 7 entries');
    const forged = await home.file('forged', kept.replace('\n7\n', '\n6\n'));
    const refused = await home.run(Verify, ['--since', forged]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('history\tFAILED');

    await using other = await openHome('process', { prepare: fill });
    expect((await other.run(Verify, ['--since', out])).code).toBe(1);
  });

  it('finds what was changed in the store, by its index', async () => {
    const damage = async (context: Context) => {
      await fill(context);
      const { body } = await context.db
        .selectFrom('ledger_entries')
        .select('body')
        .where('leaf_index', '=', 4)
        .executeTakeFirstOrThrow();
      const changed = Buffer.from(Buffer.from(body).toString().replace('"count":3', '"count":8'));
      await context.db.updateTable('ledger_entries').set({ body: changed }).where('leaf_index', '=', 4).execute();
    };
    await using home = await openHome('socket', { prepare: damage });
    const run = await home.run(Verify, ['--full', '--json']);
    expect(run.code).toBe(1);
    expect(run.json()).toMatchObject({ ok: false, faults: [{ index: 4 }] });
    expect((await home.run(Verify, ['--full'])).stdout).toContain('Wrong:\n  - entry 4 does not match its leaf hash');
    // Whoever only has the public interface finds it as well.
    const env = { HOME: join(home.folder, 'nobody'), CONCLAVE_SERVER: home.ready?.url };
    const away = await runCommand(Verify, ['--full', '--json'], { env });
    expect(away.code).toBe(1);
    expect(away.json().checks).toContainEqual({
      name: 'entries',
      ok: false,
      detail: 'entry 4 does not match its leaf hash',
    });
  });

  it('says that an empty ledger proves nothing', async () => {
    await using home = await openHome('process');
    const report = (await home.run(Verify, ['--json'])).json();
    expect(report).toMatchObject({ ok: true, size: 0, proven: [] });
    expect((await home.run(Show, ['--json'])).json()).toEqual({ size: 0, entries: [] });
    expect((await home.run(Verify, ['--full', '--json'])).json()).toMatchObject({ ok: true, size: 0 });
    expect((await home.run(Call, ['ledger.checkpoint'])).stdout).toContain('\n0\n');
  });
});
