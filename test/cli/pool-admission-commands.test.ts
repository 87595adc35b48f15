import { describe, expect, it } from 'vitest';
import AclShow from '../../commands/admin/nodes/acl/show.ts';
import AclUpdate from '../../commands/admin/nodes/acl/update.ts';
import Proposals from '../../commands/admin/nodes/acl/proposals.ts';
import Sign from '../../commands/admin/nodes/acl/sign.ts';
import TokenCreate from '../../commands/admin/nodes/token/create.ts';
import TokenList from '../../commands/admin/nodes/token/list.ts';
import TokenRevoke from '../../commands/admin/nodes/token/revoke.ts';
import Login from '../../commands/login.ts';
import Join from '../../commands/pool/join.ts';
import { openHome, rootPassword } from './home.ts';

describe('changes that several administrators must sign', () => {
  it('are proposed, shown in full, and in force when both have signed', async () => {
    await using home = await openHome('url');
    await home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } });
    expect((await home.run(AclUpdate, ['--threshold', '2', '--json'])).json()).toEqual({ aclVersion: 2 });
    const [closed, open] = [
      await home.run(AclUpdate, ['--mode', 'closed']),
      await home.run(AclUpdate, ['--mode', 'open']),
    ];
    expect(closed).toMatchObject({ code: 7, stdout: '' });
    const [, prefix = ''] = /conclave admin nodes acl sign ([0-9a-f]{12})/.exec(closed.stderr) ?? [];
    const { proposals } = (await home.operate(Proposals, ['--json'])).json();
    expect(proposals).toHaveLength(2);
    const proposal = proposals.find(({ hash }: { hash: string }) => hash.startsWith(prefix));
    expect(proposal).toMatchObject({ status: 'open', version: 3, acl: { mode: 'closed' }, threshold: 2 });
    expect((await home.operate(Proposals)).stdout).toContain(`${proposal.hash}\topen\t3\t1 of 2\t`);

    const silent = await home.operate(Sign, [prefix]);
    expect(silent).toMatchObject({ code: 2, stdout: '' });
    const signed = await home.operate(Sign, [prefix], { person: [['Sign this?', 'y']] });
    for (const { stderr } of [silent, signed]) {
      expect(stderr).toContain(proposal.hash);
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(proposal.fingerprint.words.join(' '));
      expect(stderr).toContain('- Mode: closed; before: approval');
    }
    expect(signed.stdout).toBe('It has 2 of 2 signatures. Access list version 3 is active.\n');
    expect((await home.run(AclShow, ['--json'])).json()).toMatchObject({ version: 3, hash: proposal.hash });

    const [, other = ''] = /acl sign ([0-9a-f]{12})/.exec(open.stderr) ?? [];
    const stale = await home.operate(Sign, [other, '--yes']);
    expect(stale).toMatchObject({ code: 7, stdout: '' });
    expect(stale.stderr).toContain('is stale');
    expect(await home.operate(Sign, ['0', '--yes'])).toMatchObject({ code: other.startsWith('0') ? 7 : 6 });
  });
});

describe('join tokens', () => {
  it('are printed once, listed without their secret, read from a file or a variable, and revoked', async () => {
    await using home = await openHome('process');
    const made = await home.run(TokenCreate, ['--ttl', '2h', '--uses', '3', '--expires', '90d']);
    expect(made.code).toBe(0);
    const token = made.stdout.trim();
    expect(token).toMatch(/^conclave-join-[\w-]{119}$/);
    expect(made.stderr).toContain('--token-file');
    expect(made.stderr).not.toContain(token);
    const list = await home.run(TokenList, ['--json']);
    expect(list.stdout).not.toContain(token);
    const [{ id, ...rest }] = list.json().joinTokens;
    expect(rest).toMatchObject({ status: 'active', uses: 3, used: 0, admittedUntil: expect.stringMatching(/Z$/) });
    expect((await home.run(TokenList)).stdout).toContain(`${id}\tactive\t0 of 3\t`);
    const asArgument = await home.run(TokenRevoke, [token]);
    expect(asArgument).toMatchObject({ code: 2, stdout: '' });
    expect(asArgument.stderr).not.toContain(token);
    expect((await home.run(TokenRevoke, [id.slice(0, 8)])).stdout).toBe(`Join token ${id} is revoked.\n`);
    expect(await home.run(TokenRevoke, [id])).toMatchObject({ code: 6, stdout: '' });
    expect(await home.run(TokenCreate, ['--ttl', '31d'])).toMatchObject({ code: 2, stdout: '' });
    expect(await home.run(TokenCreate, ['--ttl', 'soon'])).toMatchObject({ code: 2, stdout: '' });

    const wrong = await home.run(Join, [
      '127.0.0.1:1',
      '--token-file',
      await home.file('half.txt', token.slice(0, 80)),
    ]);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).not.toContain(token.slice(0, 80));
    const joined = await home.run(Join, ['127.0.0.1:1', '--json'], { env: { CONCLAVE_JOIN_TOKEN: token } });
    expect(joined.json()).toMatchObject({
      join: { status: 'asking', poolId: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(joined.stdout + joined.stderr).not.toContain(token);
  });
});
