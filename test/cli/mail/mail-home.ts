import Register from '../../../commands/account/register.ts';
import { changesSince, type ServerMessage } from '../../../src/cli/mail/transfer/changes.ts';
import { openClient, type Client } from '../../../src/client/client.ts';
import { openHome, type Home } from '../home.ts';

/** A home with a member `alice`, whose mailbox is alice@home.example. */
export interface MailHome extends Home {
  client(): Promise<Client>;
  messages(): Promise<readonly ServerMessage[]>;
}

export async function openMailHome(): Promise<MailHome> {
  const home = await openHome('socket', { serveEnv: { CONCLAVE_MAIL_DOMAIN: 'home.example' } });
  const argv = ['--username', 'alice', '--email', 'alice@home.test'];
  await home.run(Register, argv, { env: { CONCLAVE_PASSWORD: 'a long enough secret' } });
  const client = async () => await openClient({ env: home.env, userAgent: 'test', command: 'test' });
  return {
    ...home,
    client,
    async messages() {
      await using own = await client();
      return [...(await changesSince(own, 0)).changed.values()];
    },
  };
}

/** A message with LF. */
export function plainMessage(number: number, body = 'Hello.'): string {
  return [
    'From: Bob <bob@far.example>',
    'To: alice@home.example',
    `Subject: Number ${number}`,
    `Message-ID: <${number}@far.example>`,
    'Date: Sun, 01 Mar 2026 08:09:10 +0000',
    '',
    body,
    '',
  ].join('\n');
}
