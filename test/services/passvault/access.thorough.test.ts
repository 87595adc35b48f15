import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/operation.ts';
import { passvault } from '../../../src/contract/passvault.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { masterPassword, openScene, said, shareWith, type Scene } from './scene.ts';

type Who = 'owner' | 'recipient' | 'former' | 'trustee' | 'stranger';

interface Setting {
  readonly scene: Scene;
  readonly tokens: Readonly<Record<Who, string>>;
  readonly ids: {
    readonly recipient: string;
    readonly former: string;
    readonly trustee: string;
    readonly owner: string;
  };
  /** of the trustee, for the node */
  share: string;
  filename: string;
}

const gone = '404 VAULT_NOT_FOUND';
const fine = '200 success';

/** What each may do: owners everything, recipients what is about entries, trustees what is about their share. */
const operations: Readonly<
  Record<string, readonly [body: (setting: Setting) => object | undefined, recipient: string, trustee: string]>
> = {
  'GET /entries': [() => undefined, fine, gone],
  'POST /entries': [() => ({ type: 'login', title: 'x' }), fine, gone],
  'GET /entries/:entryId': [() => undefined, fine, gone],
  'PUT /entries/:entryId': [() => ({ title: 'y' }), fine, gone],
  'POST /search': [() => ({}), fine, gone],
  'POST /autofill': [() => ({ siteUrl: 'https://x.example' }), fine, gone],
  'POST /entries/:entryId/attachments': [({ filename }) => ({ filename, content: 'YQ==' }), fine, gone],
  'GET /entries/:entryId/attachments/:attachmentId': [() => undefined, fine, gone],
  'DELETE /entries/:entryId/attachments/:attachmentId': [() => undefined, '404 ATTACHMENT_NOT_FOUND', gone],
  'GET /health?breaches=skip': [() => undefined, fine, gone],
  'POST /import': [
    () => ({
      format: 'browserA_csv',
      fileContent: Buffer.from('name,url,username,password\na,b,c,d\n').toString('base64'),
    }),
    fine,
    gone,
  ],
  'GET /import': [() => undefined, fine, gone],
  'GET /export': [() => undefined, fine, gone],
  'POST /export': [() => ({ password: 'long enough' }), fine, gone],
  'DELETE /entries/:entryId': [() => undefined, '404 ENTRY_NOT_FOUND', gone],
  'POST /lock': [() => ({}), fine, gone],
  'POST /open': [() => ({ masterPassword }), '401 INVALID_MASTER_PASSWORD', gone],
  'PUT ': [() => ({ name: 'Renamed' }), gone, gone],
  'GET /members': [() => undefined, fine, gone],
  'GET /audit-log': [() => undefined, gone, gone],
  'POST /share': [({ ids }) => ({ recipientMemberIds: [ids.recipient] }), gone, gone],
  'POST /emergency-access': [({ ids }) => ({ threshold: 1, trustees: [ids.trustee] }), gone, gone],
  'POST /change-master-password': [
    () => ({ masterPassword, newMasterPassword: 'the next master password' }),
    gone,
    gone,
  ],
  'GET /emergency-access': [() => undefined, gone, gone],
  'POST /emergency-deny': [() => ({}), gone, gone],
  'DELETE /notices': [() => ({}), gone, gone],
  'GET /emergency-share': [() => undefined, gone, fine],
  'POST /emergency-recover': [
    ({ ids, share }) => ({ shares: [{ trusteeId: ids.trustee, encryptedShare: share }] }),
    fine,
    fine,
  ],
  'POST /revoke-share': [({ ids }) => ({ memberId: ids.recipient }), gone, gone],
  'DELETE ': [() => ({ masterPassword: 'the next master password' }), gone, gone],
};

async function setUp(scene: Scene): Promise<Setting> {
  const [recipient, former, trustee, stranger] = [
    await scene.house.register(),
    await scene.house.register(),
    await scene.house.register(),
    await scene.house.register(),
  ];
  await shareWith(scene, former);
  await scene.in('POST', '/revoke-share', { memberId: former.memberId });
  await shareWith(scene, recipient);
  await scene.in('POST', '/emergency-access', { threshold: 1, trustees: [trustee.memberId] });
  const { share } = await scene.in('GET', '/emergency-share', undefined, trustee.token);
  return {
    scene,
    share: share.recoveryShare,
    filename: 'b',
    tokens: {
      owner: scene.owner.token,
      recipient: recipient.token,
      former: former.token,
      trustee: trustee.token,
      stranger: stranger.token,
    },
    ids: {
      owner: scene.owner.memberId,
      recipient: recipient.memberId,
      former: former.memberId,
      trustee: trustee.memberId,
    },
  };
}

const nowhere = 'f'.repeat(32);

describe.each(engines)('who may do what with a vault on %s', (engine) => {
  it('has every operation in its table', () => {
    const known = Object.values(passvault)
      .filter((op) => op.path.startsWith('/api/passvault/vaults/:vaultId'))
      .map((op) => `${op.method} ${op.path.slice('/api/passvault/vaults/:vaultId'.length)}`);
    expect(
      Object.keys(operations)
        .map((one) => one.split('?')[0])
        .toSorted(),
    ).toEqual(known.toSorted());
  });

  it('is what the table says, for everybody', async () => {
    await using scene = await openScene(engine);
    const setting = await setUp(scene);
    const entryId = await scene.login();
    const { attachment } = await scene.in('POST', `/entries/${entryId}/attachments`, {
      filename: 'a',
      content: 'YQ==',
    });
    const seen: string[] = [];
    const expected: string[] = [];
    for (const [operation, [body, recipient, trustee]] of Object.entries(operations)) {
      const [method = '', template = ''] = operation.split(' ');
      const path = template.replace(':entryId', entryId).replace(':attachmentId', attachment.id);
      const ask = async (who: Who, vault = scene.vaultId) =>
        await scene.call(method as Method, `/vaults/${vault}${path}`, body(setting), setting.tokens[who]);
      const expectOf = async (who: Who, answer: string) => {
        setting.filename = `file of ${who}`;
        // A share works once.
        if (operation === 'POST /emergency-recover') {
          const { share } = await scene.in('GET', '/emergency-share', undefined, setting.tokens.trustee);
          setting.share = share.recoveryShare;
        }
        const got = await ask(who);
        expected.push(`${operation} by ${who}: ${answer}`);
        seen.push(`${operation} by ${who}: ${said(got)}`);
        // A vault that exists answers as one that doesn't.
        if (answer === gone && (who === 'stranger' || inStage(false, false, true)))
          expect((await ask(who, nowhere)).body).toEqual(got.body);
        if (got.body.data?.share !== undefined) setting.share = got.body.data.share.recoveryShare;
      };
      await expectOf('stranger', gone);
      await expectOf('former', gone);
      // Who recovers a vault is a member of it from then on.
      const trusteeIsMember = operation === 'POST /revoke-share' || operation === 'DELETE ';
      await expectOf('trustee', trusteeIsMember ? gone : trustee);
      // What is taken away by the owner is gone for the recipient, who could have taken it.
      const refused: Readonly<Record<string, string>> = {
        'GET /emergency-share': gone,
        'POST /emergency-deny': '404 RECOVERY_NOT_FOUND',
      };
      const owner = async () => await expectOf('owner', refused[operation] ?? fine);
      if (operation.startsWith('DELETE /')) await owner();
      await expectOf('recipient', recipient);
      if (!operation.startsWith('DELETE /')) await owner();
      if (operation === 'POST /lock') await scene.in('POST', '/open', { masterPassword });
      // Recovery gives the data key alone, and sharing ends under a new one that the master password has to open.
      if (operation === 'POST /emergency-recover')
        await scene.in('POST', '/open', { masterPassword: 'the next master password' });
    }
    expect(seen).toEqual(expected);
  }, 120_000);

  it('is nothing without a token, and nothing for the operator', async () => {
    await using scene = await openScene(engine);
    const path = `/api/passvault/vaults/${scene.vaultId}/entries`;
    expect((await scene.house.api('GET', path)).status).toBe(401);
    const token = await scene.house.operatorToken();
    expect((await scene.house.api('GET', path, { token, trusted: true })).status).toBe(403);
    const administrator = await scene.house.administrator();
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/entries`, undefined, administrator.token))).toBe(
      gone,
    );
  });

  it('is closed to owner and recipient while it is locked', async () => {
    await using scene = await openScene(engine);
    const setting = await setUp(scene);
    const entryId = await scene.login();
    for (const who of ['owner', 'recipient'] as const) await scene.in('POST', '/lock', {}, setting.tokens[who]);
    const needsNoKey = new Set([
      'POST /open',
      'POST /lock',
      'GET /import',
      'GET /members',
      'PUT ',
      'DELETE ',
      'GET /audit-log',
      'GET /emergency-share',
      'GET /emergency-access',
      'POST /emergency-deny',
      'DELETE /notices',
      'POST /emergency-recover',
      'POST /change-master-password',
    ]);
    for (const [operation, [body, recipient]] of Object.entries(operations)) {
      if (needsNoKey.has(operation)) continue;
      const [method = '', template = ''] = operation.split(' ');
      const path = `/vaults/${scene.vaultId}${template.replace(':entryId', entryId).replace(':attachmentId', nowhere)}`;
      const ask = async (who: Who) =>
        said(await scene.call(method as Method, path, body(setting), setting.tokens[who]));
      expect(await ask('owner'), operation).toBe('401 VAULT_LOCKED');
      expect(await ask('recipient'), operation).toBe(recipient === gone ? gone : '401 VAULT_LOCKED');
    }
  });
});
