import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/**
 * The life of a password vault: every documented endpoint once, with success. Over any fetch-shaped transport.
 *
 * @param breach whether the node has a range service to ask
 */
export async function runPassvaultScenario(
  fetch: Fetch,
  base: string,
  members: { readonly owner: HouseMember; readonly recipient: HouseMember; readonly trustee: HouseMember },
  breach: boolean,
): Promise<void> {
  const { owner, recipient, trustee } = members;
  const masterPassword = 'a master password of my own';
  const call = async (method: string, path: string, body?: unknown, token = owner.token): Promise<Json> => {
    const response = await fetch(
      new Request(`${base}/api/passvault${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    const answer = (await response.json()) as Json;
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  };

  const { vault } = await call('POST', '/vaults', { name: 'Home', masterPassword });
  const at = `/vaults/${vault.id}`;
  await call('GET', '/vaults');
  await call('PUT', at, { name: 'Our home' });
  await call('POST', `${at}/open`, { masterPassword });
  const { entry } = await call('POST', `${at}/entries`, {
    type: 'login',
    title: 'Bank',
    username: 'alice',
    password: 'hunter2 hunter2',
    siteUrl: 'https://bank.example',
    totpSecret: 'GEZDGNBVGY3TQOJQ',
  });
  const one = `${at}/entries/${entry.id}`;
  await call('GET', `${at}/entries`);
  await call('GET', one);
  await call('PUT', one, { password: 'another password', version: 1 });
  await call('POST', `${at}/search`, { query: 'bank' });
  await call('POST', `${at}/autofill`, { siteUrl: 'https://www.bank.example/login' });
  const { attachment } = await call('POST', `${one}/attachments`, { filename: 'a.txt', content: 'aGVsbG8=' });
  await call('GET', `${one}/attachments/${attachment.id}`);
  await call('DELETE', `${one}/attachments/${attachment.id}`);
  await call('POST', '/generate-password', { length: 24 });
  const { code } = await call('POST', '/totp/generate', { secret: 'GEZDGNBVGY3TQOJQ' });
  await call('POST', '/totp/validate', { secret: 'GEZDGNBVGY3TQOJQ', code: code.code });
  if (breach) await call('POST', '/breach-check', { password: 'password' });
  await call('GET', `${at}/health?breaches=skip`);
  const csv = 'name,url,username,password\nShop,https://shop.example,bob,secret of bob\n';
  await call('POST', `${at}/import`, { format: 'browserA_csv', fileContent: Buffer.from(csv).toString('base64') });
  await call('GET', `${at}/export?format=csv`);
  await call('POST', `${at}/export`, { password: 'password of the file' });
  await call('POST', `${at}/share`, { recipientMemberIds: [recipient.memberId] });
  await call('POST', `${at}/open`, { masterPassword: recipient.password }, recipient.token);
  await call('POST', `${at}/revoke-share`, { memberId: recipient.memberId });
  await call('POST', `${at}/emergency-access`, { threshold: 1, trustees: [trustee.memberId] });
  const { share } = await call('GET', `${at}/emergency-share`, undefined, trustee.token);
  const shares = [{ trusteeId: trustee.memberId, encryptedShare: share.recoveryShare }];
  await call('POST', `${at}/emergency-recover`, { shares }, trustee.token);
  await call('GET', '/trusteeships', undefined, trustee.token);
  await call('GET', `${at}/emergency-access`);
  await call('DELETE', `${at}/notices`);
  await call('GET', `${at}/audit-log`);
  await call('POST', `${at}/change-master-password`, { masterPassword, newMasterPassword: 'quite another one' });
  await call('DELETE', one);
  await call('POST', `${at}/lock`);
  await call('DELETE', at, { masterPassword: 'quite another one' });
}
